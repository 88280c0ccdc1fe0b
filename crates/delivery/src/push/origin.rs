//! Where a push goes: the origin that connections are made to, and the request target there.

use std::fmt;
use std::sync::Arc;

use hato_domain::Endpoint;
use http::Uri;
use http::uri::{Authority, Parts, PathAndQuery, Scheme};
use url::{Host, Url};

const HTTPS_PORT: u16 = 443;

/// Scheme, host and port of an endpoint; the scheme is always https (SPEC 2.2).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    pub host: Arc<Host<String>>,
    pub port: u16,
}

impl Origin {
    /// `host`, or `host:port` if the port is not 443.
    pub fn authority(&self) -> String {
        match self.port {
            HTTPS_PORT => self.host.to_string(),
            port => format!("{}:{port}", self.host),
        }
    }

    /// Whether this is Microsoft's push service (WNS), which asks for a header of its own.
    pub fn is_windows(&self) -> bool {
        let Host::Domain(name) = &*self.host else {
            return false;
        };
        name == "notify.windows.com" || name.ends_with(".notify.windows.com")
    }

    /// Whether this is Apple's push service, which takes declarative messages (CONTRACT 13).
    pub fn is_apple(&self) -> bool {
        matches!(&*self.host, Host::Domain(name) if name == "web.push.apple.com")
    }
}

/// The serialization of RFC 6454 §6.2, which a VAPID token's `aud` must equal (RFC 8292 §2).
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}", self.authority())
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The endpoint is a URL that no HTTP request can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the endpoint is no URL that a request can name")]
pub struct InvalidTargetError;

/// An endpoint, taken apart for a request.
#[derive(Clone, Debug)]
pub struct PushTarget {
    /// The origin to connect to.
    pub origin: Origin,
    /// The absolute form, without a fragment.
    pub uri: Uri,
}

impl PushTarget {
    /// Takes an endpoint apart into the origin to connect to and the URI to ask for.
    pub fn from_endpoint(endpoint: &Endpoint) -> Result<Self, InvalidTargetError> {
        let url = endpoint.to_url().map_err(|_| InvalidTargetError)?;
        let host = url.host().ok_or(InvalidTargetError)?.to_owned();
        let port = url.port_or_known_default().ok_or(InvalidTargetError)?;
        let origin = Origin {
            host: Arc::new(host),
            port,
        };
        let uri = uri(&origin, &url).map_err(|_| InvalidTargetError)?;
        Ok(Self { origin, uri })
    }
}

fn uri(origin: &Origin, url: &Url) -> Result<Uri, http::Error> {
    let path = match url.query() {
        Some(query) => PathAndQuery::try_from(format!("{}?{query}", url.path()))?,
        None => PathAndQuery::try_from(url.path())?,
    };
    let mut parts = Parts::default();
    parts.scheme = Some(Scheme::HTTPS);
    parts.authority = Some(Authority::try_from(origin.authority())?);
    parts.path_and_query = Some(path);
    Ok(Uri::from_parts(parts)?)
}

#[cfg(test)]
mod tests {
    use hato_domain::Endpoint;

    use super::PushTarget;

    fn target(text: &str) -> PushTarget {
        PushTarget::from_endpoint(&Endpoint::parse(text).expect("an endpoint")).expect("a target")
    }

    #[test]
    fn an_origin_has_no_slash_and_no_default_port() {
        for (endpoint, origin) in [
            (
                "https://Push.Example.com/a/b?c#d",
                "https://push.example.com",
            ),
            ("https://push.example.com:443/", "https://push.example.com"),
            (
                "https://push.example.com:8443",
                "https://push.example.com:8443",
            ),
            ("https://[2001:DB8::1]:444/x", "https://[2001:db8::1]:444"),
            ("https://日本.example/x", "https://xn--wgv71a.example"),
        ] {
            assert_eq!(target(endpoint).origin.to_string(), origin);
        }
    }

    #[test]
    fn a_target_is_the_endpoint_without_its_fragment() {
        for (endpoint, uri) in [
            (
                "https://a.example/wpush/v2/gAAA:x_-=?t=1%2F#frag",
                "/wpush/v2/gAAA:x_-=?t=1%2F",
            ),
            ("https://a.example", "/"),
            ("https://a.example?q", "/?q"),
            ("https://a.example/é{}|", "/%C3%A9%7B%7D|"),
        ] {
            assert_eq!(
                target(endpoint).uri.to_string(),
                format!("https://a.example{uri}")
            );
        }
    }

    #[test]
    fn windows_is_known_by_its_host() {
        assert!(
            target("https://wns2-am3p.notify.windows.com/w/?token=x")
                .origin
                .is_windows()
        );
        assert!(
            !target("https://notify.windows.com.example/w/")
                .origin
                .is_windows()
        );
        assert!(
            !target("https://evilnotify.windows.com/w/")
                .origin
                .is_windows()
        );
    }

    #[test]
    fn apples_push_service_is_one_host() {
        let is_apple = |endpoint| target(endpoint).origin.is_apple();
        assert!(is_apple("https://web.push.apple.com/QGuQ"));
        assert!(is_apple("https://WEB.push.apple.com:8443/QGuQ"));
        for other in [
            "https://push.apple.com/Q",
            "https://a.web.push.apple.com/Q",
            "https://web.push.apple.com.example/Q",
        ] {
            assert!(!is_apple(other), "{other}");
        }
    }
}
