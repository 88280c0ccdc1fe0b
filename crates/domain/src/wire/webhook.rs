//! Webhooks: the settings that the API shows, and the bodies that are posted (CONTRACT 8).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::UnixMillis;

/// The response to `GET /api/v1/apps/{appId}/webhook`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    /// The URL that events are posted to.
    pub webhook_url: String,
    /// The secret that signs events: `whsec_` and base64 of 32 bytes.
    pub secret: String,
    /// The secret before, which signs as well for a day after a rotation.
    pub previous_secret: Option<String>,
    /// When the secret before stops signing, Unix milliseconds.
    pub previous_secret_expires_at: Option<UnixMillis>,
    /// Whether events are posted now.
    pub enabled: bool,
    /// Why no events are posted: `gone`, `failing` or `plan_required`.
    pub disabled_reason: Option<String>,
}

/// The body that is posted for an event (CONTRACT 8).
#[derive(Clone, Debug, Serialize)]
pub struct EventBody<'a> {
    /// The kind of event: `delivery.results`, `send.completed`, `send.engagement` or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When the event was written, RFC 3339 in UTC with milliseconds.
    pub timestamp: String,
    /// What the event tells, by its kind.
    pub data: EventData<'a>,
}

/// What an event tells; which variant it is follows from the body's `type`.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EventData<'a> {
    /// What became of up to 500 recipients of a send.
    Results {
        /// The app's id, `app_…`.
        app_id: &'a str,
        /// The send's id, `snd_…`.
        send_id: &'a str,
        /// Up to 500; each recipient stands in exactly one event.
        results: Vec<EventResult<'a>>,
    },
    /// Every recipient of a send is settled.
    Completed {
        /// The app's id, `app_…`.
        app_id: &'a str,
        /// The send's id, `snd_…`.
        send_id: &'a str,
        /// How many it was queued for: the sum of the numbers below.
        recipients: i64,
        /// Recipients whose message their push service took.
        sent_count: i64,
        /// Recipients whose subscription was gone.
        failed_expired: i64,
        /// Recipients that failed for another reason.
        failed_other: i64,
        /// Recipients that unsubscribed before their turn.
        skipped_count: i64,
        /// Recipients that were not reached because the send was cancelled.
        cancelled_count: i64,
        /// `refused` for a scheduled send that was refused when it was due, and not there otherwise.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'static str>,
        /// The code for which it was refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        refused_reason: Option<&'a str>,
    },
    /// What recipients of a send have done so far (CONTRACT 15).
    Engagement {
        /// The app's id, `app_…`.
        app_id: &'a str,
        /// The send's id, `snd_…`.
        send_id: &'a str,
        /// Recipients whose browser has shown it.
        displayed_count: i64,
        /// Recipients that clicked it, or one of its buttons.
        clicked_count: i64,
        /// Recipients that closed it without a click.
        dismissed_count: i64,
        /// Recipients by the button that they clicked first.
        clicks_by_action: &'a BTreeMap<String, i64>,
    },
    /// The owner wants to see an event arrive.
    Test {
        /// The app's id, `app_…`.
        app_id: &'a str,
    },
}

/// What became of one recipient of a send.
#[derive(Clone, Debug, Serialize)]
pub struct EventResult<'a> {
    /// The subscription's id, `sub_…`.
    pub subscription_id: &'a str,
    /// The endpoint of the subscription.
    pub endpoint: &'a str,
    /// What became of it: `sent`, `expired` or `failed`.
    pub status: &'static str,
    /// The push service's last answer; `null` when there was none.
    pub http_status: Option<u16>,
    /// How many attempts were made.
    pub attempts: u8,
}
