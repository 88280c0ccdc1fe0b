//! Notices that the clock was set far ahead: by such a clock nearly everything is too old, and what a sweep removes does not come back.

use std::time::Duration;

use hato_domain::UnixMillis;
use tokio::time::Instant;

/// By how much a clock must differ from the time that has passed. A machine that slept differs as well; that costs it a day's sweeps.
const NOTICED: Duration = Duration::from_hours(1);
/// For how long nothing is removed then, unless the clock is set back: so long there is to set it right.
const HOLD: Duration = Duration::from_hours(24);

/// What the clock showed at the last look, and until when it is not trusted.
#[derive(Default)]
pub(super) struct ClockLeap {
    last: Option<(UnixMillis, Instant)>,
    held_until: Option<Instant>,
}

impl ClockLeap {
    /// Whether what is too old may be removed by a clock that shows `now` at `moment`; says in the log when it may no more.
    pub(super) fn permits(&mut self, now: UnixMillis, moment: Instant) -> bool {
        if let Some((shown, then)) = self.last.replace((now, moment)) {
            let expected = shown.plus(moment.saturating_duration_since(then));
            if expected.plus(NOTICED) < now {
                let leap = now.since(expected);
                tracing::error!(
                    ?leap,
                    "the clock was set far ahead: for a day nothing is removed for its age"
                );
                self.held_until = Some(moment + HOLD);
            } else if now.plus(NOTICED) < expected {
                self.held_until = None;
            }
        }
        self.held_until.is_none_or(|until| until <= moment)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hato_domain::UnixMillis;
    use tokio::time::Instant;

    use super::ClockLeap;

    const HOUR: Duration = Duration::from_hours(1);

    /// Looks so many hours after the first look, by a clock that is so many hours ahead.
    fn permits(leap: &mut ClockLeap, start: Instant, (hours, ahead): (u32, u32)) -> bool {
        let now = UnixMillis(1_000).plus(HOUR * (hours + ahead));
        leap.permits(now, start + HOUR * hours)
    }

    #[test]
    fn it_holds_for_a_day_and_then_trusts_the_clock() {
        let (mut leap, start) = (ClockLeap::default(), Instant::now());
        for (look, is_permitted) in [
            ((0, 0), true),
            ((1, 1), true),
            ((2, 100), false),
            ((25, 100), false),
            ((26, 100), true),
        ] {
            let permitted = permits(&mut leap, start, look);
            assert_eq!(permitted, is_permitted, "{look:?}");
        }
    }

    #[test]
    fn it_ends_when_the_clock_is_set_back() {
        let (mut leap, start) = (ClockLeap::default(), Instant::now());
        for (look, is_permitted) in [((0, 0), true), ((1, 100), false), ((2, 0), true)] {
            let permitted = permits(&mut leap, start, look);
            assert_eq!(permitted, is_permitted, "{look:?}");
        }
    }
}
