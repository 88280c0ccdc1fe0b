//! What a browser reports of a notification (CONTRACT 15).

use serde::{Deserialize, Serialize};

use super::member;

/// The body of `POST /api/v1/events`. Whatever is missing or unknown in it, the answer is the same.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportEngagement {
    /// The member `t` of the message.
    #[serde(default, deserialize_with = "member::text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String))]
    pub token: Option<String>,
    /// What happened: `displayed`, `clicked` or `dismissed`.
    #[serde(default, deserialize_with = "member::text")]
    #[cfg_attr(feature = "openapi", schema(required, value_type = String))]
    pub event: Option<String>,
    /// The button that was clicked, by its `action`.
    #[serde(
        default,
        deserialize_with = "member::text",
        skip_serializing_if = "Option::is_none"
    )]
    pub action: Option<String>,
}
