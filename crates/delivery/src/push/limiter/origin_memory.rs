//! What the limiters of all apps at one origin learn together: how long it takes without a queue, and how much it took lately.
//!
//! Connections to one host meet the same queue, so they may share what each has learnt of it (RFC 9040). An app that comes while
//! another's requests are queued would otherwise take that queue for the distance, and push the other out.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long a limit that answers came in time under says something about the next moment.
pub const CAPACITY_MEMORY: Duration = Duration::from_mins(1);
/// How long the base is believed while every window is above it: then the way may have become longer.
const BASE_MEMORY: Duration = Duration::from_secs(30);
/// The longest round trip that can be the distance. More is a queue, and a request may take 10 s.
pub const MAX_BASE: Duration = Duration::from_secs(2);
/// How far above one and a half times the base a round trip shows that requests are queued.
const STANDING: Duration = Duration::from_millis(50);
/// How far above twice the base it shows that the queue has to shrink. This machine's own delays, some 100 ms when it has no core
/// to spare, stay below.
const LONG: Duration = Duration::from_millis(500);

/// The requests that wait at a push service, told by the time that its answers take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Hardly any: it takes more.
    Short,
    /// It is busy all the time: more would only wait.
    Standing,
    /// Each request waits too long.
    Long,
    /// Nobody knows any more, because no window was near the base for long. A few requests have to find out.
    Unknown,
}

/// What windows of requests have shown of an origin, for the limiters of all apps.
pub struct OriginMemory(Mutex<KnownOrigin>);

struct KnownOrigin {
    /// The shortest mean of a window's round trips.
    base: Option<Duration>,
    /// When a window was last near it.
    base_met_at: Instant,
    /// The widest limit under which answers came in time, and when.
    capacity: Option<(usize, Instant)>,
}

impl OriginMemory {
    /// Of an origin that nothing is known of.
    pub fn new(now: Instant) -> Self {
        Self(Mutex::new(KnownOrigin {
            base: None,
            base_met_at: now,
            capacity: None,
        }))
    }

    /// Judges the mean round trip of a window.
    pub fn judge(&self, rtt: Duration, now: Instant) -> Queue {
        let mut known = self.known();
        let measured = rtt.min(MAX_BASE);
        let base = known.base.map_or(measured, |base| base.min(measured));
        known.base = Some(base);
        let queue = queue_of(rtt, base);
        if queue == Queue::Short {
            known.base_met_at = now;
        } else if known.is_base_old(now) {
            return Queue::Unknown;
        }
        queue
    }

    /// Measures the base anew by a window that had no queue, and tells whether the way has become longer.
    pub fn measure(&self, rtt: Duration, now: Instant) -> bool {
        let mut known = self.known();
        let measured = rtt.min(MAX_BASE);
        let before = known.base.unwrap_or(measured);
        // Another app may have measured already, while this one's requests were queued before its own.
        known.base = Some(if known.is_base_old(now) {
            measured
        } else {
            before.min(measured)
        });
        known.base_met_at = now;
        queue_of(measured, before) != Queue::Short
    }

    /// Forgets the base, because nothing is in flight: the next answers come without a queue.
    pub fn forget_base(&self) {
        self.known().base = None;
    }

    /// Remembers a limit under which answers came in time.
    pub fn remember(&self, limit: usize, now: Instant) {
        let mut known = self.known();
        if known.capacity_at(now).is_none_or(|widest| widest <= limit) {
            known.capacity = Some((limit, now));
        }
    }

    /// Remembers a limit that was lowered because answers came too late.
    pub fn lower(&self, limit: usize, now: Instant) {
        self.known().capacity = Some((limit, now));
    }

    /// The widest limit that is remembered.
    pub fn capacity(&self, now: Instant) -> Option<usize> {
        self.known().capacity_at(now)
    }

    fn known(&self) -> MutexGuard<'_, KnownOrigin> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownOrigin {
    fn is_base_old(&self, now: Instant) -> bool {
        now - self.base_met_at >= BASE_MEMORY
    }

    fn capacity_at(&self, now: Instant) -> Option<usize> {
        let (limit, at) = self.capacity?;
        (now - at < CAPACITY_MEMORY).then_some(limit)
    }
}

fn queue_of(rtt: Duration, base: Duration) -> Queue {
    if rtt > base * 2 + LONG {
        Queue::Long
    } else if rtt > base * 3 / 2 + STANDING {
        Queue::Standing
    } else {
        Queue::Short
    }
}
