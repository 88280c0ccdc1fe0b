//! The proxies in front of the server whose word about a client is taken.

use std::net::IpAddr;

use hato_domain::outbound_policy::parse_networks;
use ipnet::IpNet;

/// What settings take that are lists of networks.
pub const NETWORKS: &str = "a comma-separated list of networks such as 10.0.0.0/8";

/// The networks of these proxies; none by default.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Reads a comma-separated CIDR list; a bare address counts as its own network.
    pub fn parse(list: &str) -> Option<Self> {
        parse_networks(list).map(Self)
    }

    /// Whether `address` is a proxy's.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Whether no address is a stranger's.
    pub fn trust_everybody(&self) -> bool {
        self.0.iter().any(|network| network.prefix_len() == 0)
    }
}
