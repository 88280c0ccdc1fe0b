//! The queue of those who are rejected: when it is each one's turn, at the pace at which the push service answers.

use std::time::Duration;

use tokio::time::Instant;

/// How long a request is taken to need while nothing else is known.
const ASSUMED_RTT: Duration = Duration::from_millis(100);

/// A queue that nobody waits in: who comes back too late has left his turn to others.
pub struct TurnQueue {
    /// The time from one answer to the next, once it is known.
    step: Option<Duration>,
    reserved_until: Instant,
}

impl TurnQueue {
    /// A queue with nobody in it, whose next turn is at once.
    pub fn new(now: Instant) -> Self {
        Self {
            step: None,
            reserved_until: now,
        }
    }

    /// Learns the pace of an origin that answers `limit` requests in each round trip (Little's law).
    pub fn learn(&mut self, rtt: Duration, limit: usize) {
        self.step = Some(share(rtt, limit));
    }

    /// The time from one answer to the next, when so many may be in flight.
    pub fn step(&self, limit: usize) -> Duration {
        self.step.unwrap_or_else(|| share(ASSUMED_RTT, limit))
    }

    /// How many get their turn within this time, if the pace is known.
    pub fn capacity_within(&self, time: Duration) -> Option<usize> {
        let step = self.step?.as_nanos().max(1);
        Some(usize::try_from(time.as_nanos() / step).unwrap_or(usize::MAX))
    }

    /// Reserves a time of this length, which begins between `first` and `last`; its beginning.
    pub fn reserve(&mut self, length: Duration, first: Instant, last: Instant) -> Instant {
        let turn = self.reserved_until.max(first).min(last);
        self.reserved_until = turn + length;
        turn
    }
}

/// The share of one among so many.
pub fn share(time: Duration, count: usize) -> Duration {
    time / u32::try_from(count.max(1)).unwrap_or(u32::MAX)
}
