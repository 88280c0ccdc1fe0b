//! The filter between strangers' URLs and the operator's network: only permitted addresses are handed out.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use hato_domain::OutboundPolicy;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Host;

/// Name lookups at a time. The system's resolver blocks a thread for each, and a stranger's name server may take seconds.
const MAX_LOOKUPS: usize = 32;
/// Addresses of one name that are handed out, so that a name with hundreds of them does not buy hundreds of attempts.
const MAX_ADDRESSES: usize = 4;

/// One of the filter's 32 name lookups; whoever holds it may start one.
pub type LookupPermit = OwnedSemaphorePermit;

/// There is no address to connect to.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The host has addresses, and none of them is permitted.
    #[error("the address is not permitted")]
    Blocked,
    /// The name does not resolve.
    #[error("the name does not resolve: {0}")]
    Unresolved(#[from] io::Error),
}

/// Turns hosts into addresses that the operator's policy permits (CONTRACT 5, `HATO_OUTBOUND_ALLOW`).
///
/// The addresses that it hands out are the ones to connect to: resolving the name once more could give others. Clones share the
/// bound on lookups.
#[derive(Clone, Debug)]
pub struct AddressFilter {
    policy: OutboundPolicy,
    lookups: Arc<Semaphore>,
}

impl AddressFilter {
    /// A filter that lets through what `policy` permits.
    pub fn new(policy: OutboundPolicy) -> Self {
        Self {
            policy,
            lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)),
        }
    }

    /// Waits until it is `host`'s turn to be looked up; None at once for an address literal, which needs no lookup. It is apart
    /// from [`Self::addresses`] so that a time-out can leave out the wait, which says nothing about the host.
    pub async fn lookup_permit(&self, host: &Host<String>) -> Option<LookupPermit> {
        match host {
            Host::Domain(_) => Arc::clone(&self.lookups).acquire_owned().await.ok(),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        }
    }

    /// The permitted addresses of `host` with `port`, at least one and at most four, in the resolver's order.
    pub async fn addresses(
        &self,
        host: &Host<String>,
        port: u16,
        permit: Option<LookupPermit>,
    ) -> Result<Vec<SocketAddr>, ResolveError> {
        let found = match host {
            Host::Ipv4(v4) => vec![SocketAddr::new(IpAddr::V4(*v4), port)],
            Host::Ipv6(v6) => vec![SocketAddr::new(IpAddr::V6(*v6), port)],
            Host::Domain(name) => resolve(name.clone(), port, permit).await?,
        };
        self.keep_permitted(found)
    }

    /// Whether `host` is a permitted address literal, or a name, whose addresses are filtered when it is resolved.
    pub fn permits_literal<S>(&self, host: &Host<S>) -> bool {
        match host {
            Host::Ipv4(v4) => self.policy.permits(IpAddr::V4(*v4)),
            Host::Ipv6(v6) => self.policy.permits(IpAddr::V6(*v6)),
            Host::Domain(_) => true,
        }
    }

    /// The permitted addresses of the host called `name`, with port 0.
    pub(crate) async fn look_up(&self, name: String) -> Result<Vec<SocketAddr>, ResolveError> {
        let host = Host::Domain(name);
        let permit = self.lookup_permit(&host).await;
        self.addresses(&host, 0, permit).await
    }

    fn keep_permitted(&self, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, ResolveError> {
        let permitted = found
            .into_iter()
            .filter(|address| self.policy.permits(address.ip()));
        let permitted: Vec<_> = permitted.take(MAX_ADDRESSES).collect();
        if permitted.is_empty() {
            Err(ResolveError::Blocked)
        } else {
            Ok(permitted)
        }
    }
}

/// Asks the system's resolver. The permit goes along to the blocking thread: a caller who gives up at a time-out does not free a
/// thread that still waits for an answer.
async fn resolve(
    name: String,
    port: u16,
    permit: Option<LookupPermit>,
) -> Result<Vec<SocketAddr>, io::Error> {
    let lookup = tokio::task::spawn_blocking(move || {
        let found = (name.as_str(), port).to_socket_addrs().map(Vec::from_iter);
        drop(permit);
        found
    });
    let found = lookup.await.map_err(io::Error::other)??;
    if found.is_empty() {
        Err(io::ErrorKind::NotFound.into())
    } else {
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use hato_domain::OutboundPolicy;
    use url::{Host, Url};

    use super::{AddressFilter, ResolveError};

    async fn addresses(allowed: &str, url: &str) -> Result<Vec<SocketAddr>, ResolveError> {
        let filter = filter(allowed);
        let url = Url::parse(url).expect("a URL");
        let host: Host<String> = url.host().expect("a host").to_owned();
        let port = url.port_or_known_default().expect("a port");
        let permit = filter.lookup_permit(&host).await;
        filter.addresses(&host, port, permit).await
    }

    fn filter(allowed: &str) -> AddressFilter {
        AddressFilter::new(OutboundPolicy::parse(allowed).expect("a CIDR list"))
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
            let found = addresses("", endpoint).await;
            assert!(matches!(found, Err(ResolveError::Blocked)), "{endpoint}");
        }
    }

    #[tokio::test]
    async fn what_is_allowed_and_only_that_comes_through() {
        let found = addresses("127.0.0.0/8", "https://localhost:8443/x").await;
        let found = found.expect("an address");
        assert!(!found.is_empty());
        assert!(
            found
                .iter()
                .all(|address| address.is_ipv4() && address.port() == 8443)
        );
    }

    #[test]
    fn of_a_name_with_public_and_private_addresses_only_the_public_ones_are_used() {
        let found = [
            "10.0.0.1:443",
            "1.1.1.1:443",
            "[::1]:443",
            "[2606:4700::1]:443",
        ];
        let found = found.map(|address| address.parse().expect("an address"));
        let permitted = filter("")
            .keep_permitted(found.to_vec())
            .expect("an address");
        assert_eq!(permitted, [found[1], found[3]]);
    }

    #[tokio::test]
    async fn a_public_literal_needs_no_permission() {
        let found = addresses("", "https://1.1.1.1/x")
            .await
            .expect("an address");
        assert_eq!(found, ["1.1.1.1:443".parse().expect("an address")]);
    }
}
