//! Who may open a connection that is waited for: an app only a few at a time.
//!
//! Names that do not resolve and hosts that do not answer hold lookups and connections for seconds. An app whose subscribers
//! have many of them waits for itself and for nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hato_domain::AppId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The openers of all apps.
pub struct Openings {
    per_app: usize,
    openers: Mutex<HashMap<AppId, Opener>>,
}

/// Lets an app open connections that it waits for.
#[derive(Clone)]
pub struct Opener(Arc<Semaphore>);

/// The right to open a connection.
pub type Opening = OwnedSemaphorePermit;

impl Openings {
    /// `per_app` at a time for each app.
    pub fn new(per_app: usize) -> Self {
        Self {
            per_app: per_app.max(1),
            openers: Mutex::default(),
        }
    }

    /// The opener of `app`.
    pub fn of(&self, app: &AppId) -> Opener {
        let mut openers = self.openers.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Opener(Arc::new(Semaphore::new(self.per_app)));
        openers.entry(app.clone()).or_insert_with(new).clone()
    }

    /// Forgets the openers that nobody uses.
    pub fn tidy(&self) {
        let mut openers = self.openers.lock().unwrap_or_else(PoisonError::into_inner);
        openers.retain(|_, opener| Arc::strong_count(&opener.0) > 1);
    }
}

impl Opener {
    /// The right to open one, when it is the app's turn.
    pub async fn opening(&self) -> Option<Opening> {
        Arc::clone(&self.0).acquire_owned().await.ok()
    }
}
