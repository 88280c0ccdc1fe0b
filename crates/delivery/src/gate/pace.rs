//! How many may be inside a gate, window by window of answers.
//!
//! A window in which at least half were throttled halves the limit, and closes the gate for as long as was asked for; one in
//! which nobody was answered leaves an eighth; any other adds (RFC 5681 §3.1 in spirit: double while small, then a step).
//! Requests that were sent before a change say nothing about what came of it, so each change begins a new generation and
//! reports of older ones are not counted.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::time::Instant;

use super::{Closed, Report};

/// Answers of a window, when as many may be inside: few enough to react before much harm is done.
const WINDOW: usize = 32;
/// How many windows of a full gate lie between empty and full.
const STEPS: usize = 64;
/// What is left of the limit when nobody is answered.
const SILENT_SHARE: usize = 8;
/// How long a silence is the fate of those who come: long enough to settle many pages, short enough to find out soon when
/// it is over.
const FRESH: Duration = Duration::from_secs(1);
/// How long a silence is remembered at all.
const MEMORY: Duration = Duration::from_mins(1);
/// How long a gate that was narrowed is remembered: longer than the second wait before a retry.
const NARROW_MEMORY: Duration = Duration::from_mins(10);
/// Those who may wait in front of a gate, however few may be inside: a page.
const ROOM: usize = 512;
/// The longest that a push service may ask to be left alone (CONTRACT 7).
const LONGEST_PAUSE: Duration = Duration::from_hours(1);
/// The shortest and the longest time that somebody is put off while the gate is open.
const PUT_OFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_mins(5));
/// How long those inside are taken to need while nothing else is known.
const ROUND: Duration = Duration::from_millis(100);

/// The state of a gate.
pub struct Pace {
    ceiling: usize,
    limit: usize,
    /// Places to be taken away when they are left.
    owed: usize,
    inside: usize,
    /// Those who wait.
    pub waiting: usize,
    generation: u64,
    window: Window,
    paused_until: Instant,
    /// The length of the latest pause.
    pause: Duration,
    /// When the gate was narrowed last.
    narrowed_at: Option<Instant>,
    /// When somebody got no answer last, while nobody gets one.
    silent_at: Option<Instant>,
    /// How many windows passed without an answer.
    silences: u64,
    /// Until when those who were put off fill the time.
    booked_until: Instant,
}

#[derive(Default)]
struct Window {
    reports: usize,
    throttled: usize,
    unanswered: usize,
    asked: Duration,
}

impl Pace {
    /// As many as `ceiling` may be inside.
    pub fn new(ceiling: usize, now: Instant) -> Self {
        Self {
            ceiling,
            limit: ceiling,
            owed: 0,
            inside: 0,
            waiting: 0,
            generation: 0,
            window: Window::default(),
            paused_until: now,
            pause: Duration::ZERO,
            narrowed_at: None,
            silent_at: None,
            silences: 0,
            booked_until: now,
        }
    }

    /// How many may be inside.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// At most so many from now on; a higher ceiling is reached step by step.
    pub fn set_ceiling(&mut self, ceiling: usize) {
        self.ceiling = ceiling;
        self.limit = self.limit.min(ceiling);
    }

    /// Whether somebody who comes now may enter, or wait.
    pub fn admit(&mut self, has_free_place: bool, now: Instant) -> Result<(), Closed> {
        if self.paused_until > now {
            return Err(self.put_off(now));
        }
        if has_free_place {
            return Ok(());
        }
        if self.silent_at.is_some_and(|at| now - at < FRESH) {
            return Err(Closed::Silent);
        }
        if self.waiting >= self.limit.max(ROOM) {
            return Err(self.put_off(now));
        }
        Ok(())
    }

    /// How many windows passed without an answer.
    pub fn silences(&self) -> u64 {
        self.silences
    }

