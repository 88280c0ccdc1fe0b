//! The moment from which a page only waits for responses, when it may give up its slot.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many of a page's recipients are still to be sent on their way.
pub struct DispatchCountdown {
    remaining: AtomicUsize,
    done: Notify,
}

impl DispatchCountdown {
    /// A countdown of so many recipients.
    pub fn new(recipients: usize) -> Self {
        Self {
            remaining: AtomicUsize::new(recipients),
            done: Notify::new(),
        }
    }

    /// Counts one more recipient as on its way.
    pub fn dispatched(&self) {
        if self.remaining.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.done.notify_one();
        }
    }

    /// Resolves when all are on their way; one caller may wait.
    pub async fn wait(&self) {
        self.done.notified().await;
    }
}
