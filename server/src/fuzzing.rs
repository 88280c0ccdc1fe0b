//! What must hold for any bytes whatever: the targets of `make fuzz` in this crate. Each panics when it does not.

use axum::extract::FromRequestParts as _;
use futures_util::FutureExt as _;
use hato_domain::PageRequest;
use hato_service::KEY_PREFIX;
use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderMap, HeaderValue, Request};
use url::form_urlencoded::Serializer;

use crate::http::access::Credential;
use crate::http::paging::PagingParams;

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

/// The page that a query asks for can be asked for again.
pub fn cursor(data: &[u8]) {
    let Some(page) = str::from_utf8(data).ok().and_then(page) else {
        return;
    };
    assert!((1..=100).contains(&page.limit.get()));
    let mut query = Serializer::new(String::new());
    query.append_pair("limit", &page.limit.get().to_string());
    if let Some(cursor) = &page.cursor {
        query.append_pair("before", &cursor.before.0.to_string());
        query.extend_pairs(cursor.before_id.as_deref().map(|id| ("before_id", id)));
    }
    assert_eq!(self::page(&query.finish()), Some(page));
}

fn page(query: &str) -> Option<PageRequest> {
    let request = Request::builder().uri(format!("/?{query}")).body(());
    let (mut parts, ()) = request.ok()?.into_parts();
    let read = PagingParams::from_request_parts(&mut parts, &()).now_or_never();
    let PagingParams(page) = read.expect("it waits for nothing").ok()?;
    Some(page)
}

#[cfg(test)]
mod tests {
    use hato_corpus::replay;

    #[test]
    fn authorization_headers() {
        replay("authorization", super::authorization);
    }

    #[test]
    fn cursors() {
        replay("cursor", super::cursor);
    }

    #[test]
    fn mcp_frames() {
        replay("mcp_frame", super::mcp_frame);
    }
}
