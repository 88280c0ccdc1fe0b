//! Cookies: read from a request, and written out for an answer (RFC 6265).

use std::time::Duration;

use http::HeaderMap;
use http::header::COOKIE;

/// A cookie to be set: always `HttpOnly` and `SameSite=Lax`.
pub struct SetCookie<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value, of characters that need no quoting.
    pub value: &'a str,
    /// Below which path it is sent back.
    pub path: &'a str,
    /// How long it lives; zero removes it.
    pub max_age: Duration,
    /// Whether it is only sent over https.
    pub secure: bool,
}

impl std::fmt::Display for SetCookie<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name, value, path, ..
        } = self;
        let age = self.max_age.as_secs();
        write!(
            f,
            "{name}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax"
        )?;
        if self.secure {
            f.write_str("; Secure")?;
        }
        Ok(())
    }
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

    use super::{SetCookie, read};
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
        let text = SetCookie {
            name: "a",
            value: "b",
            path: "/",
            max_age: Duration::from_mins(1),
            secure: true,
        };
        let expected = "a=b; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(text.to_string(), expected);
    }
}
