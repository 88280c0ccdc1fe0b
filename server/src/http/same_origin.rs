//! Whether a request comes from one of our own pages (CONTRACT 3): a cookie goes along with requests of any site.

use hato_domain::ErrorCode;
use http::header::{HOST, HeaderName, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Method};
use url::{Host, Url};

use super::client_address::ClientInfo;
use crate::config::BaseUrl;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a method promises to change nothing (RFC 9110 §9.2.1).
pub fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// For a change that a cookie authorises: it must be known to come from our origin, else `INVALID_ORIGIN`.
pub fn require_with_cookie(parts: &Parts, base_url: &BaseUrl) -> Result<(), ErrorCode> {
    let known = fetch_site(&parts.headers).map_or_else(
        || parts.headers.contains_key(ORIGIN) && has_own_origin(parts, base_url),
        is_own_site,
    );
    known.then_some(()).ok_or(ErrorCode::InvalidOrigin)
}

/// For a change that no cookie authorises, such as a login: it must not be known to come from elsewhere, else
/// `INVALID_ORIGIN`.
pub fn require_without_cookie(parts: &Parts, base_url: &BaseUrl) -> Result<(), ErrorCode> {
    let own_site = fetch_site(&parts.headers).is_none_or(is_own_site);
    let own_origin = !parts.headers.contains_key(ORIGIN) || has_own_origin(parts, base_url);
    let own = own_site && own_origin;
    own.then_some(()).ok_or(ErrorCode::InvalidOrigin)
}

/// For MCP (CONTRACT 9): an origin, if one is named, must be the base address's or of this machine, whichever host was asked, so
/// that no name that was pointed at the server lets a page in.
pub fn require_for_mcp(parts: &Parts, base_url: &BaseUrl) -> Result<(), ErrorCode> {
    let is_known = match parts.headers.get(ORIGIN) {
        Some(origin) => origin
            .to_str()
            .is_ok_and(|origin| origin == base_url.as_str() || is_loopback(origin)),
        None => fetch_site(&parts.headers).is_none_or(is_own_site),
    };
    is_known.then_some(()).ok_or(ErrorCode::InvalidOrigin)
}

/// A page of a program that runs beside the browser, such as an inspector of the protocol.
fn is_loopback(origin: &str) -> bool {
    let url = Url::parse(origin).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(v4)) => v4.is_loopback(),
        Some(Host::Ipv6(v6)) => v6.is_loopback(),
        None => false,
    }
}

fn fetch_site(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(SEC_FETCH_SITE).map(http::HeaderValue::as_bytes)
}

/// `none` is a request that the user made by hand.
fn is_own_site(site: &[u8]) -> bool {
    matches!(site, b"same-origin" | b"none")
}

fn has_own_origin(parts: &Parts, base_url: &BaseUrl) -> bool {
    let origin = parts.headers.get(ORIGIN);
    let origin = origin.and_then(|origin| origin.to_str().ok());
    origin.is_some_and(|origin| {
        origin == base_url.as_str() || Some(origin) == requested_origin(parts).as_deref()
    })
}

/// The scheme and host that the request itself was sent to.
fn requested_origin(parts: &Parts) -> Option<String> {
    let host = parts.headers.get(HOST)?.to_str().ok()?.to_ascii_lowercase();
    let client = parts.extensions.get::<ClientInfo>();
    let is_https = client.is_some_and(|client| client.is_https);
    let scheme = if is_https { "https" } else { "http" };
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use http::request::Parts;
    use http::{HeaderName, Request};

    use super::{require_for_mcp, require_with_cookie, require_without_cookie};
    use crate::config::BaseUrl;

    fn request(headers: &[(&'static str, &str)]) -> Parts {
        let mut parts = Request::new(()).into_parts().0;
        for (name, value) in headers {
            let value = value.parse().expect("a header value");
            parts.headers.insert(HeaderName::from_static(name), value);
        }
        parts
    }

    fn is_allowed(headers: &[(&'static str, &str)]) -> (bool, bool) {
        let base_url = BaseUrl::parse("https://push.example").expect("an address");
        let parts = request(headers);
        (
            require_with_cookie(&parts, &base_url).is_ok(),
            require_without_cookie(&parts, &base_url).is_ok(),
        )
    }

    #[test]
    fn browsers_say_which_site_asks() {
        for site in ["same-origin", "none"] {
            assert_eq!(
                is_allowed(&[("sec-fetch-site", site)]),
                (true, true),
                "{site}"
            );
        }
        for site in ["same-site", "cross-site", "?"] {
            assert_eq!(
                is_allowed(&[("sec-fetch-site", site)]),
                (false, false),
                "{site}"
            );
        }
    }

    #[test]
    fn older_browsers_say_the_origin() {
        let host = ("host", "internal:3000");
        for origin in ["https://push.example", "http://internal:3000"] {
            assert_eq!(
                is_allowed(&[host, ("origin", origin)]),
                (true, true),
                "{origin}"
            );
        }
        for origin in [
            "https://evil.example",
            "http://push.example",
            "https://internal:3000",
            "null",
        ] {
            assert_eq!(
                is_allowed(&[host, ("origin", origin)]),
                (false, false),
                "{origin}"
            );
        }
    }

    #[test]
    fn silence_is_enough_only_without_a_cookie() {
        assert_eq!(is_allowed(&[]), (false, true));
    }

    #[test]
    fn a_name_that_was_pointed_here_lets_no_page_in() {
        let base_url = BaseUrl::parse("https://push.example").expect("an address");
        let passes = |headers: &[(&'static str, &str)]| {
            require_for_mcp(&request(headers), &base_url).is_ok()
        };
        assert!(passes(&[]) && passes(&[("sec-fetch-site", "none")]));
        assert!(!passes(&[("sec-fetch-site", "cross-site")]));
        for origin in [
            "https://push.example",
            "http://localhost:6274",
            "https://localhost",
            "http://127.0.0.1:3000",
            "http://[::1]:3000",
        ] {
            assert!(passes(&[("origin", origin)]), "{origin}");
        }
        for origin in [
            "https://evil.example",
            "http://push.example",
            "http://localhost.evil.example",
            "http://192.168.0.1",
            "file://",
            "null",
            "",
        ] {
            let host = origin.rsplit('/').next().unwrap_or_default();
            assert!(!passes(&[("origin", origin), ("host", host)]), "{origin}");
        }
    }
}
