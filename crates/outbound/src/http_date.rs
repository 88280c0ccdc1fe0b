//! Dates in headers (RFC 9110 §5.6.7).

use std::time::UNIX_EPOCH;

use hato_domain::UnixMillis;
use http::HeaderMap;
use http::header::DATE;

/// What the clock of a host showed when it answered (`Date`, RFC 9110 §6.6.1); `None` when it does not say.
pub fn date(headers: &HeaderMap) -> Option<UnixMillis> {
    parse(headers.get(DATE)?.to_str().ok()?)
}

/// A date since 1970 in any of its three forms.
pub(crate) fn parse(text: &str) -> Option<UnixMillis> {
    let date = httpdate::parse_http_date(text).ok()?;
    let since_epoch = date.duration_since(UNIX_EPOCH).ok()?;
    Some(UnixMillis(0).plus(since_epoch))
}
