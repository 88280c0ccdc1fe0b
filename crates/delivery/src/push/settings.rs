//! What an operator decides about deliveries (CONTRACT 1), and the bounds that they run in.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::{OutboundPolicy, PushHosts};
use hato_outbound::{Resolver, SystemResolver};

/// The settings of the delivery engine.
#[derive(Clone, Debug)]
pub struct DeliverySettings {
    /// `HATO_VAPID_SUBJECT`: a `mailto:` or `https:` URI (RFC 8292 §2.1).
    pub vapid_subject: String,
    /// `HATO_OUTBOUND_ALLOW`: which addresses may be connected to.
    pub outbound: OutboundPolicy,
    /// `HATO_PUSH_HOSTS`: which hosts may be pushed to.
    pub push_hosts: PushHosts,
    /// `HATO_OUTBOUND_CA`: additional trusted roots, the text of a PEM file.
    pub outbound_ca: Option<String>,
    /// What says which addresses a name has.
    pub resolver: Arc<dyn Resolver>,
    /// `HATO_RETRY_DELAYS`: the waits before the three retries (SPEC 3.2).
    pub retry_delays: [Duration; 3],
    /// How long a push service may take to answer a request.
    pub response_timeout: Duration,
    /// How long resolving, connecting and the TLS handshake may take together.
    pub connect_timeout: Duration,
    /// How long no look-up, or no connection, to any host may succeed until a failure is this machine's and no attempt (CONTRACT 7).
    pub local_fault_after: Duration,
    /// How long nothing is tried, and recipients wait, once it is.
    pub local_fault_retry_delay: Duration,
    /// How long a request waits for a permit at an origin before its recipient is deferred to a later page.
    pub permit_timeout: Duration,
    /// Pages delivered at a time.
    pub pages_in_flight: usize,
    /// How long a page that only waits for responses keeps others from being claimed; then it is parked.
    pub park_after: Duration,
    /// Recipients of parked pages, all together: unanswered ones, or an eighth of a page's if these are more.
    pub max_parked_recipients: usize,
    /// Recipients of a page.
    pub page_size: u32,
    /// How long a claimed page stays claimed when its process dies; renewed while the process lives.
    pub lease: Duration,
    /// The longest time between two looks at the queue when nothing notifies.
    pub poll_interval: Duration,
    /// Connections open at a time, to all push services together; an app gets half of those that others leave.
    pub connections: usize,
    /// Connections that one app waits for and may be opening at a time.
    pub connects_per_app: usize,
    /// Bounds for each push-service origin.
    pub per_origin: OriginLimits,
    /// `HATO_RETENTION_DAYS`: for how long finished sends and deactivated subscriptions are kept.
    pub retention_days: u32,
}

impl DeliverySettings {
    /// Settings with the bounds that `docs/ENGINE.md` explains, for public addresses and the system's roots. The arguments are
    /// settings of the server, whose defaults stand in `server/src/config` alone.
    pub fn new(vapid_subject: String, retry_delays: [Duration; 3], retention_days: u32) -> Self {
        Self {
            vapid_subject,
            outbound: OutboundPolicy::default(),
            push_hosts: PushHosts::default(),
            outbound_ca: None,
            resolver: Arc::new(SystemResolver::default()),
            retry_delays,
            response_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            local_fault_after: Duration::from_secs(30),
            local_fault_retry_delay: Duration::from_secs(5),
            permit_timeout: Duration::from_secs(2),
            pages_in_flight: 12,
            park_after: Duration::from_secs(1),
            max_parked_recipients: 4_096,
            page_size: 500,
            lease: Duration::from_secs(20),
            poll_interval: Duration::from_millis(500),
            connections: 512,
            connects_per_app: 8,
            per_origin: OriginLimits::default(),
            retention_days,
        }
    }
}

/// Bounds for each push-service origin.
#[derive(Clone, Copy, Debug)]
pub struct OriginLimits {
    /// Requests in flight of one app at most.
    pub requests: usize,
    /// Requests in flight of one app at a push service that nothing is known of.
    pub initial_requests: usize,
    /// The most HTTP/2 connections; each carries several requests at a time.
    pub http2_connections: usize,
    /// Requests in flight on one HTTP/2 connection, if the peer allows as many.
    pub http2_streams: usize,
    /// The most HTTP/1.1 connections; each carries one request at a time.
    pub http1_connections: usize,
}

impl Default for OriginLimits {
    fn default() -> Self {
        Self {
            requests: 3_072,
            initial_requests: 16,
            http2_connections: 40,
            http2_streams: 256,
            http1_connections: 32,
        }
    }
}
