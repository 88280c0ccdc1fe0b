//! How a push service is started.

use crate::test_ca::TestCa;
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

/// The HTTP versions the TLS side offers by ALPN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocols {
    /// HTTP/2, and HTTP/1.1 for those who cannot.
    #[default]
    Both,
    /// The service offers HTTP/2 only.
    Http2,
    /// The service offers HTTP/1.1 only.
    Http1,
}

impl Protocols {
    pub(super) fn alpn(self) -> &'static [&'static str] {
        match self {
            Self::Both => &["h2", "http/1.1"],
            Self::Http2 => &["h2"],
            Self::Http1 => &["http/1.1"],
        }
    }
}

/// Which messages are decrypted and kept; the others are verified and counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decryption {
    /// Every message is decrypted and kept.
    #[default]
    All,
    /// Each message whose number is a multiple of this is.
    EveryNth(u64),
    /// No message is kept, for runs where memory and time count.
    CountOnly,
}

impl Decryption {
    pub(super) fn wants(self, number: u64) -> bool {
        match self {
            Self::All => true,
            Self::EveryNth(step) => number.is_multiple_of(step.max(1)),
            Self::CountOnly => false,
        }
    }
}

/// Settings of a push service; the default is what most tests want.
#[derive(Clone)]
pub struct PushServiceOptions {
    /// The address of the TLS side, which endpoints lead to; port 0 picks one.
    pub listen: SocketAddr,
    /// The address of the WebSocket side, for Firefox; port 0 picks one.
    pub websocket_listen: SocketAddr,
    /// The address of the control side, for programs that are not Rust; port 0 picks one.
    pub control_listen: SocketAddr,
    /// The host in endpoints: one of [`crate::test_ca::SERVER_NAMES`], an IPv6 address in brackets.
    pub host: String,
    /// The CA that issues the certificate; None makes a new one.
    pub ca: Option<Arc<TestCa>>,
    /// The HTTP versions that the TLS side offers.
    pub protocols: Protocols,
    /// Which messages are decrypted and kept.
    pub decryption: Decryption,
    /// The setting `SETTINGS_MAX_CONCURRENT_STREAMS` of HTTP/2 (RFC 9113 §6.5.2).
    pub max_concurrent_streams: u32,
    /// After so many requests a connection is ended politely (GOAWAY or Connection: close).
    pub requests_per_connection: Option<u64>,
    /// How long a sender that has connected waits for the TLS handshake.
    pub handshake_delay: Duration,
    /// How long every answer takes, as if the service were far away.
    pub latency: Duration,
    /// How many requests it handles a second, one after the other in the order in which they come, those that the sender gives up
    /// meanwhile as well; None handles all at once.
    pub requests_per_second: Option<u32>,
}

impl Default for PushServiceOptions {
    fn default() -> Self {
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            listen: any_port,
            websocket_listen: any_port,
            control_listen: any_port,
            host: "127.0.0.1".to_owned(),
            ca: None,
            protocols: Protocols::default(),
            decryption: Decryption::default(),
            max_concurrent_streams: 100,
            requests_per_connection: None,
            handshake_delay: Duration::ZERO,
            latency: Duration::ZERO,
            requests_per_second: None,
        }
    }
}
