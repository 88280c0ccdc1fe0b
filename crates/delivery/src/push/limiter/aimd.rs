//! How many requests a limiter admits: slow start, a queue that is kept short, and multiplicative decrease, by windows of responses.
//!
//! Nobody tells a sender how much a push service takes, and one that takes little accepts all the same: what is too much waits there,
//! is given up here after 10 s, and is delivered and sent again nevertheless. So a limiter begins with few, and doubles them in
//! each round trip (slow start: Jacobson, *Congestion Avoidance and Control*, 1988; RFC 5681 §3.1) for as long as answers
//! take no longer than they did. As in TCP Vegas (Brakmo, O'Malley and Peterson, *New Techniques for Congestion Detection and
//! Avoidance*, 1994) there are two bounds above the shortest round trip: beyond the first, more requests would only wait, and the limit
//! stays; beyond the second it is halved. A time-out is lost traffic and halves it as well, as a 429 does. After that it grows by steps:
//! additive increase and multiplicative decrease are how senders that know nothing of each other come to share a service fairly
//! (Chiu and Jain, *Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in Computer Networks*, 1989).
//!
//! The shortest round trip is believed for half a minute; then, for a round trip, so few are in flight that they find out whether the
//! way has become longer or they stood in their own queue (`ProbeRTT`: Cardwell and others, *BBR: Congestion-Based Congestion
//! Control*, 2016).
//!
//! Responses arrive a round trip late: after a change, those still under way tell of the limit from before, and counting them would
//! punish one overload several times. So each decrease begins a new generation, and feedback of older ones is not counted.
//!
//! This file is arithmetic on a clock that is passed in; permits and waiting are the limiter's.

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::admission::Admission;
use super::origin_memory::{CAPACITY_MEMORY, MAX_BASE, OriginMemory, Queue};
use super::window::{Feedback, Window};

/// Responses of a window, when as many may be in flight: few enough to react before much harm is done.
const WINDOW: usize = 32;
/// Answers of which the mean tells a queue from chance, and so few that they make no queue of their own that matters.
const MIN_SAMPLES: usize = 16;
/// The share of the ceiling that is added per round, after a round trip of a full limit: 48 of 3,072.
const STEPS: usize = 64;
/// What the limit is divided by when nobody is answered: silence costs each request its whole time-out, so few are to try.
const UNRESPONSIVE_DIVISOR: usize = 8;
/// How long a limiter that was shrunk is remembered: longer than the second wait before a retry.
const SHRINK_MEMORY: Duration = Duration::from_mins(10);
/// With how many requests a limiter begins, how far it may grow, and for how long one waits for a permit.
#[derive(Clone, Copy, Debug)]
pub struct LimiterBounds {
    /// How many requests are admitted at an origin that nothing is known of.
    pub initial: usize,
    /// How many are admitted at most.
    pub ceiling: usize,
    /// How long a request waits for a permit.
    pub permit_timeout: Duration,
}

/// The state of a limiter: its limit, and what it has learnt of its origin.
pub struct AimdState {
    bounds: LimiterBounds,
    origin: Arc<OriginMemory>,
    pub limit: usize,
    /// Below this it grows by doubling: the limit after the last halving.
    threshold: usize,
    /// The limit to return to, while few requests find out the shortest round trip.
    probing_from: Option<usize>,
    /// Permits beyond the limit that requests in flight still hold; each is taken away when it is released.
    deferred_shrink: usize,
    in_flight: usize,
    /// The most that were in flight since the latest window.
    peak: usize,
    generation: u64,
    window: Window,
    /// When the latest window ended.
    learnt_at: Instant,
    /// When the limit was shrunk last.
    shrunk_at: Option<Instant>,
    pub admission: Admission,
}

impl AimdState {
    /// A limiter of an origin that others may know already.
    pub fn new(bounds: LimiterBounds, origin: Arc<OriginMemory>, now: Instant) -> Self {
        let mut state = Self {
            bounds,
            origin,
            limit: bounds.ceiling,
            threshold: usize::MAX,
            probing_from: None,
            deferred_shrink: 0,
            in_flight: 0,
            peak: 0,
            generation: 0,
            window: Window::default(),
            learnt_at: now,
            shrunk_at: None,
            admission: Admission::new(bounds.permit_timeout, now),
        };
        state.limit = state.initial_limit(now);
        state.update_max_waiting(now);
        state
    }

    /// How many are admitted at first: half of what another app's limiter has reached just now, if that is more.
    fn initial_limit(&self, now: Instant) -> usize {
        let learnt = self.origin.capacity(now).unwrap_or(0) / 2;
        learnt.max(self.bounds.initial).min(self.bounds.ceiling)
    }

    /// Takes note of a page that begins, while nothing is in flight to the origin if `is_origin_idle`. At most `ceiling` requests are
    /// admitted from now on; a limit that is below it grows to it. What was reached long ago has to be reached again, for the
    /// origin may take less by now (RFC 5681 §4.1).
    pub fn begin_page(&mut self, ceiling: usize, is_origin_idle: bool, now: Instant) {
        if is_origin_idle {
            self.origin.forget_base();
        }
        self.bounds.ceiling = ceiling;
        self.limit = self.limit.min(ceiling);
        if self.is_idle() && now - self.learnt_at >= CAPACITY_MEMORY {
            self.limit = self.limit.min(self.initial_limit(now));
            self.probing_from = None;
            self.admission.forget_queue();
        }
        self.update_max_waiting(now);
    }

