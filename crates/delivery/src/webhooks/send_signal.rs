//! The sending of a first attempt, which the next one waits for.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

/// The gap between a request that was sent and the next one, unless it is answered sooner; more for a large body.
const MIN_GAP: Duration = Duration::from_millis(2);
/// Bytes of a body for which it gets another millisecond.
const PER_MILLISECOND: u64 = 32 * 1_024;

/// How an attempt tells that its request was sent.
pub struct SendNotifier {
    /// Told the size of the body when the request leaves; dropped when it does not.
    pub sent: oneshot::Sender<usize>,
    /// Told when the attempt is made, whatever came of it; dropped when there was none.
    pub made: oneshot::Sender<()>,
}

/// What the outbox worker waits for.
pub struct SendSignal {
    is_sent: oneshot::Receiver<usize>,
    made: oneshot::Receiver<()>,
}

/// The two ends.
pub fn send_signal() -> (SendNotifier, SendSignal) {
    let (sent, is_sent) = oneshot::channel();
    let (made, is_made) = oneshot::channel();
    let signal = SendSignal {
        is_sent,
        made: is_made,
    };
    (SendNotifier { sent, made }, signal)
}

impl SendSignal {
    /// Resolves when the next request cannot overtake this one any more: it is on its connection, or failed before. False
    /// when there was no attempt.
    pub async fn was_sent(self) -> bool {
        match self.is_sent.await {
            // Either an answer, or the gap is enough.
            Ok(size) => {
                let _ = timeout(min_gap(size), self.made).await;
                true
            }
            Err(_) => self.made.await.is_ok(),
        }
    }
}

fn min_gap(size: usize) -> Duration {
    MIN_GAP + Duration::from_millis(size as u64 / PER_MILLISECOND)
}
