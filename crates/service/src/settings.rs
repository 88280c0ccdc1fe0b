//! What an operator decides about the use cases (CONTRACT 1).

use hato_domain::{OutboundPolicy, Plan};

/// The settings that the use cases go by.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// The VAPID `sub` (RFC 8292 §2.1).
    pub vapid_subject: String,
    /// The plan of new accounts.
    pub default_plan: Plan,
    /// Whether strangers may register.
    pub registration_open: bool,
    /// Which addresses an endpoint may name.
    pub outbound: OutboundPolicy,
}
