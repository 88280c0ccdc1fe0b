//! Fairness among apps: every so often a page is claimed of an app that had none lately.
//!
//! The queue is in order of time, so an app that queued ten thousand sends would have them all delivered before the one that
//! another app queued a moment later.

use hato_domain::AppId;

/// How many claims a window has: the next one passes over their apps, which costs one more look at an index in sixteen claims.
const WINDOW: usize = 16;

/// The apps of the claims of this window.
#[derive(Default)]
pub struct FairnessWindow {
    served: Vec<AppId>,
}

impl FairnessWindow {
    /// The apps to be passed over by the next claim, when the window is full. Asking begins a new one.
    pub fn apps_to_skip(&mut self) -> Option<Vec<AppId>> {
        (self.served.len() >= WINDOW).then(|| std::mem::take(&mut self.served))
    }

    /// Counts a page of `app` as claimed.
    pub fn record(&mut self, app: &AppId) {
        self.served.push(app.clone());
    }
}
