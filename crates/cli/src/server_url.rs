//! The address of a Hato server.

use std::fmt;

use url::{Host, Url};

use crate::error::{CliError, Result};

/// An http or https origin, shown without a slash at the end.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl(Url);

impl ServerUrl {
    /// A path, query or credentials in the address are a mistake.
    pub fn parse(text: &str) -> Result<Self> {
        let url = Url::parse(text).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.password().is_none()
                && matches!(url.path(), "" | "/")
                && url.query().is_none()
                && url.fragment().is_none()
        });
        url.map(Self).ok_or_else(|| {
            CliError::usage(
                format!("{text} is no server's address"),
                "use one like https://push.example.com",
            )
        })
    }

    pub fn url(&self) -> &Url {
        &self.0
    }

    pub fn with_path(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(path);
        url
    }

    /// Whether only this machine reaches it.
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(v4)) => v4.is_loopback(),
            Some(Host::Ipv6(v6)) => v6.is_loopback(),
            None => false,
        }
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::ServerUrl;

    #[test]
    fn a_server_is_an_origin() {
        let shown = |text: &str| ServerUrl::parse(text).map(|url| url.to_string()).ok();
        let expected = Some("https://a.example".to_owned());
        assert_eq!(shown("https://a.example/"), expected);
        assert_eq!(shown("http://[::1]:3000"), Some("http://[::1]:3000".into()));
        for text in [
            "a.example",
            "ftp://a",
            "https://u:p@a",
            "https://a/x",
            "https://a/?q",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
