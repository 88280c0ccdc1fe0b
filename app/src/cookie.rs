//! Cookies: read from a request, and written out for a response (RFC 6265).

use std::time::Duration;

use http::HeaderMap;
use http::header::COOKIE;

/// The `Set-Cookie` value of a cookie for the paths below `path`, always `HttpOnly` and `SameSite=Lax`. The value's characters
/// need no quoting; a lifetime of zero removes the cookie.
pub fn set(name: &str, value: &str, path: &str, lifetime: Duration, secure: bool) -> String {
    let age = lifetime.as_secs();
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax{secure}")
}

/// The value of the request's first cookie of this name; an empty one counts as absent.
pub fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{read, set};
    use http::HeaderMap;

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append("cookie", "xa=1; a=2".parse().expect("a header value"));
        headers.append("cookie", "b=3=4; c=".parse().expect("a header value"));
        let found = |name| read(&headers, name);
        assert_eq!(found("a").as_deref(), Some("2"));
        assert_eq!(found("b").as_deref(), Some("3=4"));
        assert_eq!((found("c"), found("d")), (None, None));
    }

    #[test]
    fn a_cookie_is_written_with_its_guards() {
        let text = set("a", "b", "/", Duration::from_mins(1), true);
        let expected = "a=b; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(text, expected);
    }
}
