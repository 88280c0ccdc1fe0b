//! The departure of a first attempt, which the next one waits for.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

/// The lead of a request that has left over the next one, unless it is answered sooner; more for a large body.
const LEAD: Duration = Duration::from_millis(2);
/// Bytes of a body for which it gets another millisecond.
const PER_MILLISECOND: u64 = 32 * 1_024;

/// How a flight tells of its departure.
pub struct Signals {
    /// Told the size of the body when the request leaves; dropped when it does not.
    pub leaves: oneshot::Sender<usize>,
    /// Told when the attempt is made, whatever came of it; dropped when there was none.
    pub made: oneshot::Sender<()>,
}

/// What the lane hears of it.
pub struct Departure {
    left: oneshot::Receiver<usize>,
    made: oneshot::Receiver<()>,
}

/// The two ends.
pub fn departure() -> (Signals, Departure) {
    let (leaves, left) = oneshot::channel();
    let (made, is_made) = oneshot::channel();
    let departure = Departure {
        left,
        made: is_made,
    };
    (Signals { leaves, made }, departure)
}

impl Departure {
    /// Resolves when the next request cannot overtake this one any more: it is on its connection, or failed before. False
    /// when there was no attempt.
    pub async fn has_left(self) -> bool {
        match self.left.await {
            // Either an answer, or the lead is enough.
            Ok(size) => {
                let _ = timeout(lead(size), self.made).await;
                true
            }
            Err(_) => self.made.await.is_ok(),
        }
    }
}

fn lead(size: usize) -> Duration {
    LEAD + Duration::from_millis(size as u64 / PER_MILLISECOND)
}
