//! Whose turn it is: every so often a page is claimed of an app that has had none lately.
//!
//! The queue is in order of time, so an app that queued ten thousand sends would have them all delivered before the one that
//! another app queued a moment later.

use hato_domain::AppId;

/// Every so many claims pass over the apps of those before.
const TURN: usize = 16;

/// The apps of the claims since the last turn.
#[derive(Default)]
pub struct Turns {
    served: Vec<AppId>,
}

impl Turns {
    /// The apps to be passed over by the next claim, when it is the others' turn. Asking ends the turn.
    pub fn others(&mut self) -> Option<Vec<AppId>> {
        (self.served.len() >= TURN).then(|| std::mem::take(&mut self.served))
    }

    /// A page of `app` was claimed.
    pub fn took(&mut self, app: &AppId) {
        self.served.push(app.clone());
    }
}
