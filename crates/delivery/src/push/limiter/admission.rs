//! Who may start a request or wait for a permit, and when those who may not come back.

use std::time::Duration;

use tokio::time::Instant;

use super::turn_queue::{TurnQueue, share};
use crate::push::response::MAX_PUSH_RETRY_AFTER;

/// How long new requests fail while nobody is answered: long enough to settle many pages, short enough to find out soon when
/// it is over.
const UNRESPONSIVE_PERIOD: Duration = Duration::from_secs(1);
/// How long unresponsiveness is remembered at all.
const UNRESPONSIVE_MEMORY: Duration = Duration::from_mins(1);
/// Requests that may wait while the pace of the answers is not known: so many times the ceiling, and a page at least.
const WAITING_PER_CEILING: usize = 2;
const MIN_WAITING: usize = 512;
/// How long every window has to show a queue before the pace of the answers decides how many wait.
const BUSY_PERIOD: Duration = Duration::from_secs(1);
/// How long somebody who is rejected stays away at least, counted from the end of a pause.
pub const MIN_WAIT: Duration = Duration::from_millis(500);
/// The longest wait before the turn of somebody who is rejected: by then the push service may have recovered.
pub const MAX_WAIT: Duration = Duration::from_mins(1);
/// The same from the end of a pause, in pauses: a push service that names a long one says itself when it has recovered, and one that wanted
/// a second takes everything again soon.
const MAX_WAIT_PAUSES: u32 = 5;
/// The most that this may come to; the least is the wait without a pause.
pub const MAX_WAIT_AFTER_PAUSE: Duration = Duration::from_mins(5);
/// How long before its turn somebody who was rejected comes back, to wait for a permit rather than to leave one unused.
pub const EARLY: Duration = Duration::from_secs(1);

/// Why a request was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The push service throttles the app (its limiter is paused), or too many wait for it: not worth another look before this time. The
    /// recipient is then deferred (`PushOutcome::Deferred`).
    #[error("the push service is to be left alone for {0:?}")]
    Paused(Duration),
    /// The latest requests got no response.
    #[error("the push service answers nobody")]
    Unresponsive,
}

/// Whether an origin takes requests, and those who wait or were rejected.
pub struct Admission {
    permit_timeout: Duration,
    /// Requests that wait for a permit.
    pub waiting: usize,
    /// How many requests may wait for a permit before others are rejected.
    max_waiting: usize,
    /// Since when every window has shown a queue at the push service.
    busy_since: Option<Instant>,
    paused_until: Instant,
    /// The length of the latest pause.
    pause: Duration,
    /// When the latest window without any response ended; None once a window had one.
    unresponsive_at: Option<Instant>,
    /// How many windows without any response there were.
    pub unresponsive_windows: u64,
    turn_queue: TurnQueue,
}

impl Admission {
    /// To an origin that nothing is known of.
    pub fn new(permit_timeout: Duration, now: Instant) -> Self {
        Self {
            permit_timeout,
            waiting: 0,
            max_waiting: 0,
            busy_since: None,
            paused_until: now,
            pause: Duration::ZERO,
            unresponsive_at: None,
            unresponsive_windows: 0,
            turn_queue: TurnQueue::new(now),
        }
    }

    /// Whether a request that comes now may start, or wait for a permit.
    pub fn admit(&self, has_free_permit: bool, now: Instant) -> Result<(), Rejected> {
        if self.paused_until > now {
            return Err(self.reject(now));
        }
        if has_free_permit {
            return Ok(());
        }
        if self.is_unresponsive(now) {
            return Err(Rejected::Unresponsive);
        }
        if self.waiting >= self.max_waiting {
            return Err(self.reject(now));
        }
        Ok(())
    }

    /// Whether nothing is admitted: the origin is paused, or answers nobody.
    pub fn is_closed(&self, now: Instant) -> bool {
        self.paused_until > now || self.is_unresponsive(now)
    }

    fn is_unresponsive(&self, now: Instant) -> bool {
        let since = self.unresponsive_at.map(|at| now - at);
        since.is_some_and(|since| since < UNRESPONSIVE_PERIOD)
    }

