//! The days of clocks that are so far ahead of UTC, and are sometimes set to another offset.

use crate::UnixMillis;

/// Minutes in a quarter of an hour, of which every offset from UTC is a multiple.
const QUARTER_MINUTES: i64 = 15;
/// Quarters of an hour in a day.
const QUARTERS_OF_DAY: i64 = 24 * 4;
/// How far a clock may be from UTC, in quarters of an hour.
const MAX_OFFSET: i64 = 14 * 4;
/// Offsets that are told apart: clocks are set twice at most in the days that are looked at.
const SPANS: usize = 3;

/// How far a clock is ahead of UTC, in quarters of an hour, until which one of these, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetSpan {
    /// The first quarter in which it is so no more.
    pub until: i64,
    /// How many quarters the clock is ahead.
    pub offset: i64,
}

/// How far a visitor's clock is ahead of UTC, now and in the time that is looked back on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeZoneOffsets {
    spans: [OffsetSpan; SPANS],
}

impl TimeZoneOffsets {
    /// A clock that shows UTC.
    pub const UTC: Self = Self {
        spans: [OffsetSpan {
            until: i64::MAX,
            offset: 0,
        }; SPANS],
    };

    /// Reads what browsers tell: minutes east of UTC, and for each change the minute since 1970-01-01 from which on there are others,
    /// with a colon between all of them: `540`, or `-300:29549220:-240`.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.splitn(2 * SPANS, ':').map(|it| it.parse().ok());
        let numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
        let (changes, &[last]) = numbers.as_chunks::<2>() else {
            return None;
        };
        let lasting = OffsetSpan {
            until: i64::MAX,
            offset: offset_quarters(last)?,
        };
        let (mut spans, mut start) = ([lasting; SPANS], 0);
        for (span, &[offset, change]) in spans.iter_mut().zip(changes) {
            let until = whole_quarters(change).filter(|until| *until > start)?;
            let offset = offset_quarters(offset)?;
            *span = OffsetSpan { until, offset };
            start = until;
        }
        Some(Self { spans })
    }

    /// The offsets in their order, of which the last one ends never.
    pub const fn spans(self) -> [OffsetSpan; SPANS] {
        self.spans
    }

    /// The clock's day at this moment, counted from 1970-01-01.
    pub fn day_number(self, at: UnixMillis) -> i64 {
        let quarter = at.quarter_number();
        let span = self.spans.into_iter().find(|span| quarter < span.until);
        let offset = span.map_or(0, |span| span.offset);
        (quarter + offset).div_euclid(QUARTERS_OF_DAY)
    }

    /// The clock's day with this number.
    pub fn day(self, number: i64) -> LocalDay {
        LocalDay {
            number,
            starts_at: self.day_start(number),
            ends_at: self.day_start(number + 1),
        }
    }

    /// When the clock first shows midnight of the day, or what comes next where midnight is skipped.
    fn day_start(self, number: i64) -> UnixMillis {
        let midnight = number * QUARTERS_OF_DAY;
        let mut start = i64::MIN;
        let first = self.spans.into_iter().find_map(|span| {
            let quarter = start.max(midnight - span.offset);
            start = span.until;
            (quarter < span.until).then_some(quarter)
        });
        UnixMillis::from_quarter_number(first.unwrap_or(midnight))
    }
}

/// A day of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalDay {
    /// The days since 1970-01-01 on that clock.
    pub number: i64,
    /// The first moment of the day.
    pub starts_at: UnixMillis,
    /// The first moment of the next day.
    pub ends_at: UnixMillis,
}

impl LocalDay {
    /// The day as `YYYY-MM-DD`.
    pub fn date(self) -> String {
        UnixMillis::from_day_number(self.number).day()
    }

    /// By how many minutes it begins before the day of UTC with this date does.
    pub const fn start_offset(self) -> i64 {
        minutes_before_utc(self.number, self.starts_at)
    }

    /// By how many minutes it ends before the day of UTC with this date does.
    pub const fn end_offset(self) -> i64 {
        minutes_before_utc(self.number + 1, self.ends_at)
    }
}

const fn minutes_before_utc(day: i64, at: UnixMillis) -> i64 {
    (UnixMillis::from_day_number(day).0 - at.0) / 60_000
}