    /// Whether somebody may go on waiting who began when `silences` windows had passed without an answer.
    pub fn check_open(&mut self, silences: u64, now: Instant) -> Result<(), Closed> {
        if self.paused_until > now {
            return Err(self.put_off(now));
        }
        if self.silences == silences {
            Ok(())
        } else {
            Err(Closed::Silent)
        }
    }

    /// Puts somebody off, behind those who were put off before, to when a place may be free.
    pub fn put_off(&mut self, now: Instant) -> Closed {
        let open = self.paused_until.max(now);
        let first = open + PUT_OFF.0;
        let last = open + PUT_OFF.1;
        self.booked_until = (self.booked_until.max(first) + self.step(open > now)).min(last);
        Closed::Busy(self.booked_until - now)
    }

    /// The share of one in the time that a full gate needs: a pause and what follows it, or a round.
    fn step(&self, is_paused: bool) -> Duration {
        let round = if is_paused { self.pause } else { ROUND };
        round.max(ROUND) / u32::try_from(self.limit).unwrap_or(u32::MAX)
    }

    /// Lets somebody in, and says which generation that is.
    pub fn let_in(&mut self) -> u64 {
        self.inside += 1;
        self.generation
    }

    /// Lets somebody out, and says whether the place goes as well.
    pub fn let_out(&mut self) -> bool {
        self.inside -= 1;
        let is_owed = self.owed > 0;
        self.owed -= usize::from(is_owed);
        is_owed
    }

    /// Owes places that are taken.
    pub fn owe(&mut self, places: usize) {
        self.owed += places;
    }

    /// Keeps of the new places those that are owed, and returns how many are left.
    pub fn pay_back(&mut self, places: usize) -> usize {
        let paid = self.owed.min(places);
        self.owed -= paid;
        places - paid
    }

    /// Whether a new gate would do the same.
    pub fn is_forgettable(&self, now: Instant) -> bool {
        let is_long_ago = |at: Option<Instant>, memory| at.is_none_or(|at| now - at >= memory);
        let idle = self.inside == 0 && self.waiting == 0;
        let open = self.paused_until <= now && is_long_ago(self.silent_at, MEMORY);
        let wide = self.limit == self.ceiling || is_long_ago(self.narrowed_at, NARROW_MEMORY);
        idle && open && wide
    }

    /// Takes note of a report, and says whether those who wait should hear of it.
    pub fn take_note(&mut self, report: Report, generation: u64, now: Instant) -> bool {
        if generation != self.generation || !self.window.add(report) {
            return false;
        }
        if self.window.reports < self.limit.min(WINDOW) {
            return false;
        }
        self.conclude(now)
    }

    fn conclude(&mut self, now: Instant) -> bool {
        let window = std::mem::take(&mut self.window);
        if window.throttled * 2 >= window.reports {
            self.shrink(2, now);
            self.pause = window.asked.min(LONGEST_PAUSE);
            self.paused_until = now + self.pause;
            return !self.pause.is_zero();
        }
        if window.unanswered == window.reports {
            self.shrink(SILENT_SHARE, now);
            self.silent_at = Some(now);
            self.silences += 1;
            return true;
        }
        self.silent_at = None;
        self.grow(window.reports);
        false
    }

    fn shrink(&mut self, share: usize, now: Instant) {
        self.narrowed_at = Some(now);
        self.limit = (self.limit / share).max(1);
        self.generation += 1;
    }

    fn grow(&mut self, answers: usize) {
        let step = (self.ceiling / STEPS).max(1) * answers / self.limit;
        self.limit = (self.limit + step.clamp(1, self.limit)).min(self.ceiling);
    }
}

impl Window {
    /// Counts a report, if it says anything.
    fn add(&mut self, report: Report) -> bool {
        match report {
            Report::Answered => {}
            Report::Throttled(asked) => {
                self.throttled += 1;
                self.asked = self.asked.max(asked.unwrap_or_default());
            }
            Report::Unanswered => self.unanswered += 1,
            Report::Unclear => return false,
        }
        self.reports += 1;
        true
    }
}
