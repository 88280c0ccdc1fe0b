//! The filter between strangers' URLs and the operator's network: only vetted addresses are connected to.
//!
//! It works where names become addresses, so a name cannot be public when it is checked and private when it is used; and it
//! sees address literals, which no resolver sees.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use hato_domain::OutboundPolicy;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Host;

use crate::push::origin::Origin;

/// Name lookups at a time: they occupy threads, and a stranger's name server may be slow.
const MAX_LOOKUPS: usize = 32;
/// Addresses of one name that are tried.
const MAX_ADDRESSES: usize = 4;

/// The right to look up a name.
pub type LookupPermit = OwnedSemaphorePermit;

/// No address to connect to.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The host has addresses, and none of them is permitted.
    #[error("the address is not permitted")]
    Blocked,
    /// The name does not resolve.
    #[error("the name does not resolve: {0}")]
    Unresolved(#[from] io::Error),
}

/// Resolves hosts to addresses that the policy permits.
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

    /// The right to look `origin` up, when it is its turn.
    pub async fn lookup(&self, origin: &Origin) -> Option<LookupPermit> {
        match origin.host() {
            Host::Domain(_) => Arc::clone(&self.lookups).acquire_owned().await.ok(),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        }
    }

    /// The addresses of `origin` that may be connected to, at least one and at most four.
    pub async fn addresses(
        &self,
        origin: &Origin,
        lookup: Option<LookupPermit>,
    ) -> Result<Vec<SocketAddr>, ResolveError> {
        let found = match origin.host() {
            Host::Ipv4(v4) => vec![SocketAddr::new(IpAddr::V4(*v4), origin.port())],
            Host::Ipv6(v6) => vec![SocketAddr::new(IpAddr::V6(*v6), origin.port())],
            Host::Domain(name) => look_up(name.clone(), origin.port(), lookup).await?,
        };
        self.keep_permitted(found)
    }

    /// The addresses of a host's name that may be connected to, without a port; for literals, which are not looked up, there
    /// is [`Self::permits`].
    pub async fn look_up_permitted(&self, name: String) -> Result<Vec<SocketAddr>, ResolveError> {
        let lookup = Arc::clone(&self.lookups).acquire_owned().await.ok();
        let found = look_up(name, 0, lookup).await?;
        self.keep_permitted(found)
    }

    /// Whether a host may be connected to as far as its text tells: a name may, for its addresses are vetted later.
    pub fn permits<S>(&self, host: &Host<S>) -> bool {
        match host {
            Host::Ipv4(v4) => self.policy.permits(IpAddr::V4(*v4)),
            Host::Ipv6(v6) => self.policy.permits(IpAddr::V6(*v6)),
            Host::Domain(_) => true,
        }
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

/// The right stays with the thread: a caller who gives up does not free a thread that still waits for an answer.
async fn look_up(
    name: String,
    port: u16,
    lookup: Option<LookupPermit>,
) -> Result<Vec<SocketAddr>, io::Error> {
    let looking = tokio::task::spawn_blocking(move || {
        let found = (name.as_str(), port).to_socket_addrs().map(Vec::from_iter);
        drop(lookup);
        found
    });
    let found = looking.await.map_err(io::Error::other)??;
    if found.is_empty() {
        Err(io::ErrorKind::NotFound.into())
    } else {
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use hato_domain::{Endpoint, OutboundPolicy};

    use super::{AddressFilter, ResolveError};
    use crate::push::origin::{Origin, PushTarget};

    fn origin(endpoint: &str) -> Origin {
        PushTarget::from_endpoint(&Endpoint::parse(endpoint).expect("an endpoint"))
            .expect("a target")
            .origin
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
            let found = filter("").addresses(&origin(endpoint), None).await;
            assert!(matches!(found, Err(ResolveError::Blocked)), "{endpoint}");
        }
    }

    #[tokio::test]
    async fn what_is_allowed_and_only_that_comes_through() {
        let found = filter("127.0.0.0/8")
            .addresses(&origin("https://localhost:8443/x"), None)
            .await;
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
        let vetted = filter("")
            .keep_permitted(found.to_vec())
            .expect("an address");
        assert_eq!(vetted, [found[1], found[3]]);
    }

    #[tokio::test]
    async fn a_public_literal_needs_no_permission() {
        let found = filter("")
            .addresses(&origin("https://1.1.1.1/x"), None)
            .await
            .expect("an address");
        assert_eq!(found, ["1.1.1.1:443".parse().expect("an address")]);
    }
}
