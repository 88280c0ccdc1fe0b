//! What the failure of a send tells besides: enough to repeat it.

use serde::Serialize;

/// A send that failed: how to repeat it without sending twice, and what of it was accepted.
#[derive(Debug, Serialize)]
pub struct FailedSend {
    /// The `Idempotency-Key` of the whole command.
    pub idempotency_key: String,
    /// The sends that were accepted.
    pub send_ids: Vec<String>,
}

impl FailedSend {
    /// Most sends that the line for people names; JSON names all.
    const MAX_LISTED: usize = 10;

    pub(super) fn to_text(&self) -> String {
        let mut text = format!("; idempotency key {}", self.idempotency_key);
        let named = &self.send_ids[..self.send_ids.len().min(Self::MAX_LISTED)];
        if !named.is_empty() {
            text = format!("{text}; accepted {}", named.join(" "));
        }
        match self.send_ids.len() - named.len() {
            0 => text,
            more => format!("{text} and {more} more"),
        }
    }
}
