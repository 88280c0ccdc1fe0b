//! The filter between strangers' URLs and the operator's network: only permitted addresses are handed out.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use hato_domain::OutboundPolicy;
use url::Host;

use crate::resolver::{LookupError, Resolver};

/// Addresses of one name that are handed out, so that a name with hundreds of them does not buy hundreds of attempts.
const MAX_ADDRESSES: usize = 4;

/// There is no address to connect to.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ResolveError {
    /// The host has addresses, and may not be connected to.
    #[error("the address is not permitted")]
    Blocked,
    /// The name does not resolve.
    #[error("the name does not resolve: {0}")]
    Unresolved(#[from] LookupError),
}

/// Turns hosts into addresses that the operator's policy permits (CONTRACT 5, `HATO_OUTBOUND_ALLOW`).
///
/// The addresses that it hands out are the ones to connect to: resolving the name once more could give others. A name one of whose
/// addresses is not permitted is blocked as a whole: no honest host has both, and whoever gives such answers is about to let the name
/// mean the others alone (DNS rebinding). Only of this machine's own addresses one does for all: `localhost` has one of each kind.
#[derive(Clone, Debug)]
pub struct AddressFilter {
    policy: OutboundPolicy,
    resolver: Arc<dyn Resolver>,
}

impl AddressFilter {
    /// A filter that lets through what `policy` permits of what `resolver` finds.
    pub fn new(policy: OutboundPolicy, resolver: Arc<dyn Resolver>) -> Self {
        Self { policy, resolver }
    }

    /// The permitted addresses of `host` with `port`, at least one and at most four. IPv4 comes first, and then they take turns, so that
    /// a machine that has only one of the two finds its own among them.
    pub async fn addresses(
        &self,
        host: &Host<String>,
        port: u16,
    ) -> Result<Vec<SocketAddr>, ResolveError> {
        let found = match host {
            Host::Ipv4(v4) => vec![IpAddr::V4(*v4)],
            Host::Ipv6(v6) => vec![IpAddr::V6(*v6)],
            Host::Domain(name) => self.resolver.addresses(name).await?,
        };
        let permitted = alternating(self.permitted(found)?).take(MAX_ADDRESSES);
        Ok(permitted.map(|it| SocketAddr::new(it, port)).collect())
    }

    /// Whether `host` is a permitted address literal, or a name, whose addresses are filtered when it is resolved.
    pub fn permits_literal<S>(&self, host: &Host<S>) -> bool {
        match host {
            Host::Ipv4(v4) => self.policy.permits(IpAddr::V4(*v4)),
            Host::Ipv6(v6) => self.policy.permits(IpAddr::V6(*v6)),
            Host::Domain(_) => true,
        }
    }

    fn permitted(&self, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, ResolveError> {
        let (permitted, others): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|address| self.policy.permits(*address));
        let has_own = permitted.iter().any(IpAddr::is_loopback);
        let blocked = others.iter().any(|it| !(has_own && it.is_loopback()));
        if permitted.is_empty() || blocked {
            Err(ResolveError::Blocked)
        } else {
            Ok(permitted)
        }
    }
}

