//! What an operator decides about the use cases (CONTRACT 1).

use hato_domain::{OutboundPolicy, Plan};

/// The settings that the use cases go by.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// The VAPID `sub` by which push services reach the operator (RFC 8292 §2.1), a `mailto:` or `https:` URL.
    pub vapid_subject: String,
    /// The plan that new accounts get.
    pub default_plan: Plan,
    /// Whether strangers may register.
    pub registration_open: bool,
    /// The addresses that endpoints and webhook URLs may name (CONTRACT 5).
    pub outbound: OutboundPolicy,
}
