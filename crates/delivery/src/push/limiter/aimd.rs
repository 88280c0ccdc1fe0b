//! How many requests a limiter admits: additive increase and multiplicative decrease, by windows of responses.
//!
//! A window in which at least half were throttled halves the limit and pauses the limiter for as long as was asked for; one in
//! which nobody was answered leaves an eighth; any other adds. Among the linear rules this is the one by which senders that
//! know nothing of each other come to share a service fairly and use all of it (Chiu and Jain, *Analysis of the Increase
//! and Decrease Algorithms for Congestion Avoidance in Computer Networks*, 1989). As TCP does, a small limit grows faster: it at most
//! doubles in a round (slow start, RFC 5681 §3.1), so that a long recovery is not one step per round trip.
//!
//! Responses arrive a round trip late: after a change, those still under way tell of the limit from before, and counting them would
//! punish one overload several times. So each decrease begins a new generation, and feedback of older ones is not counted.
//!
//! This file is arithmetic on a clock that is passed in; permits and waiting are the limiter's.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::time::Instant;

use super::window::{Feedback, Window};
use crate::push::response::MAX_PUSH_RETRY_AFTER;

/// Responses of a window, when as many may be in flight: few enough to react before much harm is done.
const WINDOW: usize = 32;
/// The share of the ceiling that is added per round, after a round trip of a full limit: 48 of 3,072.
const STEPS: usize = 64;
/// What the limit is divided by when nobody is answered: silence costs each request its whole time-out, so few are to try.
const UNRESPONSIVE_DIVISOR: usize = 8;
/// How long new requests fail while nobody is answered: long enough to settle many pages, short enough to find out soon when
/// it is over.
const UNRESPONSIVE_PERIOD: Duration = Duration::from_secs(1);
/// How long unresponsiveness is remembered at all.
const UNRESPONSIVE_MEMORY: Duration = Duration::from_mins(1);
/// How long a limiter that was shrunk is remembered: longer than the second wait before a retry.
const SHRINK_MEMORY: Duration = Duration::from_mins(10);
/// Requests that may wait, however few may be in flight: a page.
const MAX_WAITING: usize = 512;
/// The shortest and the longest delay of a rejected request while there is no pause.
const REJECT_DELAY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_mins(5));
/// How long a request is taken to need while nothing else is known.
const ASSUMED_RTT: Duration = Duration::from_millis(100);

/// Why a request was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The push service throttles the app (its limiter is paused, or too many wait for it): worth another look after this time. The
    /// recipient is then deferred (`PushOutcome::Deferred`).
    #[error("the push service is to be left alone for {0:?}")]
    Paused(Duration),
    /// The latest requests got no response.
    #[error("the push service answers nobody")]
    Unresponsive,
}

/// The state of a limiter: its limit, and what it has learnt of its origin.
pub struct AimdState {
    ceiling: usize,
    pub limit: usize,
    /// Permits beyond the limit that requests in flight still hold; each is taken away when it is released.
    deferred_shrink: usize,
    in_flight: usize,
    /// Requests that wait for a permit.
    pub waiting: usize,
    generation: u64,
    window: Window,
    paused_until: Instant,
    /// The length of the latest pause.
    pause: Duration,
    /// When the limit was shrunk last.
    shrunk_at: Option<Instant>,
    /// When the latest window without any response ended; None once a window had one.
    unresponsive_at: Option<Instant>,
    /// How many windows without any response there were.
    pub unresponsive_windows: u64,
    /// The time up to which rejected requests were told to come back: the end of their line.
    reserved_until: Instant,
}

impl AimdState {
    /// A limiter that starts at its ceiling, because push services do not announce a limit and most have none that a sender
    /// reaches. A lower one is found when responses ask for it.
    pub fn new(ceiling: usize, now: Instant) -> Self {
        Self {
            ceiling,
            limit: ceiling,
            deferred_shrink: 0,
            in_flight: 0,
            waiting: 0,
            generation: 0,
            window: Window::default(),
            paused_until: now,
            pause: Duration::ZERO,
            shrunk_at: None,
            unresponsive_at: None,
            unresponsive_windows: 0,
            reserved_until: now,
        }
    }

    /// Admits at most `ceiling` requests from now on; a limit that is below it grows to it step by step.
    pub fn set_ceiling(&mut self, ceiling: usize) {
        self.ceiling = ceiling;
        self.limit = self.limit.min(ceiling);
    }

