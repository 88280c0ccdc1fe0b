//! Limits the connections that are opened while requests wait for them: each app has only a few at a time.
//!
//! Names that do not resolve and hosts that do not answer hold lookups and connections for seconds. An app whose subscribers
//! have many of them waits for itself and for nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hato_domain::AppId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limits of all apps that have sent lately.
pub struct ConnectLimiter {
    per_app: usize,
    limits: Mutex<HashMap<AppId, AppConnectLimit>>,
}

/// The limit of one app; clones share it.
#[derive(Clone)]
pub struct AppConnectLimit(Arc<Semaphore>);

/// The right to open one connection.
pub type ConnectPermit = OwnedSemaphorePermit;

impl ConnectLimiter {
    /// Limits of `per_app` connections being opened at a time, at least one, for each app.
    pub fn new(per_app: usize) -> Self {
        Self {
            per_app: per_app.max(1),
            limits: Mutex::default(),
        }
    }

    /// The limit of `app`.
    pub fn for_app(&self, app: &AppId) -> AppConnectLimit {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || AppConnectLimit(Arc::new(Semaphore::new(self.per_app)));
        limits.entry(app.clone()).or_insert_with(new).clone()
    }

    /// Forgets the limits that nobody uses.
    pub fn evict_idle(&self) {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.retain(|_, limit| Arc::strong_count(&limit.0) > 1);
    }
}

impl AppConnectLimit {
    /// Waits until the app may open one more connection.
    pub async fn acquire(&self) -> Option<ConnectPermit> {
        Arc::clone(&self.0).acquire_owned().await.ok()
    }
}
