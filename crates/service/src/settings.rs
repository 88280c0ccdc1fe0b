//! What an operator decides about the use cases (CONTRACT 1, 18).

use hato_domain::{OutboundPolicy, Plan, PushHosts};

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
    /// The hosts that endpoints may have (CONTRACT 18).
    pub push_hosts: PushHosts,
    /// What each app may have and do.
    pub app_limits: AppLimits,
}

/// What an app may have and do whatever its plan (CONTRACT 18); `None` is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct AppLimits {
    /// How many subscriptions may be active.
    pub subscribers: Option<i64>,
    /// How many sends are accepted in a window of 60 s.
    pub sends_per_minute: Option<i64>,
}
