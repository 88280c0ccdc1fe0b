//! A clock that tests move.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{Clock, SystemClock};

/// A clock that only moves when it is set.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that starts with the machine's.
    pub fn starting_now() -> Self {
        Self::starting_at(SystemClock.now())
    }

    /// A clock at this time.
    pub const fn starting_at(time: UnixMillis) -> Self {
        Self(AtomicI64::new(time.0))
    }

    /// Moves it to this time, which may be earlier.
    pub fn set(&self, time: UnixMillis) {
        self.0.store(time.0, Ordering::SeqCst);
    }

    /// Moves the clock forward by this time.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(millis(by), Ordering::SeqCst);
    }

    /// Moves the clock back by this time, as an operator does who sets it right.
    pub fn set_back(&self, by: Duration) {
        self.0.fetch_sub(millis(by), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::SeqCst))
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).expect("a time that a test takes")
}
