//! Who asks: the address behind trusted proxies, and the scheme of the request (CONTRACT 1, `HATO_TRUSTED_PROXIES`).

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hato_service::ServiceError;
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};

use super::error::ApiError;
use crate::config::TrustedProxies;
use crate::state::AppState;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The other end of the connection.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddr(pub IpAddr);

/// The client behind a request, as far as rate limits and the check of origins care; its address itself is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientInfo {
    /// The address that counts in limits: an IPv6 client by its /64 (CONTRACT 3).
    pub rate_limit_key: IpAddr,
    /// The /48 of an IPv6 client, which is as much as a site is given.
    pub site: Option<IpAddr>,
    /// Whether the client reached us, or a proxy of ours, by https.
    pub is_https: bool,
}

/// The right-most address of `X-Forwarded-For` that is not a trusted proxy's, if `peer` is one; what cannot be read
/// ends the search at the proxy that passed it on.
fn client_ip(proxies: &TrustedProxies, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let forwarded = headers.get_all(X_FORWARDED_FOR).iter().rev();
    let hops = forwarded
        .flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|hop| !hop.is_empty());
    let mut ip = peer.to_canonical();
    for hop in hops {
        if !proxies.trusts(ip) {
            break;
        }
        match std::str::from_utf8(hop).ok().and_then(parse) {
            Some(address) => ip = address,
            None => break,
        }
    }
    ip
}

fn is_https(proxies: &TrustedProxies, peer: IpAddr, headers: &HeaderMap) -> bool {
    let scheme = headers.get(X_FORWARDED_PROTO).map(HeaderValue::as_bytes);
    proxies.trusts(peer.to_canonical()) && scheme == Some(b"https")
}

/// An address as proxies write it, with or without a port.
fn parse(text: &str) -> Option<IpAddr> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse().ok();
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    address
        .or_else(with_port)
        .map(|address| address.to_canonical())
}

/// The address by which a client counts: an IPv6 client by its /64 (CONTRACT 3), since it has all of that to choose from.
pub fn rate_limit_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        v4 @ IpAddr::V4(_) => v4,
        IpAddr::V6(v6) => network(v6, 64),
    }
}

/// The /48 of an IPv6 client.
pub fn site(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(v6) => Some(network(v6, 48)),
    }
}

fn network(address: Ipv6Addr, prefix: u32) -> IpAddr {
    let rest = u128::BITS - prefix;
    IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> rest << rest))
}

impl ClientInfo {
    /// What [`identify_client`] has put there.
    pub fn from_extensions(extensions: &Extensions) -> Result<Self, ApiError> {
        let client = extensions.get().copied();
        let unknown = || ServiceError::internal("a request without a client");
        Ok(client.ok_or_else(unknown)?)
    }
}

impl<S: Sync> FromRequestParts<S> for ClientInfo {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Self::from_extensions(&parts.extensions)
    }
}

/// Middleware: finds out who asks, for whoever wants to know.
pub async fn identify_client(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(PeerAddr(peer)) = request.extensions().get().copied() else {
        return ApiError::from(ServiceError::internal("a request without a peer")).into_response();
    };
    let (proxies, headers) = (&state.trusted_proxies, request.headers());
    let address = client_ip(proxies, peer, headers);
    let client = ClientInfo {
        rate_limit_key: rate_limit_key(address),
        site: site(address),
        is_https: is_https(proxies, peer, headers),
    };
    request.extensions_mut().insert(client);
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use http::{HeaderMap, HeaderValue};

    use super::{rate_limit_key, site};
    use crate::config::TrustedProxies;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let proxies = TrustedProxies::parse("127.0.0.1, 10.0.0.0/8, fd00::/8").expect("networks");
        let mut headers = HeaderMap::new();
        for value in forwarded {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header value");
            headers.append("x-forwarded-for", value);
        }
        let peer: IpAddr = peer.parse().expect("an address");
        super::client_ip(&proxies, peer, &headers).to_string()
    }

    #[test]
    fn strangers_are_not_believed() {
        assert_eq!(client("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn the_right_most_stranger_is_the_client() {
        for (forwarded, expected) in [
            (&["198.51.100.7"][..], "198.51.100.7"),
            (&["1.1.1.1, 198.51.100.7, 10.1.2.3"], "198.51.100.7"),
            (&["1.1.1.1", "198.51.100.7,10.1.2.3"], "198.51.100.7"),
            (&["198.51.100.7:4711"], "198.51.100.7"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["::ffff:198.51.100.7"], "198.51.100.7"),
            (&["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
            (&["198.51.100.7,, "], "198.51.100.7"),
            (&[], "127.0.0.1"),
        ] {
            assert_eq!(client("127.0.0.1", forwarded), expected, "{forwarded:?}");
            assert_eq!(
                client("::ffff:127.0.0.1", forwarded),
                expected,
                "{forwarded:?}"
            );
        }
    }

    #[test]
    fn garbage_ends_the_search() {
        assert_eq!(client("127.0.0.1", &["1.1.1.1, unknown"]), "127.0.0.1");
        assert_eq!(client("127.0.0.1", &["1.1.1.1, x, 10.1.2.3"]), "10.1.2.3");
        let left_of_a_stranger = ["x\u{e9}, 198.51.100.7"];
        assert_eq!(client("127.0.0.1", &left_of_a_stranger), "198.51.100.7");
    }

    #[test]
    fn an_ipv6_client_counts_by_its_network() {
        let counted = |text: &str| rate_limit_key(text.parse().expect("an address")).to_string();
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(counted("192.0.2.1"), "192.0.2.1");
        assert_eq!(counted("::ffff:192.0.2.1"), "192.0.2.1");
        let site = |text: &str| site(text.parse().expect("an address"));
        let network = "2001:db8:1::".parse().expect("an address");
        assert_eq!(site("2001:db8:1:2:3:4:5:6"), Some(network));
        assert_eq!(site("192.0.2.1"), None);
    }
}
