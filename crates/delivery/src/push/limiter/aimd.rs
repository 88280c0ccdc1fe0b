//! AIMD: how many requests a limiter admits, window by window of responses.
//!
//! A window in which at least half were throttled halves the limit, and pauses the limiter for as long as was asked for; one in
//! which nobody was answered leaves an eighth; any other adds (RFC 5681 §3.1 in spirit: double while small, then a step).
//! Requests that were sent before a change say nothing about what came of it, so each change begins a new generation and
//! feedback of older ones is not counted.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::time::Instant;

use super::{Feedback, Rejected};

/// Responses of a window, when as many may be in flight: few enough to react before much harm is done.
const WINDOW: usize = 32;
/// How many windows of a full limiter lie between empty and full.
const STEPS: usize = 64;
/// What is left of the limit when nobody is answered.
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
/// The longest that a push service may ask to be left alone (CONTRACT 7).
const MAX_PAUSE: Duration = Duration::from_hours(1);
/// The shortest and the longest delay of a rejected request while there is no pause.
const REJECT_DELAY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_mins(5));
/// How long a request is taken to need while nothing else is known.
const ASSUMED_RTT: Duration = Duration::from_millis(100);

/// The state of a limiter.
pub struct AimdState {
    ceiling: usize,
    limit: usize,
    /// Permits to be taken away when they are released.
    deferred_shrink: usize,
    in_flight: usize,
    /// Those who wait.
    pub waiting: usize,
    generation: u64,
    window: Window,
    paused_until: Instant,
    /// The length of the latest pause.
    pause: Duration,
    /// When the limit was shrunk last.
    shrunk_at: Option<Instant>,
    /// When somebody got no answer last, while nobody gets one.
    unresponsive_at: Option<Instant>,
    /// How many windows passed without an answer.
    unresponsive_windows: u64,
    /// Until when rejected requests fill the time.
    reserved_until: Instant,
}

#[derive(Default)]
struct Window {
    responses: usize,
    throttled: usize,
    unanswered: usize,
    retry_after: Duration,
}

impl AimdState {
    /// As many as `ceiling` may be in flight.
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

    /// How many may be in flight.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// At most so many from now on; a higher ceiling is reached step by step.
    pub fn set_ceiling(&mut self, ceiling: usize) {
        self.ceiling = ceiling;
        self.limit = self.limit.min(ceiling);
    }

    /// Whether a request that comes now may start, or wait.
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

    /// How many windows passed without an answer.
    pub fn unresponsive_windows(&self) -> u64 {
        self.unresponsive_windows
    }

    /// Whether somebody may go on waiting who began when `unresponsive_windows` windows had passed without an answer.
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

    /// Rejects a request until a permit may be free, behind those that were rejected before.
    pub fn reject(&mut self, now: Instant) -> Rejected {
        let open = self.paused_until.max(now);
        let first = open + REJECT_DELAY.0;
        let last = open + REJECT_DELAY.1;
        self.reserved_until = (self.reserved_until.max(first) + self.step(open > now)).min(last);
        Rejected::Throttled(self.reserved_until - now)
    }

    /// The share of one in the time that a full limiter needs: a pause and what follows it, or a round trip.
    fn step(&self, is_paused: bool) -> Duration {
        let span = if is_paused { self.pause } else { ASSUMED_RTT };
        span.max(ASSUMED_RTT) / u32::try_from(self.limit).unwrap_or(u32::MAX)
    }

    /// Starts a request, and says which generation it is of.
    pub fn start(&mut self) -> u64 {
        self.in_flight += 1;
        self.generation
    }

    /// Ends a request, and says whether its permit goes as well.
    pub fn finish(&mut self) -> bool {
        self.in_flight -= 1;
        let is_shrinking = self.deferred_shrink > 0;
        self.deferred_shrink -= usize::from(is_shrinking);
        is_shrinking
    }

    /// Defers the removal of permits that are taken.
    pub fn defer_shrink(&mut self, permits: usize) {
        self.deferred_shrink += permits;
    }

    /// Keeps of the new permits those whose removal was deferred, and returns how many are left.
    pub fn settle_shrink(&mut self, permits: usize) -> usize {
        let paid = self.deferred_shrink.min(permits);
        self.deferred_shrink -= paid;
        permits - paid
    }

    /// Whether a new limiter would do the same.
    pub fn is_forgettable(&self, now: Instant) -> bool {
        let is_long_ago = |at: Option<Instant>, memory| at.is_none_or(|at| now - at >= memory);
        let idle = self.in_flight == 0 && self.waiting == 0;
        let open =
            self.paused_until <= now && is_long_ago(self.unresponsive_at, UNRESPONSIVE_MEMORY);
        let wide = self.limit == self.ceiling || is_long_ago(self.shrunk_at, SHRINK_MEMORY);
        idle && open && wide
    }

    /// Records feedback, and says whether those who wait should hear of it.
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
        if window.throttled * 2 >= window.responses {
            self.shrink(2, now);
            self.pause = window.retry_after.min(MAX_PAUSE);
            self.paused_until = now + self.pause;
            return !self.pause.is_zero();
        }
        if window.unanswered == window.responses {
            self.shrink(UNRESPONSIVE_DIVISOR, now);
            self.unresponsive_at = Some(now);
            self.unresponsive_windows += 1;
            return true;
        }
        self.unresponsive_at = None;
        self.grow(window.responses);
        false
    }

    fn shrink(&mut self, share: usize, now: Instant) {
        self.shrunk_at = Some(now);
        self.limit = (self.limit / share).max(1);
        self.generation += 1;
    }

    fn grow(&mut self, answers: usize) {
        let step = (self.ceiling / STEPS).max(1) * answers / self.limit;
        self.limit = (self.limit + step.clamp(1, self.limit)).min(self.ceiling);
    }
}

impl Window {
    /// Counts feedback, if it says anything.
    fn add(&mut self, feedback: Feedback) -> bool {
        match feedback {
            Feedback::Answered => {}
            Feedback::Throttled(retry_after) => {
                self.throttled += 1;
                self.retry_after = self.retry_after.max(retry_after.unwrap_or_default());
            }
            Feedback::Unanswered => self.unanswered += 1,
            Feedback::Unclear => return false,
        }
        self.responses += 1;
        true
    }
}