    fn update_max_waiting(&mut self, now: Instant) {
        let (limit, ceiling) = (self.limit, self.bounds.ceiling);
        self.admission.update_max_waiting(limit, ceiling, now);
    }

    /// Starts a request and returns its generation.
    pub fn start(&mut self) -> u64 {
        self.in_flight += 1;
        self.peak = self.peak.max(self.in_flight);
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

    /// Whether a new limiter would do the same: idle, open, and neither wider than at the start nor shrunk so short a time ago
    /// that it matters.
    pub fn is_forgettable(&self, now: Instant) -> bool {
        let initial = self.bounds.initial.min(self.bounds.ceiling);
        let is_wide = self.limit > initial && now - self.learnt_at < CAPACITY_MEMORY;
        let was_shrunk = self.shrunk_at.is_some_and(|at| now - at < SHRINK_MEMORY);
        let is_narrow = self.limit < initial && was_shrunk;
        self.in_flight == 0 && self.admission.is_forgettable(now) && !is_wide && !is_narrow
    }

    fn is_idle(&self) -> bool {
        self.in_flight == 0 && self.admission.waiting == 0
    }

    /// Records feedback of a request of `generation`, and tells whether those who wait are to be rejected or look again.
    pub fn record(&mut self, feedback: Feedback, generation: u64, now: Instant) -> bool {
        if generation != self.generation || !self.window.add(feedback) {
            return false;
        }
        if self.window.responses < self.limit.min(WINDOW) {
            return false;
        }
        let window = std::mem::take(&mut self.window);
        if let (Some(rtt), None) = (window.mean_rtt(), self.probing_from) {
            self.admission.learn_pace(rtt, self.limit);
        }
        self.learnt_at = now;
        let has_closed = self.learn(&window, now);
        self.update_max_waiting(now);
        self.peak = self.in_flight;
        has_closed
    }

    fn learn(&mut self, window: &Window, now: Instant) -> bool {
        if window.is_throttled() {
            self.shrink(2, now);
            return self.admission.pause(window.retry_after, now);
        }
        if window.is_unanswered() {
            self.shrink(UNRESPONSIVE_DIVISOR, now);
            self.origin.lower(self.limit, now);
            self.admission.mark_unresponsive(now);
            return true;
        }
        let queue = self.queue(window, now);
        let is_busy = queue != Queue::Short;
        self.admission.mark_responsive(is_busy, now);
        self.follow(queue, window.answered(), now);
        false
    }

    fn follow(&mut self, queue: Queue, answered: usize, now: Instant) {
        match queue {
            Queue::Long => {
                self.shrink(2, now);
                self.origin.lower(self.limit, now);
            }
            Queue::Unknown => self.probe(),
            Queue::Standing if self.has_its_share(now) => {}
            Queue::Standing | Queue::Short => self.grow(answered),
        }
        self.origin.remember(self.limit, now);
    }

    fn queue(&mut self, window: &Window, now: Instant) -> Queue {
        if window.is_lossy() {
            return Queue::Long;
        }
        match window.mean_rtt() {
            Some(rtt) if window.answered() >= MIN_SAMPLES => self.judge(rtt, now),
            Some(rtt) if self.limit < MIN_SAMPLES && rtt <= MAX_BASE * 2 => Queue::Short,
            _ => Queue::Standing,
        }
    }

    /// Judges a window, or measures the base by it and returns to the limit from before.
    fn judge(&mut self, rtt: Duration, now: Instant) -> Queue {
        let Some(limit) = self.probing_from.take() else {
            return self.origin.judge(rtt, now);
        };
        if self.origin.measure(rtt, now) {
            self.threshold = usize::MAX;
        }
        self.limit = limit.min(self.bounds.ceiling);
        self.generation += 1;
        Queue::Standing
    }

    /// Has so few requests in flight for a round trip that they make no queue.
    fn probe(&mut self) {
        self.probing_from = Some(self.limit);
        self.limit = self.limit.min(MIN_SAMPLES);
        self.generation += 1;
    }

    /// Whether no other app has more than twice as many. One that has may not keep the others small by a queue of its own.
    fn has_its_share(&self, now: Instant) -> bool {
        self.limit >= self.origin.capacity(now).unwrap_or(0) / 2
    }

    fn shrink(&mut self, divisor: usize, now: Instant) {
        self.shrunk_at = Some(now);
        self.limit = (self.limit / divisor).max(1);
        self.threshold = self.limit;
        self.probing_from = None;
        self.generation += 1;
    }

    /// A round is as many answers as the limit, and a window is a part of it, so it adds that part of a doubling or of a step. A
    /// limit that is not used up tells nothing of a wider one.
    fn grow(&mut self, answered: usize) {
        if self.peak * 2 < self.limit {
            return;
        }
        let step = if self.limit < self.threshold {
            answered
        } else {
            (self.bounds.ceiling / STEPS).max(1) * answered / self.limit
        };
        self.limit = (self.limit + step.clamp(1, self.limit)).min(self.bounds.ceiling);
    }
}
