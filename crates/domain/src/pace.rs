//! How fast a send goes at most (CONTRACT 14).

use std::time::Duration;

use crate::ErrorCode;

/// The span in which a pace bounds the first attempts that begin.
const WINDOW: Duration = Duration::from_mins(1);

/// How far what each process takes for the time of its turns may differ without the bound being passed.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(1);

/// Pages of one send in a window, unless more are needed because they are full: enough to go evenly, few enough to claim.
const PAGES_PER_WINDOW: u32 = 30;

/// Most first attempts of a send that begin in any 60 s, 1 to 10,000,000.
///
/// The queue hands out its pages at least an interval apart, and whoever of a page was not begun soon after waits for another
/// page. So all that begins in a window is of pages that were claimed in a span which is longer by how late they begin, and in which
/// no more than the pace fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace(u32);

/// The pages in which a paced send leaves the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedPages {
    /// Most recipients of one.
    pub recipients: u32,
    /// The shortest time from one claim to the next.
    pub interval: Duration,
}

impl Pace {
    /// How long after the claim of its page a first attempt may begin.
    pub const BEGIN_WITHIN: Duration = Duration::from_secs(4);

    /// Takes 1 to 10,000,000; anything else is `INVALID_INPUT`.
    pub fn parse(per_minute: i64) -> Result<Self, ErrorCode> {
        match u32::try_from(per_minute) {
            Ok(number @ 1..=10_000_000) => Ok(Self(number)),
            _ => Err(ErrorCode::InvalidInput),
        }
    }

    /// How many first attempts may begin in 60 s.
    pub const fn per_minute(self) -> u32 {
        self.0
    }

    /// Its pages when a page holds at most `max_recipients`.
    pub fn pages(self, max_recipients: u32) -> PacedPages {
        let recipients = self.0.div_ceil(PAGES_PER_WINDOW);
        let recipients = recipients.clamp(1, max_recipients.max(1));
        let pages = self.0 / recipients;
        let span = WINDOW + Self::BEGIN_WITHIN + MAX_CLOCK_SKEW;
        // Longer than that share of the span, so that the span holds no page more.
        PacedPages {
            recipients,
            interval: Duration::from_millis(whole_millis(span) / u64::from(pages) + 1),
        }
    }
}

fn whole_millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{MAX_CLOCK_SKEW, Pace, WINDOW};

    /// Small paces one by one, and others up to the fastest.
    fn paces() -> impl Iterator<Item = u32> {
        (1..5_000)
            .chain((5_000..10_000_000).step_by(1_237))
            .chain([10_000_000])
    }

    fn pace(per_minute: u32) -> Pace {
        Pace::parse(per_minute.into()).expect("in range")
    }

    /// Page after page as early as may be, and each of its recipients begun at any moment until it may not any more.
    #[test]
    fn no_minute_holds_more_than_the_pace() {
        let claimed_in = (WINDOW + Pace::BEGIN_WITHIN + MAX_CLOCK_SKEW).as_millis();
        for per_minute in paces() {
            for max_recipients in [1, 2, 31, 500, 600] {
                let pages = pace(per_minute).pages(max_recipients);
                let page_count = claimed_in / pages.interval.as_millis() + 1;
                let begun = page_count * u128::from(pages.recipients);
                assert!(begun <= per_minute.into(), "{begun} of {per_minute}");
                assert!((1..=max_recipients).contains(&pages.recipients));
            }
        }
    }

    #[test]
    fn it_is_not_much_slower_than_asked_for() {
        for per_minute in paces().take_while(|pace| *pace <= 600_000) {
            let pages = pace(per_minute).pages(500);
            let pages_an_hour = 3_600_000 / pages.interval.as_millis();
            let begun = pages_an_hour * u128::from(pages.recipients);
            assert!(
                begun >= u128::from(per_minute) * 60 * 8 / 10,
                "{begun} of {per_minute}"
            );
        }
    }

    #[test]
    fn a_pace_is_1_to_10_000_000() {
        for (number, good) in [
            (0, false),
            (1, true),
            (10_000_000, true),
            (10_000_001, false),
        ] {
            assert_eq!(Pace::parse(number).is_ok(), good, "{number}");
        }
        assert!(Pace::parse(-1).is_err() && Pace::parse(i64::MAX).is_err());
    }
}
