//! What must hold for any bytes whatever: the targets of `make fuzz` in this crate. Each panics when it does not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{Endpoint, OutboundPolicy, UnixMillis};
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue};
use tokio::runtime::Builder;
use url::Url;

use crate::resolver::{LookupError, Resolver};
use crate::{AddressFilter, retry_after};

/// 2026-01-01T00:00:00Z, when `Retry-After` is read.
const NOW: UnixMillis = UnixMillis(1_767_225_600_000);

/// However an endpoint writes its host, and whatever that resolves to: only public addresses are handed out, and those within the
/// networks that the operator allows. The first line is what `HATO_OUTBOUND_ALLOW` says, and the second the endpoint behind
/// `https://`; addresses follow, each after a byte whose lowest bit tells IPv6 from IPv4.
pub fn addresses(data: &[u8]) {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (allowed, endpoint, found) = (line(), line(), line());
    let (Ok(allowed), Ok(endpoint)) = (str::from_utf8(allowed), str::from_utf8(endpoint)) else {
        return;
    };
    let endpoint = format!("https://{endpoint}");
    let Some(policy) = OutboundPolicy::parse(allowed) else {
        return;
    };
    let allowed = networks(allowed);
    let is_permitted = |address: IpAddr| !is_internal(address) || is_within(&allowed, address);
    let is_endpoint = Endpoint::parse_permitted(&endpoint, &policy).is_ok();
    let url = Url::parse(&endpoint).ok();
    let Some(host) = url.and_then(|url| url.host().map(|it| it.to_owned())) else {
        return;
    };
    let found = resolved(found);
    let Some(handed_out) = handed_out(policy, &host, found.clone()) else {
        return;
    };
    assert!((1..=4).contains(&handed_out.len()));
    for address in handed_out {
        assert!(is_permitted(address.ip()), "{host}: {address}");
    }
    match host {
        url::Host::Domain(_) => assert!(is_permitted_name(&found, is_permitted), "{host}"),
        // What is no endpoint for another reason is not asked about.
        _ => assert!(is_endpoint || Endpoint::parse(&endpoint).is_err(), "{host}"),
    }
}

/// Whether all of a name's addresses are permitted; of this machine's own, one does for all.
fn is_permitted_name(found: &[IpAddr], is_permitted: impl Fn(IpAddr) -> bool) -> bool {
    let has_own = found.iter().any(|it| it.is_loopback() && is_permitted(*it));
    found
        .iter()
        .all(|it| is_permitted(*it) || (has_own && it.is_loopback()))
}

/// What the filter hands out for a host that resolves to these.
fn handed_out(
    policy: OutboundPolicy,
    host: &url::Host,
    found: Vec<IpAddr>,
) -> Option<Vec<SocketAddr>> {
    let filter = AddressFilter::new(policy, Arc::new(FixedResolver(found)));
    let runtime = Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime starts");
    let handed_out = runtime.block_on(filter.addresses(host, 443));
    handed_out.ok()
}

/// A list of networks, read without the policy's help: each with how many bits addresses in it have in common.
fn networks(list: &str) -> Vec<(IpAddr, u32)> {
    let items = list.split(',').map(str::trim).filter(|it| !it.is_empty());
    let network = |item: &str| {
        let (address, bits) = item.split_once('/').unwrap_or((item, "128"));
        let address: IpAddr = address.parse().expect("the policy has read it");
        let bits: u32 = bits.parse().expect("the policy has read it");
        (address, bits)
    };
    items.map(network).collect()
}

/// Whether the address begins as one of the networks does; one that is IPv4 in a form of IPv6 counts as that.
fn is_within(networks: &[(IpAddr, u32)], address: IpAddr) -> bool {
    networks
        .iter()
        .any(|(network, bits)| match (network, address.to_canonical()) {
            (IpAddr::V4(begin), IpAddr::V4(it)) => {
                (begin.to_bits() ^ it.to_bits()).leading_zeros() >= *bits.min(&32)
            }
            (IpAddr::V6(begin), IpAddr::V6(it)) => {
                (begin.to_bits() ^ it.to_bits()).leading_zeros() >= *bits
            }
            _ => false,
        })
}