/// These minutes in quarters of an hour.
fn whole_quarters(minutes: i64) -> Option<i64> {
    (minutes % QUARTER_MINUTES == 0).then_some(minutes / QUARTER_MINUTES)
}

/// The offset of so many minutes, if a clock may have it.
fn offset_quarters(minutes: i64) -> Option<i64> {
    let quarters = whole_quarters(minutes);
    quarters.filter(|it| (-MAX_OFFSET..=MAX_OFFSET).contains(it))
}

#[cfg(test)]
mod tests {
    use super::{LocalDay, TimeZoneOffsets};
    use crate::UnixMillis;

    /// Central Europe, whose clocks are set to summer time at 01:00 UTC on 2026-03-29 and back on 2026-10-25.
    const BERLIN: &str = "60:29579100:120:29881500:60";

    fn zone(text: &str) -> TimeZoneOffsets {
        TimeZoneOffsets::parse(text).expect("offsets")
    }

    fn at(text: &str) -> UnixMillis {
        UnixMillis::from_date_and_time(text).expect("a moment")
    }

    /// The day on the clock that has this moment.
    fn day(offsets: &str, moment: &str) -> LocalDay {
        let zone = zone(offsets);
        zone.day(zone.day_number(at(moment)))
    }

    #[test]
    fn offsets_are_read_as_browsers_tell_them() {
        assert_eq!(TimeZoneOffsets::parse("0"), Some(TimeZoneOffsets::UTC));
        for text in ["-840", "840", "345", "-300:29549220:-240", BERLIN] {
            assert!(TimeZoneOffsets::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "x",
            ":",
            "540:",
            "7",
            "855",
            "-855",
            "540:29549220",
            "540:0:600",
            "540:-15:600",
            "540:29549221:600",
            "60:29881500:120:29579100:60",
            "60:29579100:120:29579100:60",
            "60:29579100:120:29881500:60:29981500:0",
            "9223372036854775807",
            "9223372036854775808",
            "540;Path=/",
        ] {
            assert_eq!(TimeZoneOffsets::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_same_moment_is_in_other_days_elsewhere() {
        for (offsets, moment, date) in [
            ("0", "2026-05-09T23:59:59", "2026-05-09"),
            ("540", "2026-05-09T14:59:59", "2026-05-09"),
            ("540", "2026-05-09T15:00", "2026-05-10"),
            ("345", "2026-05-09T18:14:59", "2026-05-09"),
            ("345", "2026-05-09T18:15", "2026-05-10"),
            ("-300", "2026-05-09T04:59:59", "2026-05-08"),
            ("-300", "2026-05-09T05:00", "2026-05-09"),
        ] {
            assert_eq!(day(offsets, moment).date(), date, "{offsets} {moment}");
        }
    }

    #[test]
    fn a_day_on_which_clocks_are_set_is_shorter_or_longer() {
        for (moment, starts_at, ends_at, offsets) in [
            (
                "2026-03-28T22:59",
                "2026-03-27T23:00",
                "2026-03-28T23:00",
                (60, 60),
            ),
            (
                "2026-03-29T12:00",
                "2026-03-28T23:00",
                "2026-03-29T22:00",
                (60, 120),
            ),
            (
                "2026-07-01T12:00",
                "2026-06-30T22:00",
                "2026-07-01T22:00",
                (120, 120),
            ),
            (
                "2026-10-25T22:59",
                "2026-10-24T22:00",
                "2026-10-25T23:00",
                (120, 60),
            ),
            (
                "2026-10-25T23:00",
                "2026-10-25T23:00",
                "2026-10-26T23:00",
                (60, 60),
            ),
        ] {
            let day = day(BERLIN, moment);
            assert_eq!((day.starts_at, day.ends_at), (at(starts_at), at(ends_at)));
            assert_eq!((day.start_offset(), day.end_offset()), offsets, "{moment}");
        }
    }

    #[test]
    fn a_day_whose_midnight_is_skipped_begins_when_clocks_are_set() {
        // At 04:00 UTC on 2026-09-06 clocks go from 00:00 to 01:00.
        let day = day("-240:29811120:-180", "2026-09-06T12:00");
        assert_eq!(day.date(), "2026-09-06");
        assert_eq!(day.starts_at, at("2026-09-06T04:00"));
        assert_eq!((day.start_offset(), day.end_offset()), (-240, -180));
    }
}
