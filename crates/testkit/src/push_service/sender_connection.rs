//! The end of a sender's connection, which its own requests can bring about.

use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

/// One TLS connection as its requests see it: they can cut it, and each of them counts toward its end.
pub(super) struct SenderConnection {
    cut: Notify,
    retire: Notify,
    requests_left: AtomicU64,
}

impl SenderConnection {
    /// A connection that is ended politely after so many requests; `None` is never.
    pub(super) fn new(requests: Option<u64>) -> Self {
        Self {
            cut: Notify::new(),
            retire: Notify::new(),
            requests_left: AtomicU64::new(requests.unwrap_or(u64::MAX)),
        }
    }

    /// Closes the TCP connection, unanswered requests and all.
    pub(super) fn cut(&self) {
        self.cut.notify_one();
    }

    /// Counts a request toward the number after which the connection retires.
    pub(super) fn count_request(&self) {
        if self.requests_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.retire.notify_one();
        }
    }

    /// Resolves when a request has cut the connection.
    pub(super) async fn is_cut(&self) {
        self.cut.notified().await;
    }

    /// Resolves when the connection has carried all the requests that it may.
    pub(super) async fn is_retired(&self) {
        self.retire.notified().await;
    }
}
