//! Points in time as the API speaks of them: Unix milliseconds, and UTC months.

use std::time::Duration;

use ::time::{Date, OffsetDateTime, Time};
use serde::{Deserialize, Serialize};

/// A point in time in Unix milliseconds (SPEC 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// This moment plus `span`, saturating at the end of time.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// This moment minus `span`, saturating at the beginning of time.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }

    /// How long after `earlier` this moment is; zero when it is before.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The moment that a date and a time of day in UTC name, as forms write them: `2026-01-31T09:05`, with seconds or without.
    pub fn from_date_and_time(text: &str) -> Option<Self> {
        let (date, time) = text.split_once('T')?;
        let [year, month, day] = numbers(date, '-')?;
        let (hour_and_minute, second) = match time.len() {
            8 => time.rsplit_once(':')?,
            _ => (time, "00"),
        };
        let [hour, minute] = numbers(hour_and_minute, ':')?;
        let [second] = numbers(second, ':')?;
        let small = |number: u16| u8::try_from(number).ok();
        let month = ::time::Month::try_from(small(month)?).ok()?;
        let date = Date::from_calendar_date(year.into(), month, small(day)?).ok()?;
        let time = Time::from_hms(small(hour)?, small(minute)?, small(second)?).ok()?;
        let at = date.with_time(time).assume_utc();
        Some(Self(at.unix_timestamp().saturating_mul(1_000)))
    }

    /// The UTC calendar month of this moment.
    pub fn month(self) -> Month {
        let date = self.utc().date();
        Month(i64::from(date.year()) * 12 + i64::from(u8::from(date.month())) - 1)
    }

    /// The UTC day of this moment, counted from 1970-01-01.
    pub const fn day_number(self) -> i64 {
        self.0.div_euclid(86_400_000)
    }

    /// The first moment of the UTC day with this number.
    pub const fn from_day_number(number: i64) -> Self {
        Self(number.saturating_mul(86_400_000))
    }

    /// The quarter of an hour of this moment, counted from 1970-01-01.
    pub const fn quarter_number(self) -> i64 {
        self.0.div_euclid(900_000)
    }

    /// The first moment of the quarter of an hour with this number.
    pub const fn from_quarter_number(number: i64) -> Self {
        Self(number.saturating_mul(900_000))
    }

    /// The UTC day of this moment as `YYYY-MM-DD`.
    pub fn day(self) -> String {
        self.utc().date().to_string()
    }

    /// Date and minute in UTC as people read them: `2026-01-31 09:05`.
    pub fn to_minute(self) -> String {
        let at = self.utc();
        format!("{} {:02}:{:02}", self.day(), at.hour(), at.minute())
    }

    /// Date and time in UTC to the second as people read them: `2026-01-31 09:05:07`.
    pub fn to_second(self) -> String {
        format!("{}:{:02}", self.to_minute(), self.utc().second())
    }

    /// RFC 3339 in UTC with milliseconds: `2026-01-31T09:05:07.250Z`.
    pub fn to_rfc3339(self) -> String {
        let (date, time) = (self.day(), self.utc());
        format!(
            "{date}T{:02}:{:02}:{:02}.{:03}Z",
            time.hour(),
            time.minute(),
            time.second(),
            self.0.rem_euclid(1_000)
        )
    }

    fn utc(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(self.0.div_euclid(1000))
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

/// So many numbers of digits alone, parted by `separator`.
fn numbers<const N: usize>(text: &str, separator: char) -> Option<[u16; N]> {
    let digits = |part: &str| part.bytes().all(|it| it.is_ascii_digit());
    let parts = text.split(separator);
    let numbers: Option<Vec<u16>> = parts
        .map(|part| part.parse().ok().filter(|_| digits(part)))
        .collect();
    numbers?.try_into().ok()
}

/// A UTC calendar month, in which sends are counted toward the plan (CONTRACT 6), as months since year 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month(pub i64);

impl Month {
    /// The first moment of the month.
    pub fn start(self) -> UnixMillis {
        Self(self.0 - 1).end()
    }

    /// The first moment of the following month, when the count starts anew.
    pub fn end(self) -> UnixMillis {
        let next = self.0 + 1;
        let year = i32::try_from(next.div_euclid(12)).unwrap_or(9999);
        let month = u8::try_from(next.rem_euclid(12) + 1).unwrap_or(1);
        let first = ::time::Month::try_from(month)
            .and_then(|m| Date::from_calendar_date(year, m, 1))
            .unwrap_or(Date::MAX);
        UnixMillis(
            first
                .midnight()
                .assume_utc()
                .unix_timestamp()
                .saturating_mul(1000),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::UnixMillis;

    #[test]
    fn a_month_ends_where_the_next_begins() {
        let last_moment = UnixMillis(1_798_761_599_999); // 2026-12-31T23:59:59.999Z
        assert_eq!(last_moment.month().end(), UnixMillis(1_798_761_600_000));
        assert_eq!(
            UnixMillis(1_798_761_600_000).month().0,
            last_moment.month().0 + 1
        );
    }

    #[test]
    fn a_month_starts_where_the_last_one_ended() {
        let within = UnixMillis(1_798_761_600_000 + 86_400_000);
        assert_eq!(within.month().start(), UnixMillis(1_798_761_600_000));
    }

    #[test]
    fn a_date_and_a_time_are_read_as_forms_write_them() {
        let read = |text| UnixMillis::from_date_and_time(text).map(UnixMillis::to_second);
        for (text, moment) in [
            ("2026-12-31T23:59", "2026-12-31 23:59:00"),
            ("2026-12-31T23:59:07", "2026-12-31 23:59:07"),
            ("2028-02-29T00:00", "2028-02-29 00:00:00"),
        ] {
            assert_eq!(read(text).as_deref(), Some(moment), "{text}");
        }
        for text in [
            "",
            "2026-12-31",
            "2026-12-31 23:59",
            "2026-12-31T",
            "2026-12-31T23",
            "2026-12-31T24:00",
            "2026-12-31T23:59Z",
            "2026-12-31T23:59:60",
            "2026-02-29T00:00",
            "2026-13-01T00:00",
            "2026-+1-01T00:00",
            "999999-01-01T00:00",
            "-2026-01-01T00:00",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_is_written_in_utc() {
        let last_moment = UnixMillis(1_798_761_599_999);
        assert_eq!(last_moment.day(), "2026-12-31");
        assert_eq!(last_moment.to_second(), "2026-12-31 23:59:59");
        assert_eq!(last_moment.to_rfc3339(), "2026-12-31T23:59:59.999Z");
    }
}
