//! How many connections strangers may have, and for how long they may keep the server waiting.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::config::TrustedProxies;

/// Connections at a time. When so many are open, those that have waited longest for a request make room; where all have one in work,
/// the next connection waits in the system's queue.
const MAX_CONNECTIONS: usize = 10_000;

/// What a listener lets strangers do.
#[derive(Clone, Debug)]
pub struct ConnectionSettings {
    /// Open connections of all clients.
    pub max: usize,
    /// Open connections of a client address; `None` for any number.
    pub per_address: Option<NonZeroU32>,
    /// Whose connections are not counted: each carries requests of many clients.
    pub trusted_proxies: TrustedProxies,
    /// Whether browsers are told to come back through https, in what is answered before the router too.
    pub requires_https: bool,
    /// How long each may keep the server waiting.
    pub timeouts: ConnectionTimeouts,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            max: MAX_CONNECTIONS,
            per_address: None,
            trusted_proxies: TrustedProxies::default(),
            requires_https: false,
            timeouts: ConnectionTimeouts::default(),
        }
    }
}

/// How long a connection may keep the server waiting until it is closed.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionTimeouts {
    /// For a whole head after its first byte; for a connection's first one, after it stands.
    pub head: Duration,
    /// For any byte of an answer to be taken.
    pub write: Duration,
    /// For the next request: longer than proxies keep theirs.
    pub idle: Duration,
}

impl Default for ConnectionTimeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            write: Duration::from_secs(30),
            idle: Duration::from_secs(75),
        }
    }
}