/// An address of IPv4, one of IPv6, and so on, each kind in its order.
fn alternating(addresses: Vec<IpAddr>) -> impl Iterator<Item = IpAddr> {
    let (v4, v6): (Vec<_>, Vec<_>) = addresses.into_iter().partition(IpAddr::is_ipv4);
    let (mut v4, mut v6) = (v4.into_iter(), v6.into_iter());
    let mut take_v6 = true;
    std::iter::from_fn(move || {
        take_v6 = !take_v6;
        if take_v6 {
            v6.next().or_else(|| v4.next())
        } else {
            v4.next().or_else(|| v6.next())
        }
    })
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, SocketAddr};
    use std::sync::Arc;

    use async_trait::async_trait;
    use hato_domain::OutboundPolicy;
    use url::{Host, Url};

    use super::{AddressFilter, ResolveError};
    use crate::resolver::{LookupError, Resolver};

    /// Every name has these addresses.
    #[derive(Debug)]
    struct Fixed(&'static [&'static str]);

    #[async_trait]
    impl Resolver for Fixed {
        async fn addresses(&self, _: &str) -> Result<Vec<IpAddr>, LookupError> {
            let addresses = self.0.iter();
            Ok(addresses
                .map(|it| it.parse().expect("an address"))
                .collect())
        }
    }

    async fn addresses(
        allowed: &str,
        url: &str,
        found: &'static [&'static str],
    ) -> Result<Vec<SocketAddr>, ResolveError> {
        let policy = OutboundPolicy::parse(allowed).expect("a CIDR list");
        let url = Url::parse(url).expect("a URL");
        let host: Host<String> = url.host().expect("a host").to_owned();
        let port = url.port_or_known_default().expect("a port");
        let filter = AddressFilter::new(policy, Arc::new(Fixed(found)));
        filter.addresses(&host, port).await
    }

    /// The addresses of a name that resolves to `found`, as texts; None when it is blocked.
    async fn of_name(allowed: &str, found: &'static [&'static str]) -> Option<Vec<String>> {
        match addresses(allowed, "https://push.example/x", found).await {
            Ok(found) => Some(found.iter().map(|it| it.ip().to_string()).collect()),
            Err(ResolveError::Blocked) => None,
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn private_addresses_are_blocked_by_name_and_by_literal() {
        for endpoint in [
            "https://localhost/x",
            "https://127.0.0.1/x",
            "https://2130706433/x",
            "https://[::1]/x",
            "https://[::ffff:127.0.0.1]/x",
            "https://169.254.169.254/x",
        ] {
            let found = addresses("", endpoint, &["127.0.0.1", "::1"]).await;
            assert!(matches!(found, Err(ResolveError::Blocked)), "{endpoint}");
        }
    }

    #[tokio::test]
    async fn what_is_allowed_and_only_that_comes_through() {
        let url = "https://localhost:8443/x";
        let found = addresses("127.0.0.0/8", url, &["::1", "127.0.0.1"]).await;
        let expected: SocketAddr = "127.0.0.1:8443".parse().expect("an address");
        assert_eq!(found.expect("an address"), [expected]);
    }

    #[tokio::test]
    async fn a_name_with_a_forbidden_address_is_blocked() {
        for found in [
            &["1.1.1.1", "10.0.0.1"] as &[_],
            &["10.0.0.1", "1.1.1.1", "2606:4700::1"],
            &["2606:4700::1", "::1"],
            // The fifth would not be connected to.
            &["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "10.0.0.1"],
        ] {
            assert_eq!(of_name("", found).await, None, "{found:?}");
        }
        for found in [
            &["10.0.0.1", "192.168.0.1"] as &[_],
            &["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254"],
            &["10.0.0.1", "127.0.0.1"],
        ] {
            assert_eq!(of_name("10.0.0.0/8", found).await, None, "{found:?}");
        }
        let found = &["127.0.0.1", "10.0.0.1"];
        assert_eq!(of_name("127.0.0.0/8", found).await, None);
        let allowed = of_name("10.0.0.0/8", &["1.1.1.1", "10.0.0.1"]).await;
        assert_eq!(allowed.expect("permitted"), ["1.1.1.1", "10.0.0.1"]);
    }

    #[tokio::test]
    async fn four_addresses_are_tried_at_most_and_both_kinds_are_among_them() {
        let found = &[
            "2606:4700::1",
            "2606:4700::2",
            "2606:4700::3",
            "1.1.1.1",
            "1.1.1.2",
        ];
        let expected = ["1.1.1.1", "2606:4700::1", "1.1.1.2", "2606:4700::2"];
        assert_eq!(of_name("", found).await.expect("permitted"), expected);
        let found = &["1.1.1.1", "1.1.1.2", "1.1.1.3", "2606:4700::1", "1.1.1.4"];
        let expected = ["1.1.1.1", "2606:4700::1", "1.1.1.2", "1.1.1.3"];
        assert_eq!(of_name("", found).await.expect("permitted"), expected);
    }

    #[tokio::test]
    async fn a_public_literal_needs_no_permission() {
        let found = addresses("", "https://1.1.1.1/x", &[]).await;
        let found = found.expect("an address");
        assert_eq!(found, ["1.1.1.1:443".parse().expect("an address")]);
    }
}
