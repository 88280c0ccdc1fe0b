//! What must hold for any bytes whatever: the targets of `make fuzz` in this crate. Each panics when it does not.

use hato_service::KEY_PREFIX;
use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderMap, HeaderValue};

use crate::http::access::Credential;

pub use crate::mcp::fuzzing::mcp_frame;

/// A credential that is shown by a header, which is the first line, can be shown again; cookies, which the rest are, show a
/// session only where there is no such header.
pub fn authorization(data: &[u8]) {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    let mut line = || HeaderValue::from_bytes(lines.next()?).ok();
    let (header, cookies) = (line().filter(|it| it != "-"), line());
    let mut headers = HeaderMap::new();
    headers.extend(header.clone().map(|it| (AUTHORIZATION, it)));
    headers.extend(cookies.map(|it| (COOKIE, it)));
    let Ok(credential) = Credential::from_headers(&headers) else {
        return;
    };
    let token = match &credential {
        Credential::Key(raw) => {
            assert!(raw.starts_with(KEY_PREFIX) && header.is_some());
            raw
        }
        Credential::Session { token, by_cookie } => {
            assert_eq!(*by_cookie, header.is_none());
            token
        }
    };
    assert!(!token.is_empty());
    if header.is_some() {
        assert!(!token.contains(' '));
        let again = HeaderValue::try_from(format!("Bearer {token}"));
        let again = HeaderMap::from_iter([(AUTHORIZATION, again.expect("a token is text"))]);
        assert!(Credential::from_headers(&again) == Ok(credential));
    }
}

#[cfg(test)]
mod tests {
    use hato_corpus::replay;

    #[test]
    fn authorization_headers() {
        replay("authorization", super::authorization);
    }

    #[test]
    fn mcp_frames() {
        replay("mcp_frame", super::mcp_frame);
    }
}
