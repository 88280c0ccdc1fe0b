//! Notices that the clock was set far ahead: by such a clock nearly everything is too old, and what is removed for that does not come
//! back.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hato_domain::UnixMillis;
use tokio::time::Instant;

/// By how much a clock must differ from the time that has passed. A machine that slept differs as well; that costs it a day's removals.
const NOTICED: Duration = Duration::from_hours(1);
/// For how long nothing is removed then, unless the clock is set back: so long there is to set it right.
const HOLD: Duration = Duration::from_hours(24);

/// Tells whether what is too old by the clock may be removed. What the clock shows at first is believed.
pub struct ClockLeap(Mutex<LastLook>);

/// What the clock showed at the last look, and until when it is not trusted.
struct LastLook {
    shown: UnixMillis,
    moment: Instant,
    held_until: Option<Instant>,
}

impl ClockLeap {
    /// From now on, when the clock shows `now`.
    pub fn since(now: UnixMillis) -> Self {
        Self::since_moment(now, Instant::now())
    }

    fn since_moment(now: UnixMillis, moment: Instant) -> Self {
        Self(Mutex::new(LastLook {
            shown: now,
            moment,
            held_until: None,
        }))
    }

    /// Whether what is too old may be removed by a clock that shows `now`; says in the log when it may no more.
    pub fn permits(&self, now: UnixMillis) -> bool {
        self.permits_at(now, Instant::now())
    }

    fn permits_at(&self, now: UnixMillis, moment: Instant) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = last
            .shown
            .plus(moment.saturating_duration_since(last.moment));
        if expected.plus(NOTICED) < now {
            let leap = now.since(expected);
            tracing::error!(
                ?leap,
                "the clock was set far ahead: for a day nothing is removed for its age"
            );
            last.held_until = Some(moment + HOLD);
        } else if now.plus(NOTICED) < expected {
            last.held_until = None;
        }
        (last.shown, last.moment) = (now, moment);
        last.held_until.is_none_or(|until| until <= moment)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hato_domain::UnixMillis;
    use tokio::time::Instant;

    use super::ClockLeap;

    const HOUR: Duration = Duration::from_hours(1);

    const START: UnixMillis = UnixMillis(1_000);

    /// Looks so many hours after the first look, by a clock that is so many hours ahead.
    fn permits(leap: &ClockLeap, start: Instant, (hours, ahead): (u32, u32)) -> bool {
        let now = START.plus(HOUR * (hours + ahead));
        leap.permits_at(now, start + HOUR * hours)
    }

    #[test]
    fn it_holds_for_a_day_and_then_trusts_the_clock() {
        let start = Instant::now();
        let leap = ClockLeap::since_moment(START, start);
        for (look, is_permitted) in [
            ((0, 0), true),
            ((1, 1), true),
            ((2, 100), false),
            ((25, 100), false),
            ((26, 100), true),
        ] {
            let permitted = permits(&leap, start, look);
            assert_eq!(permitted, is_permitted, "{look:?}");
        }
    }

    #[test]
    fn it_ends_when_the_clock_is_set_back() {
        let start = Instant::now();
        let leap = ClockLeap::since_moment(START, start);
        for (look, is_permitted) in [((0, 0), true), ((1, 100), false), ((2, 0), true)] {
            let permitted = permits(&leap, start, look);
            assert_eq!(permitted, is_permitted, "{look:?}");
        }
    }
}
