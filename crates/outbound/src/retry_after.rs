//! `Retry-After`: how long a host asks to be left alone.

use std::time::Duration;

use hato_domain::UnixMillis;
use http::HeaderMap;
use http::header::RETRY_AFTER;

use crate::http_date;

/// The wait that `Retry-After` asks for at `now`, in either of its forms (RFC 9110 §10.2.3): whole seconds, or a date, which in
/// the past asks for no wait. None without the header, and when it is neither; callers bound the wait.
pub fn retry_after(headers: &HeaderMap, now: UnixMillis) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    Some(http_date::parse(text)?.since(now))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hato_domain::UnixMillis;
    use http::header::RETRY_AFTER;
    use http::{HeaderMap, HeaderValue};

    use super::retry_after;

    /// 2026-01-01T00:00:00Z, when the responses arrive.
    const NOW: UnixMillis = UnixMillis(1_767_225_600_000);

    fn wait(text: &'static str) -> Option<Duration> {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
        retry_after(&headers, NOW)
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(wait("120"), Some(Duration::from_mins(2)));
        assert_eq!(wait(" 0 "), Some(Duration::ZERO));
        assert_eq!(
            wait("Thu, 01 Jan 2026 00:02:00 GMT"),
            Some(Duration::from_mins(2))
        );
        assert_eq!(wait("Wed, 31 Dec 2025 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(
            wait("99999999999999999999999"),
            Some(Duration::from_secs(u64::MAX))
        );
        for nonsense in ["", "-1", "1.5", "soon", "+5"] {
            assert_eq!(wait(nonsense), None, "{nonsense}");
        }
    }
}
