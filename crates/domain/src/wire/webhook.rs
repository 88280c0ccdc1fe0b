//! Webhooks: the settings that the API shows, and the bodies that are posted (CONTRACT 8).

use serde::{Deserialize, Serialize};

use crate::UnixMillis;

/// `GET /api/v1/apps/{appId}/webhook`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    /// Where events are posted.
    pub webhook_url: String,
    /// What signs them: `whsec_` and base64 of 32 bytes.
    pub secret: String,
    /// What signs them as well, for a day after a rotation.
    pub previous_secret: Option<String>,
    /// Until when.
    pub previous_secret_expires_at: Option<UnixMillis>,
    /// Whether events are posted.
    pub enabled: bool,
    /// Why not: `gone`, `failing` or `plan_required`.
    pub disabled_reason: Option<String>,
}

/// The body of an event.
#[derive(Clone, Debug, Serialize)]
pub struct EventBody<'a> {
    /// `delivery.results`, `send.completed` or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When it happened, RFC 3339.
    pub timestamp: String,
    /// What happened.
    pub data: EventData<'a>,
}

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EventData<'a> {
    /// What became of up to 500 recipients of a send.
    Results {
        /// `app_…`.
        app_id: &'a str,
        /// `snd_…`.
        send_id: &'a str,
        /// Up to 500; each recipient stands in exactly one event.
        results: Vec<EventResult<'a>>,
    },
    /// Every recipient of a send is settled.
    Completed {
        /// `app_…`.
        app_id: &'a str,
        /// `snd_…`.
        send_id: &'a str,
        /// How many it was queued for: the sum of the numbers below.
        recipients: i64,
        /// Taken by their push service.
        sent_count: i64,
        /// The subscription was gone.
        failed_expired: i64,
        /// Failed otherwise.
        failed_other: i64,
        /// Unsubscribed before their turn.
        skipped_count: i64,
        /// Not reached because the send was cancelled.
        cancelled_count: i64,
    },
    /// The owner wants to see an event arrive.
    Test {
        /// `app_…`.
        app_id: &'a str,
    },
}

/// What became of a recipient.
#[derive(Clone, Debug, Serialize)]
pub struct EventResult<'a> {
    /// `sub_…`.
    pub subscription_id: &'a str,
    /// Its endpoint.
    pub endpoint: &'a str,
    /// `sent`, `expired` or `failed`.
    pub status: &'static str,
    /// The push service's last answer; `null` when there was none.
    pub http_status: Option<u16>,
    /// Attempts that were made.
    pub attempts: u8,
}
