//! The base address: where browsers reach the server.

use url::{Host, Url};

/// Scheme, host and port, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    origin: String,
}

impl BaseUrl {
    /// Reads an http or https address that has no path, query or credentials.
    pub fn parse(text: &str) -> Option<Self> {
        let url = web_url(text)?;
        let anonymous = url.username().is_empty() && url.password().is_none();
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let origin = url.origin().ascii_serialization();
        (url.has_host() && anonymous && bare).then_some(Self { origin })
    }

    /// The address, which is also its origin as browsers write it (RFC 6454 §6.2).
    pub fn as_str(&self) -> &str {
        &self.origin
    }

    /// Whether cookies are `Secure`.
    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https:")
    }

    /// Whether browsers of other machines come without https.
    pub fn is_unprotected(&self) -> bool {
        let url = web_url(&self.origin);
        let is_local = match url.as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(v4)) => v4.is_loopback(),
            Some(Host::Ipv6(v6)) => v6.is_loopback(),
            None => false,
        };
        !self.is_https() && !is_local
    }
}

/// Reads an http or https address; `None` for any other.
pub fn web_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::BaseUrl;

    #[test]
    fn an_address_is_brought_to_the_form_of_an_origin() {
        let base = BaseUrl::parse("https://Push.Example.com:443/").expect("an address");
        assert_eq!(base.as_str(), "https://push.example.com");
        assert!(base.is_https());
        let local = BaseUrl::parse("http://localhost:3000").expect("an address");
        assert!(!local.is_https());
    }

    #[test]
    fn more_than_an_origin_is_refused() {
        for text in [
            "",
            "localhost:3000",
            "ftp://a.example",
            "https://a.example/hato",
            "https://a.example/?x",
            "https://u@a.example",
        ] {
            assert_eq!(BaseUrl::parse(text), None, "{text}");
        }
    }
}
