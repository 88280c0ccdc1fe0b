//! Sends in the history, in the members' names of SPEC 2.5 and CONTRACT 4.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::response::Actor;
use crate::UnixMillis;

/// A send in the history (SPEC 2.5, CONTRACT 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryItem {
    /// The send's id, `snd_…`.
    pub send_id: String,
    /// The notification's title.
    pub title: String,
    /// The notification's text.
    pub body: String,
    /// The link that a click opens.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub url: Option<String>,
    /// Recipients whose push service took the message.
    pub sent_count: i64,
    /// How many recipients failed: `failed_expired` + `failed_other`.
    pub failed_count: i64,
    /// Recipients whose subscription was gone.
    pub failed_expired: i64,
    /// Recipients that failed otherwise.
    pub failed_other: i64,
    /// When it was accepted, Unix milliseconds.
    pub created_at: UnixMillis,
    /// The user or the key that sent it.
    pub actor: Actor,
    /// How far the delivery is: `scheduled`, `queued`, `sending`, `done`, `cancelled` or `refused`.
    pub status: String,
    /// How many recipients it was queued for.
    pub recipients: i64,
    /// Recipients that unsubscribed before their turn.
    pub skipped_count: i64,
    /// Recipients not reached because the send was cancelled.
    pub cancelled_count: i64,
    /// Failed recipients that have no dead letter: one send leaves at most 10,000.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub dead_letters_omitted: i64,
    /// When it was or is to be sent, Unix milliseconds; `null` when that was at once.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub send_at: Option<UnixMillis>,
    /// From when on its message is worth nothing, Unix milliseconds.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub expires_at: Option<UnixMillis>,
    /// How many recipients are tried for the first time in any 60 s at most.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub max_per_minute: Option<i64>,
    /// The code for which it was refused when it was due.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub refused_reason: Option<String>,
    /// Recipients whose browser reported that it was displayed (CONTRACT 15).
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub displayed_count: i64,
    /// Recipients that clicked it, or one of its buttons.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub clicked_count: i64,
    /// Recipients that closed it without a click.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub dismissed_count: i64,
    /// Recipients by the button that they clicked first.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub clicks_by_action: BTreeMap<String, i64>,
}