    /// Whether somebody may go on waiting who began when `unresponsive_windows` windows had passed without a response.
    pub fn check_open(&self, unresponsive_windows: u64, now: Instant) -> Result<(), Rejected> {
        if self.paused_until > now {
            return Err(self.reject(now));
        }
        if self.unresponsive_windows == unresponsive_windows {
            Ok(())
        } else {
            Err(Rejected::Unresponsive)
        }
    }

    /// Rejects a request. When its turn comes is known once all of its page are [counted](Self::reserve).
    pub fn reject(&self, now: Instant) -> Rejected {
        Rejected::Paused(self.paused_until.saturating_duration_since(now))
    }

    /// How long so many rejected requests, which come back together, are to stay away: behind those that wait and those that were
    /// rejected before, a full limit per pause, or at the pace of the answers when there is none. If all came back at once,
    /// most would be rejected again.
    pub fn reserve(&mut self, count: usize, limit: usize, now: Instant) -> Duration {
        let (step, longest) = if self.paused_until > now {
            (share(self.pause, limit), self.longest_wait_after_pause())
        } else {
            (self.turn_queue.step(limit), MAX_WAIT)
        };
        let times = |count: usize| step.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        let open = self.paused_until.max(now);
        let first = open + times(self.waiting).min(self.permit_timeout);
        let length = times(count).min(longest);
        let turn = self.turn_queue.reserve(length, first, open + longest);
        let early = turn.checked_sub(EARLY).unwrap_or(turn);
        early.max(open + MIN_WAIT) - now
    }

    fn longest_wait_after_pause(&self) -> Duration {
        (self.pause * MAX_WAIT_PAUSES).clamp(MAX_WAIT, MAX_WAIT_AFTER_PAUSE)
    }

    /// Leaves the origin alone for as long as it asks for, up to an hour, and tells whether that is any time at all.
    pub fn pause(&mut self, retry_after: Duration, now: Instant) -> bool {
        self.pause = retry_after.min(MAX_PUSH_RETRY_AFTER);
        self.paused_until = now + self.pause;
        !self.pause.is_zero()
    }

    /// Takes note that nobody was answered.
    pub fn mark_unresponsive(&mut self, now: Instant) {
        self.unresponsive_at = Some(now);
        self.unresponsive_windows += 1;
    }

    /// Takes note that some were answered, and whether requests queue at the push service.
    pub fn mark_responsive(&mut self, is_busy: bool, now: Instant) {
        self.unresponsive_at = None;
        let busy_since = *self.busy_since.get_or_insert(now);
        self.busy_since = is_busy.then_some(busy_since);
    }

    /// Learns the pace of the answers: `limit` in each round trip.
    pub fn learn_pace(&mut self, rtt: Duration, limit: usize) {
        self.turn_queue.learn(rtt, limit);
    }

    /// Forgets that requests queued.
    pub fn forget_queue(&mut self) {
        self.busy_since = None;
    }

    /// Decides how many may wait where `limit` are admitted and never more than `ceiling`: as many as will get a permit in time. That
    /// is known at the ceiling, or when the push service has been busy for a while; before, the limit may be about to double.
    pub fn update_max_waiting(&mut self, limit: usize, ceiling: usize, now: Instant) {
        let widest = (ceiling * WAITING_PER_CEILING).max(MIN_WAITING);
        let is_busy = self.busy_since.is_some_and(|at| now - at >= BUSY_PERIOD);
        self.max_waiting = match self.turn_queue.capacity_within(self.permit_timeout) {
            Some(in_time) if is_busy || limit == ceiling => in_time.clamp(1, widest),
            _ => widest,
        };
    }

    /// Whether nobody waits, and a new one would do the same.
    pub fn is_forgettable(&self, now: Instant) -> bool {
        let was_responsive = self
            .unresponsive_at
            .is_none_or(|at| now - at >= UNRESPONSIVE_MEMORY);
        self.waiting == 0 && self.paused_until <= now && was_responsive
    }
}
