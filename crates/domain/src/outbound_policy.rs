//! Which network addresses deliveries may reach: the public ones, and those the operator allows.
//!
//! Three ask: registration, about an endpoint's address literal (`Endpoint::parse_permitted`); the operator's setting
//! `HATO_OUTBOUND_ALLOW`, which makes the policy; and every connection for a push or a webhook, about the very address that it is made to
//! (`crates/outbound/src/address_filter.rs`), so that a name cannot mean another address later. The login with GitHub does not ask: the
//! operator sets its address.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// The policy for outgoing connections to strangers' URLs (CONTRACT 5, `HATO_OUTBOUND_ALLOW`): an endpoint or a webhook
/// URL must not lead into the network that the server stands in.
#[derive(Clone, Debug, Default)]
pub struct OutboundPolicy {
    allowed: Vec<IpNet>,
}

impl OutboundPolicy {
    /// A policy that permits public addresses, and the others within `allowed`.
    pub fn new(allowed: Vec<IpNet>) -> Self {
        Self { allowed }
    }

    /// The policy that allows this list, in the form of [`parse_networks`]; `None` when it is not in that form.
    pub fn parse(list: &str) -> Option<Self> {
        parse_networks(list).map(Self::new)
    }

    /// Whether a connection to `address` is permitted; an IPv4 address mapped into IPv6 counts as the IPv4 address.
    pub fn permits(&self, address: IpAddr) -> bool {
        let address = unmapped(address);
        is_public(address) || self.allowed.iter().any(|net| net.contains(&address))
    }

    /// Whether every address of a kind is permitted, whatever it is.
    pub fn permits_everything(&self) -> bool {
        self.allowed.iter().any(|net| net.prefix_len() == 0)
    }
}

/// Reads a comma-separated list of networks in CIDR notation; a bare address counts as its own network. `None` when one of them is
/// neither.
pub fn parse_networks(list: &str) -> Option<Vec<IpNet>> {
    list.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(parse_network)
        .collect()
}

fn parse_network(text: &str) -> Option<IpNet> {
    // Before ipnet is asked, which takes 010.0.0.0 for 10.0.0.0, where others read the number as octal.
    let address: IpAddr = text.split('/').next()?.parse().ok()?;
    if !text.contains('/') {
        return Some(IpNet::from(address));
    }
    text.parse().ok()
}

/// Whether `address` is reachable on the public internet, as the IANA special-purpose address registries have it (RFC 6890).
/// An IPv6 address that stands for an IPv4 address is as public as that one.
pub fn is_public(address: IpAddr) -> bool {
    match unmapped(address) {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) is that IPv4 address: a socket to it speaks IPv4.
fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

/// The network with these first four of the eight groups; the others are 0.
const fn v6(groups: [u16; 4], prefix: u8) -> Ipv6Net {
    let [first, second, third, fourth] = groups;
    let address = Ipv6Addr::new(first, second, third, fourth, 0, 0, 0, 0);
    Ipv6Net::new_assert(address, prefix)
}

/// IPv4 addresses that are not public. The anycast addresses within 192.0.0.0/24 (RFC 7723, RFC 8155) are for clients of
/// the network that one is in, and so among them.
const SPECIAL_V4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 0, 8),       // this network (RFC 791)
    v4(10, 0, 0, 0, 8),      // private use (RFC 1918)
    v4(100, 64, 0, 0, 10),   // shared address space (RFC 6598)
    v4(127, 0, 0, 0, 8),     // loopback (RFC 1122)
    v4(169, 254, 0, 0, 16),  // link-local, cloud metadata (RFC 3927)
    v4(172, 16, 0, 0, 12),   // private use (RFC 1918)
    v4(192, 0, 0, 0, 24),    // protocol assignments (RFC 6890)
    v4(192, 0, 2, 0, 24),    // documentation (RFC 5737)
    v4(192, 88, 99, 0, 24),  // 6to4 relays (RFC 7526)
    v4(192, 168, 0, 0, 16),  // private use (RFC 1918)
    v4(198, 18, 0, 0, 15),   // benchmarking (RFC 2544)
    v4(198, 51, 100, 0, 24), // documentation (RFC 5737)
    v4(203, 0, 113, 0, 24),  // documentation (RFC 5737)
    v4(224, 0, 0, 0, 4),     // multicast (RFC 1112)
    v4(240, 0, 0, 0, 4),     // reserved (RFC 1112), limited broadcast (RFC 919)
];

/// Where IPv6 is global unicast (RFC 4291 §2.4). Outside lie, among others, the unspecified and the loopback address, those
/// compatible with IPv4 (`::/96`), local NAT64 (`64:ff9b:1::/48`), discard-only (`100::/64`), segment routing (`5f00::/16`),
/// unique local (`fc00::/7`), link-local (`fe80::/10`), site-local (`fec0::/10`) and multicast addresses (`ff00::/8`).
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0], 3);

/// What is not public in it. The protocol assignments hold Teredo, whose IPv4 addresses are those of relays and of clients
/// behind NATs, benchmarking and ORCHID; nobody runs a push service in any of them.
const SPECIAL_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0, 0, 0], 23),      // protocol assignments (RFC 2928)
    v6([0x2001, 0x0db8, 0, 0], 32), // documentation (RFC 3849)
    v6([0x3ffe, 0, 0, 0], 16),      // the former 6bone (RFC 3701)
    v6([0x3fff, 0, 0, 0], 20),      // documentation (RFC 9637)
];

/// NAT64's well-known prefix, which the last 32 bits follow (RFC 6052).
const NAT64: Ipv6Net = v6([0x0064, 0xff9b, 0, 0], 96);
/// 6to4, whose next 32 bits are the address of the site's router (RFC 3056).
const SIX_TO_FOUR: Ipv6Net = v6([0x2002, 0, 0, 0], 16);

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|net| net.contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match embedded_v4(address) {
        Some(v4) => is_public_v4(v4),
        None => {
            GLOBAL_UNICAST.contains(&address)
                && !SPECIAL_V6.iter().any(|net| net.contains(&address))
        }
    }
}

fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = address.to_bits();
    if NAT64.contains(&address) {
        Some(low_32(bits))
    } else if SIX_TO_FOUR.contains(&address) {
        Some(low_32(bits >> 80))
    } else {
        None
    }
}

fn low_32(bits: u128) -> Ipv4Addr {
    let [.., a, b, c, d] = bits.to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}