    /// Whether a request that comes now may start, or wait for a permit.
    pub fn admit(&mut self, has_free_permit: bool, now: Instant) -> Result<(), Rejected> {
        if self.paused_until > now {
            return Err(self.reject(now));
        }
        if has_free_permit {
            return Ok(());
        }
        if self
            .unresponsive_at
            .is_some_and(|at| now - at < UNRESPONSIVE_PERIOD)
        {
            return Err(Rejected::Unresponsive);
        }
        if self.waiting >= self.limit.max(MAX_WAITING) {
            return Err(self.reject(now));
        }
        Ok(())
    }

    /// Whether somebody may go on waiting who began when `unresponsive_windows` windows had passed without a response.
    pub fn check_open(&mut self, unresponsive_windows: u64, now: Instant) -> Result<(), Rejected> {
        if self.paused_until > now {
            return Err(self.reject(now));
        }
        if self.unresponsive_windows == unresponsive_windows {
            Ok(())
        } else {
            Err(Rejected::Unresponsive)
        }
    }

    /// Rejects a request, and tells it when a permit may be free for it: behind those that were rejected before, each a
    /// [`Self::step`] after the other. If all came back at once when the pause ends, most would be rejected again.
    pub fn reject(&mut self, now: Instant) -> Rejected {
        let open = self.paused_until.max(now);
        let first = open + REJECT_DELAY.0;
        let last = open + REJECT_DELAY.1;
        self.reserved_until = (self.reserved_until.max(first) + self.step(open > now)).min(last);
        Rejected::Paused(self.reserved_until - now)
    }

    /// The time between two who come back, so that a limit of them comes per pause, or per round trip when there is none.
    fn step(&self, is_paused: bool) -> Duration {
        let span = if is_paused { self.pause } else { ASSUMED_RTT };
        span.max(ASSUMED_RTT) / u32::try_from(self.limit).unwrap_or(u32::MAX)
    }

    /// Starts a request and returns its generation.
    pub fn start(&mut self) -> u64 {
        self.in_flight += 1;
        self.generation
    }

    /// Ends a request, and tells whether its permit is one of those to be taken away.
    pub fn finish(&mut self) -> bool {
        self.in_flight -= 1;
        let is_shrinking = self.deferred_shrink > 0;
        self.deferred_shrink -= usize::from(is_shrinking);
        is_shrinking
    }

    /// Has so many permits taken away as requests release them: a permit in use cannot be taken at once.
    pub fn defer_shrink(&mut self, permits: usize) {
        self.deferred_shrink += permits;
    }

    /// Sets permits whose removal is still due off against `permits` new ones, and returns how many new ones remain.
    pub fn settle_shrink(&mut self, permits: usize) -> usize {
        let paid = self.deferred_shrink.min(permits);
        self.deferred_shrink -= paid;
        permits - paid
    }

    /// Whether a new limiter would do the same: idle, open, and as wide as at the start or shrunk too long ago to matter.
    pub fn is_forgettable(&self, now: Instant) -> bool {
        let is_long_ago = |at: Option<Instant>, memory| at.is_none_or(|at| now - at >= memory);
        let idle = self.in_flight == 0 && self.waiting == 0;
        let open =
            self.paused_until <= now && is_long_ago(self.unresponsive_at, UNRESPONSIVE_MEMORY);
        let wide = self.limit == self.ceiling || is_long_ago(self.shrunk_at, SHRINK_MEMORY);
        idle && open && wide
    }

    /// Records feedback of a request of `generation`, and tells whether those who wait are to be rejected or look again.
    pub fn record(&mut self, feedback: Feedback, generation: u64, now: Instant) -> bool {
        if generation != self.generation || !self.window.add(feedback) {
            return false;
        }
        if self.window.responses < self.limit.min(WINDOW) {
            return false;
        }
        self.close_window(now)
    }

    fn close_window(&mut self, now: Instant) -> bool {
        let window = std::mem::take(&mut self.window);
        if window.is_throttled() {
            self.shrink(2, now);
            self.pause = window.retry_after.min(MAX_PUSH_RETRY_AFTER);
            self.paused_until = now + self.pause;
            return !self.pause.is_zero();
        }
        if window.is_unanswered() {
            self.shrink(UNRESPONSIVE_DIVISOR, now);
            self.unresponsive_at = Some(now);
            self.unresponsive_windows += 1;
            return true;
        }
        self.unresponsive_at = None;
        self.grow(window.responses);
        false
    }

    fn shrink(&mut self, divisor: usize, now: Instant) {
        self.shrunk_at = Some(now);
        self.limit = (self.limit / divisor).max(1);
        self.generation += 1;
    }

    /// A round is as many responses as the limit, and a window is a part of it, so it adds that part of a step.
    fn grow(&mut self, responses: usize) {
        let step = (self.ceiling / STEPS).max(1) * responses / self.limit;
        self.limit = (self.limit + step.clamp(1, self.limit)).min(self.ceiling);
    }
}