/// What every name resolves to.
#[derive(Debug)]
struct FixedResolver(Vec<IpAddr>);

#[async_trait]
impl Resolver for FixedResolver {
    async fn addresses(&self, _: &str) -> Result<Vec<IpAddr>, LookupError> {
        Ok(self.0.clone())
    }
}

fn resolved(mut data: &[u8]) -> Vec<IpAddr> {
    let mut addresses = Vec::new();
    while let Some((kind, rest)) = data.split_first() {
        let (address, rest) = if kind & 1 == 0 {
            let Some((v4, rest)) = rest.split_first_chunk::<4>() else {
                break;
            };
            (IpAddr::from(*v4), rest)
        } else {
            let Some((v6, rest)) = rest.split_first_chunk::<16>() else {
                break;
            };
            (IpAddr::from(*v6), rest)
        };
        addresses.push(address);
        data = rest;
    }
    addresses
}

/// Whether an address leads into somebody's own network, or nowhere: not by the tables of the policy, but as the standard library has
/// it, and by the forms in which IPv6 carries IPv4.
fn is_internal(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_internal_v4(v4),
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_multicast()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || is_teredo_or_site_local(v6)
                || carried_v4(v6).is_some_and(is_internal_v4)
        }
    }
}

/// The address that 6to4, NAT64 and the two plain forms carry.
fn carried_v4(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let octets = v6.octets();
    let at = match octets {
        [0x20, 0x02, ..] => 2,
        [0x00, 0x64, 0xff, 0x9b, ..] => 12,
        _ => return v6.to_ipv4(),
    };
    let octets: Option<&[u8; 4]> = octets[at..].first_chunk();
    octets.map(|octets| Ipv4Addr::from(*octets))
}

fn is_internal_v4(v4: Ipv4Addr) -> bool {
    let [first, second, ..] = v4.octets();
    v4.is_private()
        || v4.is_loopback()
        || v4.is_link_local()
        || v4.is_broadcast()
        || v4.is_unspecified()
        || v4.is_multicast()
        || v4.is_documentation()
        || first == 0
        || first >= 240
        || (first == 100 && second & 0xc0 == 64)
}

fn is_teredo_or_site_local(v6: Ipv6Addr) -> bool {
    let [first, second, ..] = v6.segments();
    (first, second) == (0x2001, 0) || first & 0xffc0 == 0xfec0
}

/// A wait can be written as seconds again, and a number is that many seconds.
pub fn retry_after_header(data: &[u8]) {
    let Some(wait) = wait(data) else {
        return;
    };
    let seconds = wait.as_secs().to_string();
    let again = self::wait(seconds.as_bytes());
    assert_eq!(again, Some(Duration::from_secs(wait.as_secs())));
    let text = std::str::from_utf8(data).map(str::trim);
    match text.map(str::parse::<u64>) {
        Ok(Ok(number)) => assert_eq!(wait.as_secs(), number),
        // A date has four digits for its year.
        _ => {
            assert!(wait == Duration::from_secs(u64::MAX) || wait.as_secs() < 8_000 * 366 * 86_400);
        }
    }
}

fn wait(value: &[u8]) -> Option<Duration> {
    let value = HeaderValue::from_bytes(value).ok()?;
    retry_after(&HeaderMap::from_iter([(RETRY_AFTER, value)]), NOW)
}

#[cfg(test)]
mod tests {
    use hato_corpus::replay;

    #[test]
    fn endpoints_and_their_addresses() {
        replay("addresses", super::addresses);
    }

    #[test]
    fn retry_after_headers() {
        replay("retry_after", super::retry_after_header);
    }
}
