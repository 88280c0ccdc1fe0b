//! What is to be sent, and to whom.

use serde::Deserialize;
use web_push::SubscriptionInfo;

/// The settings that every compared sender is given, a JSON file.
#[derive(Deserialize)]
pub struct SenderConfig {
    /// The push service, the `aud` of tokens.
    pub origin: String,
    /// The private key of VAPID, 32 bytes as base64url.
    pub private_key: String,
    /// The claim `sub` of tokens.
    pub subject: String,
    /// A PEM file of the push service's authority.
    pub ca: String,
    /// The plaintext of every message.
    pub payload: String,
    /// The TTL of every message, seconds.
    pub ttl: u32,
    /// The subscriptions to send to, one message each.
    pub subscriptions: Vec<SubscriptionInfo>,
}

impl SenderConfig {
    pub fn read(path: &str) -> anyhow::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }
}
