//! The moment from which a page only waits for answers.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many of a page's recipients are still to be sent on their way.
pub struct Launch {
    left: AtomicUsize,
    all: Notify,
}

impl Launch {
    /// Of so many recipients.
    pub fn of(recipients: usize) -> Self {
        Self {
            left: AtomicUsize::new(recipients),
            all: Notify::new(),
        }
    }

    /// One more is on its way.
    pub fn one(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.all.notify_one();
        }
    }

    /// Resolves when all are; for one who asks.
    pub async fn all(&self) {
        self.all.notified().await;
    }
}
