//! Tells the clocks apart that a machine has one after the other, as it is set.

use std::time::Duration;

use hato_domain::UnixMillis;
use tokio::time::Instant;

/// By how much a clock must have been set that it counts as another: less than what makes a token useless.
pub const NOTICED: Duration = Duration::from_hours(1);

/// A clock, by the time that it shows for the process's start: another one when it was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading(UnixMillis);

/// Reads clocks by how long the process has been running.
pub struct ClockReader {
    started_at: Instant,
}

impl ClockReader {
    /// One of a process that starts now.
    pub fn new() -> Self {
        Self {
            started_at: Instant::now(),
        }
    }

    /// The clock that shows `now`.
    pub fn read(&self, now: UnixMillis) -> ClockReading {
        ClockReading(now.minus(self.started_at.elapsed()))
    }

    /// What the clock shows now.
    pub fn shown_by(&self, clock: ClockReading) -> UnixMillis {
        clock.0.plus(self.started_at.elapsed())
    }
}

impl ClockReading {
    /// The clock that shows this time for the process's start.
    pub fn from_start(start: UnixMillis) -> Self {
        Self(start)
    }

    /// The time that it shows for the process's start.
    pub fn start(self) -> UnixMillis {
        self.0
    }

    /// Whether both are the same clock, which was set by less than an hour in between.
    pub fn is(self, other: Self) -> bool {
        self.0.since(other.0).max(other.0.since(self.0)) < NOTICED
    }
}
