//! Durations as settings write them: an integer with ms, s, m or h (CONTRACT 1).

use std::time::Duration;

/// Longest duration, so that adding it to a time cannot overflow: ten years.
const MAX: Duration = Duration::from_hours(10 * 365 * 24);

/// Reads a duration; `None` for anything else.
pub fn parse(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let millis = number.parse::<u64>().ok()?.checked_mul(factor)?;
    Some(Duration::from_millis(millis)).filter(|duration| *duration <= MAX)
}

/// Reads durations between commas; `None` when one of them is none.
pub fn parse_list(text: &str) -> Option<Vec<Duration>> {
    text.split(',').map(parse).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse;

    #[test]
    fn an_integer_with_a_unit_is_a_duration() {
        for (text, millis) in [("0s", 0), ("5ms", 5), (" 2s ", 2_000), ("3m", 180_000)] {
            assert_eq!(parse(text), Some(Duration::from_millis(millis)), "{text}");
        }
        assert_eq!(parse("1h"), Some(Duration::from_hours(1)));
    }

    #[test]
    fn nothing_else_is() {
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "1.5s",
            "1 s",
            "1d",
            "1S",
            "99999999999999999999h",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("9999999h"), None);
    }
}
