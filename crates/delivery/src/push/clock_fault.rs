//! Tells a push that is refused for what this machine's clock shows from one that is refused for itself.
//!
//! A VAPID token says until when it is good. Signed by a clock that is half a day off, it is of the past for a push service, or good for
//! longer than push services allow, and none of them takes anything. That is no recipient's failure: it is over when the clock is
//! set right.
//!
//! Anybody may register an endpoint of a push service that refuses and shows any time it likes. So one that takes a message has the last
//! word: then the clock by which it was signed is right, until it is set.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hato_domain::UnixMillis;
use tokio::time::Instant;

use super::clock_reading::{ClockReader, ClockReading};
use super::response::{PushResponse, refused_time};

/// How often the log says it at most.
const LOG_INTERVAL: Duration = Duration::from_mins(1);
/// For how long it is believed that the clock is wrong when nobody takes anything: so long there is to set it.
const MAX_DOUBT: Duration = Duration::from_hours(24);
/// No message was taken yet.
const NONE: i64 = i64::MIN;

/// Notices that push services have another time.
pub struct ClockFault {
    reader: ClockReader,
    /// By which clock the last token was signed that a push service took.
    proven: AtomicI64,
    doubt: Mutex<Option<Doubt>>,
}

/// What is refused for the time of a clock.
struct Doubt {
    clock: ClockReading,
    since: Instant,
    logged_at: Instant,
}

impl ClockFault {
    /// Nothing is known of the clock.
    pub fn new() -> Self {
        Self {
            reader: ClockReader::new(),
            proven: AtomicI64::new(NONE),
            doubt: Mutex::new(None),
        }
    }

    /// The clock that shows `now`, by which a token is signed.
    pub fn read(&self, now: UnixMillis) -> ClockReading {
        self.reader.read(now)
    }

    /// A push service has taken a token that was signed by this clock.
    pub fn prove(&self, clock: ClockReading) {
        // Every delivery comes by here, and hardly one has anything new to write.
        if !self.is_proven(clock) {
            self.proven.store(clock.start().0, Ordering::Relaxed);
        }
    }

    /// Whether the response to a token that was signed by this clock refuses it because it is out of time; then the log says so, once a
    /// minute. It does not where a push service has taken what this clock signed, nor when nobody has for a day.
    pub fn is_cause(&self, response: &PushResponse, clock: ClockReading) -> bool {
        let shown = self.reader.shown_by(clock);
        match refused_time(response, shown) {
            Some(theirs) if !self.is_proven(clock) => self.doubt(clock, theirs, shown),
            _ => false,
        }
    }

    fn is_proven(&self, clock: ClockReading) -> bool {
        let proven = self.proven.load(Ordering::Relaxed);
        proven != NONE && clock.is(ClockReading::from_start(UnixMillis(proven)))
    }

    fn doubt(&self, clock: ClockReading, theirs: UnixMillis, shown: UnixMillis) -> bool {
        let moment = Instant::now();
        let mut doubt = self.doubt.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = doubt.take().filter(|it| it.clock.is(clock));
        let since = earlier.as_ref().map_or(moment, |it| it.since);
        let is_believed = moment - since < MAX_DOUBT;
        let logged_at = earlier.map(|it| it.logged_at);
        let is_silent = logged_at.is_some_and(|at| moment - at < LOG_INTERVAL);
        if is_believed && !is_silent {
            let (ahead, behind) = (shown.since(theirs), theirs.since(shown));
            tracing::error!(
                ?ahead,
                ?behind,
                "a push service refuses what is signed by this machine's clock: deliveries wait until it is right"
            );
        }
        *doubt = Some(Doubt {
            clock,
            since,
            logged_at: logged_at.filter(|_| is_silent).unwrap_or(moment),
        });
        is_believed
    }
}
