//! What a request shows of itself: an API key or a session's token (CONTRACT 3).

use hato_app::session_cookie;
use hato_domain::ErrorCode;
use hato_service::KEY_PREFIX;
use http::HeaderMap;
use http::header::AUTHORIZATION;

/// A credential that nobody has checked yet.
#[derive(PartialEq, Eq)]
pub enum Credential {
    /// A raw API key, `pk_…`, as a bearer token.
    Key(String),
    /// A session, known or not.
    Session {
        /// The session's token in base64url.
        token: String,
        /// Whether it came as a cookie, which goes along with requests of other sites.
        by_cookie: bool,
    },
}

impl Credential {
    /// The credential of a request, where the header wins over the cookie; none, or a header that is not
    /// `Bearer <something>`: `UNAUTHORIZED`.
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, ErrorCode> {
        let credential = match headers.get(AUTHORIZATION) {
            Some(header) => header.to_str().ok().and_then(bearer).map(Self::from_bearer),
            None => session_cookie::read(headers).map(Self::from_cookie),
        };
        credential.ok_or(ErrorCode::Unauthorized)
    }

    /// Whether a request shows a session, live or not.
    pub fn is_session(headers: &HeaderMap) -> bool {
        matches!(Self::from_headers(headers), Ok(Self::Session { .. }))
    }

    fn from_cookie(token: String) -> Self {
        let by_cookie = true;
        Self::Session { token, by_cookie }
    }

    fn from_bearer(token: &str) -> Self {
        let token = token.to_owned();
        if token.starts_with(KEY_PREFIX) {
            return Self::Key(token);
        }
        let by_cookie = false;
        Self::Session { token, by_cookie }
    }
}

/// The scheme's name is case-insensitive (RFC 9110 §11.1).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(' ')?;
    let token = token.trim_start();
    let well_formed = scheme.eq_ignore_ascii_case("bearer") && !token.contains(' ');
    well_formed
        .then_some(token)
        .filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::Credential;

    fn read(authorization: Option<&str>, cookie: Option<&str>) -> Option<(&'static str, String)> {
        let mut headers = HeaderMap::new();
        for (name, value) in [("authorization", authorization), ("cookie", cookie)] {
            if let Some(value) = value {
                headers.insert(name, value.parse().expect("a header value"));
            }
        }
        Some(match Credential::from_headers(&headers).ok()? {
            Credential::Key(raw) => ("key", raw),
            Credential::Session {
                token,
                by_cookie: true,
            } => ("cookie", token),
            Credential::Session {
                token,
                by_cookie: false,
            } => ("bearer", token),
        })
    }

    #[test]
    fn the_header_wins_over_the_cookie() {
        let cookie = Some("a=b; hato_session=c");
        for (header, expected) in [
            (Some("Bearer pk_1"), Some(("key", "pk_1"))),
            (Some("bearer t"), Some(("bearer", "t"))),
            (Some("Basic dTpw"), None),
            (Some("Bearer"), None),
            (Some("Bearer "), None),
            (Some("Bearer a b"), None),
            (Some("pk_1"), None),
            (None, Some(("cookie", "c"))),
        ] {
            let expected = expected.map(|(kind, text)| (kind, text.to_owned()));
            assert_eq!(read(header, cookie), expected, "{header:?}");
        }
        assert_eq!(read(None, None), None);
    }
}
