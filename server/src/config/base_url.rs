//! The public address of the server.

use url::Url;

/// Scheme, host and port, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    origin: String,
}

impl BaseUrl {
    /// Reads an http or https address that has no path, query or credentials.
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let web = matches!(url.scheme(), "http" | "https") && url.has_host();
        let anonymous = url.username().is_empty() && url.password().is_none();
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let origin = url.origin().ascii_serialization();
        (web && anonymous && bare).then_some(Self { origin })
    }

    /// The address, which is also its origin as browsers write it (RFC 6454 §6.2).
    pub fn as_str(&self) -> &str {
        &self.origin
    }

    /// Whether cookies are `Secure`.
    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https:")
    }
}

impl Default for BaseUrl {
    fn default() -> Self {
        let origin = "http://localhost:3000".to_owned();
        Self { origin }
    }
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
        assert!(!BaseUrl::default().is_https());
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
