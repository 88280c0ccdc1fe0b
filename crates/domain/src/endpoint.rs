//! URLs that strangers supply: endpoints of push services, and the links of a notification.

use std::net::IpAddr;

use serde::Serialize;
use url::{Host, Url};

use crate::{ErrorCode, OutboundPolicy, PushHosts};

/// The URL of a subscription at an external push service (SPEC 2.2), kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint(String);

impl Endpoint {
    /// Most bytes of an endpoint (CONTRACT 5).
    pub const MAX_BYTES: usize = 2_048;

    /// Reads an endpoint. What does not start with `https://` is `INVALID_URL`; what is no URL, has no host, has
    /// credentials or is over 2,048 bytes is `INVALID_ENDPOINT` (CONTRACT 5).
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        if !text.starts_with("https://") {
            return Err(ErrorCode::InvalidUrl);
        }
        if text.len() > Self::MAX_BYTES || !is_plain(text) {
            return Err(ErrorCode::InvalidEndpoint);
        }
        let url = Url::parse(text).map_err(|_| ErrorCode::InvalidEndpoint)?;
        let anonymous = url.username().is_empty() && url.password().is_none();
        if url.host().is_none() || !anonymous || !has_plain_authority(text) {
            return Err(ErrorCode::InvalidEndpoint);
        }
        Ok(Self(text.to_owned()))
    }

    /// Like [`Endpoint::parse`], and refuses an address literal that `policy` does not permit.
    pub fn parse_permitted(text: &str, policy: &OutboundPolicy) -> Result<Self, ErrorCode> {
        let endpoint = Self::parse(text)?;
        match endpoint.address_literal() {
            Some(address) if !policy.permits(address) => Err(ErrorCode::InvalidEndpoint),
            _ => Ok(endpoint),
        }
    }

    /// An endpoint out of this server's own database, which was parsed before it was stored.
    pub fn trusted(text: String) -> Self {
        Self(text)
    }

    /// The URL as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The URL in its parsed form; what [`Endpoint::parse`] made always has one.
    pub fn to_url(&self) -> Result<Url, ErrorCode> {
        Url::parse(&self.0).map_err(|_| ErrorCode::InvalidEndpoint)
    }

    /// The host in the text of an endpoint as it is written, without a port: a part of the text, so that finding it costs nothing.
    pub fn written_host(text: &str) -> &str {
        let authority = authority(text);
        match authority.find(']') {
            Some(end) => &authority[..=end],
            None => authority.split(':').next().unwrap_or_default(),
        }
    }

    /// Whether its push service is one of `hosts`.
    pub fn is_at(&self, hosts: &PushHosts) -> bool {
        let url = self.to_url().ok();
        let host = url.as_ref().and_then(Url::host);
        host.is_some_and(|host| hosts.permits(&host))
    }

    fn address_literal(&self) -> Option<IpAddr> {
        match self.to_url().ok()?.host()? {
            Host::Ipv4(v4) => Some(IpAddr::V4(v4)),
            Host::Ipv6(v6) => Some(IpAddr::V6(v6)),
            Host::Domain(_) => None,
        }
    }
}

/// An `https://` link of a notification: url, icon or badge (SPEC 2.4), kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HttpsUrl(String);

impl HttpsUrl {
    /// Reads a link; what does not start with `https://` or is no URL is `INVALID_URL` (CONTRACT 6).
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        if !text.starts_with("https://") || Url::parse(text).is_err() {
            return Err(ErrorCode::InvalidUrl);
        }
        Ok(Self(text.to_owned()))
    }

    /// The URL as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a host is written where it belongs, with no `@` before it: the URL parser looks for one further on, and forgets
/// credentials that are empty.
fn has_plain_authority(text: &str) -> bool {
    let authority = authority(text);
    !authority.is_empty() && !authority.contains('@')
}

/// What stands between `https://` and the path: the host, and its port if there is one.
fn authority(text: &str) -> &str {
    let rest = text.strip_prefix("https://").unwrap_or(text);
    rest.split(['/', '\\', '?', '#']).next().unwrap_or_default()
}

/// The URL parser forgives blanks and control characters; a request line does not.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, HttpsUrl};
    use crate::{ErrorCode, OutboundPolicy};

    #[test]
    fn the_scheme_decides_between_the_two_codes() {
        for text in ["http://a.example/x", "", "ftp://x", "HTTPS://a.example"] {
            assert_eq!(Endpoint::parse(text), Err(ErrorCode::InvalidUrl), "{text}");
        }
        for text in [
            "https://",
            "https://u:p@a.example/",
            "https://@a.example/",
            "https:///u@a.example/",
            "https:///a.example/",
            "https://a b/",
            "https://a.example/\r\nx",
            "https://[::1/x",
        ] {
            assert_eq!(
                Endpoint::parse(text),
                Err(ErrorCode::InvalidEndpoint),
                "{text}"
            );
        }
    }

    #[test]
    fn an_endpoint_has_at_most_2048_bytes() {
        let text = |n: usize| format!("https://a.example/{}", "x".repeat(n - 18));
        assert!(Endpoint::parse(&text(2_048)).is_ok());
        assert_eq!(
            Endpoint::parse(&text(2_049)),
            Err(ErrorCode::InvalidEndpoint)
        );
    }

    #[test]
    fn private_literals_are_refused_unless_allowed() {
        let closed = OutboundPolicy::default();
        for text in [
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "https://2130706433/x",
        ] {
            assert!(Endpoint::parse_permitted(text, &closed).is_err(), "{text}");
        }
        let open = OutboundPolicy::parse("127.0.0.0/8").expect("a CIDR list");
        assert!(Endpoint::parse_permitted("https://127.0.0.1/x", &open).is_ok());
    }

    #[test]
    fn links_are_https_only() {
        assert!(HttpsUrl::parse("https://example.com/a?b#c").is_ok());
        assert_eq!(HttpsUrl::parse("https://"), Err(ErrorCode::InvalidUrl));
        assert_eq!(
            HttpsUrl::parse("javascript:alert(1)"),
            Err(ErrorCode::InvalidUrl)
        );
    }
}
