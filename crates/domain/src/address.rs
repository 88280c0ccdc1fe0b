//! Which network addresses deliveries may reach: the public ones, and those the operator allows.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// The policy for outgoing connections to strangers' URLs (CONTRACT 5, `HATO_OUTBOUND_ALLOW`).
#[derive(Clone, Debug, Default)]
pub struct OutboundPolicy {
    allowed: Vec<IpNet>,
}

impl OutboundPolicy {
    /// Public addresses, and the non-public ones within `allowed`.
    pub fn new(allowed: Vec<IpNet>) -> Self {
        Self { allowed }
    }

    /// Reads a comma-separated CIDR list; a bare address counts as its own network.
    pub fn parse(list: &str) -> Result<Self, ipnet::AddrParseError> {
        parse_networks(list).map(Self::new)
    }

    /// Whether a connection to `address` is permitted.
    pub fn permits(&self, address: IpAddr) -> bool {
        let address = unmapped(address);
        is_public(address) || self.allowed.iter().any(|net| net.contains(&address))
    }
}

/// Reads a comma-separated CIDR list; a bare address counts as its own network.
pub fn parse_networks(list: &str) -> Result<Vec<IpNet>, ipnet::AddrParseError> {
    list.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(parse_network)
        .collect()
}

fn parse_network(text: &str) -> Result<IpNet, ipnet::AddrParseError> {
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(IpNet::from(address)),
        Err(_) => text.parse(),
    }
}

/// Whether `address` is reachable on the public internet (the IANA special-purpose registries, RFC 6890).
pub fn is_public(address: IpAddr) -> bool {
    match unmapped(address) {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// An IPv4 address in IPv6 clothes (`::ffff:a.b.c.d`) is that IPv4 address.
fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || (a == 100 && (64..=127).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240;
    !special
}

/// Only global unicast (`2000::/3`) is public, less the ranges in it that are special or that carry an IPv4 address which is
/// not public (6to4 and the NAT64 prefix, which lies outside `2000::/3`).
fn is_public_v6(address: Ipv6Addr) -> bool {
    let s = address.segments();
    if let Some(embedded) = embedded_v4(s) {
        return is_public_v4(embedded);
    }
    let global_unicast = s[0] & 0xe000 == 0x2000;
    let special =
        (s[0] == 0x2001 && (s[1] < 0x0200 || s[1] == 0x0db8)) || (s[0] == 0x3fff && s[1] < 0x1000);
    global_unicast && !special
}

fn embedded_v4(s: [u16; 8]) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{OutboundPolicy, is_public};

    #[test]
    fn special_ranges_are_not_public() {
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(text.parse().expect("an address")), "{text}");
        }
    }

    #[test]
    fn ordinary_addresses_are() {
        for text in [
            "1.1.1.1",
            "93.184.216.34",
            "2606:4700::1111",
            "2002:0101:0101::",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(text.parse().expect("an address")), "{text}");
        }
    }

    #[test]
    fn what_the_operator_allows_is_permitted() {
        let policy = OutboundPolicy::parse("127.0.0.0/8, ::1").expect("a list");
        for text in ["127.9.9.9", "::1", "::ffff:127.0.0.1", "1.1.1.1"] {
            assert!(policy.permits(text.parse().expect("an address")), "{text}");
        }
        assert!(!policy.permits("10.0.0.1".parse().expect("an address")));
        assert!(OutboundPolicy::parse("127.0.0.0/33").is_err());
    }
}
