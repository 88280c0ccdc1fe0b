//! Times as people write them: "tomorrow 9:00".

use std::fmt;

use parse_datetime::parse_datetime;
use serde::{Serialize, Serializer};

/// A time, and how it is shown: with the offset of its time zone, so that nobody is in doubt.
#[derive(Clone, Debug)]
pub struct ZonedTime {
    milliseconds: i64,
    shown: String,
}

impl ZonedTime {
    /// The moment in milliseconds since 1970, as requests name it.
    pub const fn milliseconds(&self) -> i64 {
        self.milliseconds
    }
}

impl fmt::Display for ZonedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Serialize for ZonedTime {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(self.milliseconds)
    }
}

/// Reads a date, a time or a distance from now as `date -d` does, in this machine's time zone unless the text names another.
pub fn parse_time(text: &str) -> Result<ZonedTime, &'static str> {
    const EXPECTED: &str =
        "a moment such as \"tomorrow 9:00\", \"2026-12-24 18:00\" or \"+90 minutes\" is expected";
    // What is empty would be midnight.
    if text.trim().is_empty() {
        return Err(EXPECTED);
    }
    let time = parse_datetime(text).map_err(|_| EXPECTED)?;
    let time = time.into_zoned().ok_or(EXPECTED)?;
    Ok(ZonedTime {
        milliseconds: time.timestamp().as_millisecond(),
        shown: time.strftime("%Y-%m-%d %H:%M %:z").to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::parse_time;

    #[test]
    fn times_are_read_as_date_reads_them() {
        for (text, milliseconds) in [
            ("2026-12-24 18:00 +0900", 1_798_102_800_000),
            ("2026-12-24T09:00:00Z", 1_798_102_800_000),
            ("@1798102800", 1_798_102_800_000),
        ] {
            let time = parse_time(text).expect(text);
            assert_eq!(time.milliseconds(), milliseconds, "{text}");
        }
        let read = |text| parse_time(text).expect(text).milliseconds();
        assert!(read("tomorrow 9:00") > read("now"));
        assert_eq!((read("+90 minutes") - read("now") + 30_000) / 60_000, 90);
        for text in ["", " ", "soon", "25:00", "2026-13-01"] {
            assert!(parse_time(text).is_err(), "{text:?}");
        }
    }
}
