//! Telling the delivery engine and the webhooks' sender that there is work.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// Bells between those who queue and those in the same process who take up what is queued.
#[derive(Clone, Debug, Default)]
pub struct Wake {
    pages: Arc<Notify>,
    events: Arc<Notify>,
}

impl Wake {
    /// Tells the engine to look at the queue.
    pub fn ring(&self) {
        self.pages.notify_one();
    }

    /// Resolves at the next ring, or at once if it rang since the last wait. Made before the queue is asked, it misses nothing.
    pub fn heard(&self) -> OwnedNotified {
        Arc::clone(&self.pages).notified_owned()
    }

    /// Tells the webhooks' sender that an event waits.
    pub fn ring_for_event(&self) {
        self.events.notify_one();
    }

    /// The same as [`Self::heard`] for the webhooks' sender.
    pub fn event_heard(&self) -> OwnedNotified {
        Arc::clone(&self.events).notified_owned()
    }
}
