//! The subscriptions that leave again, in a form in which another server takes them (CONTRACT 16).

use serde::{Deserialize, Serialize};

use crate::UnixMillis;

/// A line of `GET /api/v1/apps/{appId}/export`: an active subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExportedSubscription {
    /// The push service's URL.
    pub endpoint: String,
    /// The browser's keys.
    pub keys: ExportedKeys,
    /// The VAPID public key that it was made with.
    pub vapid_public_key: String,
    /// The site's id of the user.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub user_id: Option<String>,
    /// The tags in their order.
    pub tags: Vec<String>,
    /// The browser's language.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub lang: Option<String>,
    /// The browser's time zone.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub time_zone: Option<String>,
    /// The client's label.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub platform: Option<String>,
    /// When the endpoint was first registered, Unix milliseconds.
    pub created_at: UnixMillis,
}

/// A browser's keys, as `PushSubscription.toJSON()` has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExportedKeys {
    /// The public key, base64url of 65 bytes.
    pub p256dh: String,
    /// The authentication secret, base64url of 16 bytes.
    pub auth: String,
}
