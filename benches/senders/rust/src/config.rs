//! What is to be sent, and to whom.

use serde::Deserialize;
use web_push::SubscriptionInfo;

/// The file that all senders are given.
#[derive(Deserialize)]
pub struct SenderConfig {
    /// The push service, the `aud` of tokens.
    pub origin: String,
    /// Of the VAPID key, base64url.
    pub private_key: String,
    /// The `sub` of tokens.
    pub subject: String,
    /// A PEM file of the push service's authority.
    pub ca: String,
    /// What the messages say.
    pub payload: String,
    /// Seconds.
    pub ttl: u32,
    /// To whom.
    pub subscriptions: Vec<SubscriptionInfo>,
}

impl SenderConfig {
    pub fn read(path: &str) -> anyhow::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }
}
