//! The sites whose pages subscribe browsers.

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The origin of a page that has subscribed a browser, which the browser names as the sender: its scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteOrigin(String);

impl SiteOrigin {
    /// Most bytes of an origin: a scheme, a host's 253 and a port fit.
    const MAX_BYTES: usize = 270;

    /// Reads what a browser sends as `Origin` (RFC 6454 §7). Nothing for what no service worker runs on: `null`, or another
    /// scheme than `https`, this machine's `http://localhost` aside.
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text)
            .ok()
            .filter(|_| text.len() <= Self::MAX_BYTES)?;
        let is_local = match url.host()? {
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        let is_origin = url.origin().ascii_serialization() == text;
        (is_secure && is_origin).then(|| Self(text.to_owned()))
    }

    /// The origin as a browser sends it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What browsers call the sender: the host, and the port where that is not the scheme's own.
    pub fn name(&self) -> &str {
        let end_of_scheme = self.0.find("://").map_or(0, |at| at + "://".len());
        &self.0[end_of_scheme..]
    }
}

#[cfg(test)]
mod tests {
    use super::SiteOrigin;

    #[test]
    fn an_origin_is_one_where_a_worker_runs() {
        for (text, name) in [
            ("https://shop.example", "shop.example"),
            ("https://shop.example:8443", "shop.example:8443"),
            ("http://localhost:3000", "localhost:3000"),
            ("http://127.0.0.1:3000", "127.0.0.1:3000"),
        ] {
            let origin = SiteOrigin::parse(text).expect("an origin");
            assert_eq!((origin.as_str(), origin.name()), (text, name));
        }
        let endless = format!("https://{}.example", "a".repeat(300));
        for text in [
            "",
            "null",
            "http://shop.example",
            "https://shop.example/",
            "https://u@shop.example",
            "https://Shop.example",
            "file://x",
            &endless,
        ] {
            assert_eq!(SiteOrigin::parse(text), None, "{text}");
        }
    }
}
