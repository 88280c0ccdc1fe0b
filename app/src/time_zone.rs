//! Which days a visitor has: what their browser tells of its clock, in a cookie that a script of every page writes
//! (`app/scripts/offsets.js`).

use hato_domain::TimeZoneOffsets;
use http::HeaderMap;

use crate::cookie;

/// The cookie that holds the offsets of the visitor's clock.
const COOKIE: &str = "hato_offsets";

/// The offsets of who made the request; none without scripts, and none where the cookie is not as a browser writes it.
pub fn from_headers(headers: &HeaderMap) -> Option<TimeZoneOffsets> {
    TimeZoneOffsets::parse(&cookie::read(headers, COOKIE)?)
}
