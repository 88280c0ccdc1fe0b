//! How the delivery engine learns at once that there is work.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// A bell between the use cases, which ring it after queueing, and the engine of the same process.
#[derive(Clone, Debug, Default)]
pub struct Wake(Arc<Notify>);

impl Wake {
    /// Tells the engine to look at the queue.
    pub fn ring(&self) {
        self.0.notify_one();
    }

    /// Resolves at the next ring, or at once if it rang since the last wait. Made before the queue is asked, it misses nothing.
    pub fn heard(&self) -> OwnedNotified {
        Arc::clone(&self.0).notified_owned()
    }
}
