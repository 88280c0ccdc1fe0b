//! What an operator decides about webhooks (CONTRACT 1), and the bounds that posting runs in.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::OutboundPolicy;
use hato_outbound::{Resolver, SystemResolver};
use hato_service::MAX_EVENT_AGE;

/// The settings of the webhooks' sender.
#[derive(Clone, Debug)]
pub struct WebhookSettings {
    /// `HATO_OUTBOUND_ALLOW`: which addresses may be connected to.
    pub outbound: OutboundPolicy,
    /// `HATO_OUTBOUND_CA`: additional trusted roots, the text of a PEM file.
    pub outbound_ca: Option<String>,
    /// What says which addresses a name has.
    pub resolver: Arc<dyn Resolver>,
    /// `HATO_WEBHOOK_RETRY_DELAYS`: the waits before the retries of an event.
    pub retry_delays: Vec<Duration>,
    /// How long a receiver may take to answer, connecting included (CONTRACT 8).
    pub response_timeout: Duration,
    /// How long nothing may succeed until the webhook is disabled (CONTRACT 8).
    pub failing_limit: Duration,
    /// An event older than this is dropped before it is posted (CONTRACT 8).
    pub max_event_age: Duration,
    /// Requests in flight that are answered promptly, or may still be, of all apps together.
    pub max_in_flight: usize,
    /// Requests in flight of receivers that are slow, besides.
    pub max_slow_in_flight: usize,
    /// Bytes of bodies in memory, for requests that begin as each of these two kinds.
    pub body_bytes: usize,
    /// Requests in flight of one app.
    pub per_app: usize,
    /// A response within this time is prompt.
    pub prompt: Duration,
    /// Events of an app that are posted before the next app has its turn, when permits are scarce.
    pub turn_events: usize,
    /// How long a claimed outbox stays claimed when its process dies; renewed while the process lives.
    pub lease: Duration,
    /// The longest time between two looks for events that are due.
    pub poll_interval: Duration,
}

impl WebhookSettings {
    /// Settings with the bounds that `docs/ENGINE.md` explains, for public addresses and the system's roots. The retries' default
    /// stands in `server/src/config` alone.
    pub fn new(retry_delays: Vec<Duration>) -> Self {
        Self {
            outbound: OutboundPolicy::default(),
            outbound_ca: None,
            resolver: Arc::new(SystemResolver::default()),
            retry_delays,
            response_timeout: Duration::from_secs(15),
            failing_limit: Duration::from_hours(5 * 24),
            max_event_age: MAX_EVENT_AGE,
            max_in_flight: 128,
            max_slow_in_flight: 384,
            body_bytes: 24 * 1_024 * 1_024,
            per_app: 32,
            prompt: Duration::from_secs(2),
            turn_events: 100,
            lease: Duration::from_secs(20),
            poll_interval: Duration::from_millis(500),
        }
    }
}
