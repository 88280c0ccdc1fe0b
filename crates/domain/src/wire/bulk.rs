//! Many registrations at once, and the subscriptions that leave again (CONTRACT 16).

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::body::read;
#[cfg(feature = "openapi")]
use super::openapi_schema;
use super::request::RegisterSubscription;
use crate::{ErrorCode, UnixMillis};

/// Most bytes of the body of a bulk registration.
pub const MAX_BULK_BODY_BYTES: usize = 4 * 1024 * 1024;

/// Most registrations of one request.
pub const MAX_BULK_ITEMS: usize = 1_000;

/// The body of `POST /api/v1/apps/{appId}/subscriptions/bulk`. Its items are read one by one, so that a bad one spoils no other.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegisterMany {
    /// 1 to 1,000 registrations.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(schema_with = openapi_schema::bulk_items, required))]
    items: Option<Vec<Box<RawValue>>>,
}

/// One registration of many.
pub struct BulkItem {
    /// The registration as `POST /api/v1/subscriptions` takes it.
    pub registration: RegisterSubscription,
    /// When the browser subscribed, if that was elsewhere and before.
    pub created_at: Option<UnixMillis>,
}

#[derive(Deserialize)]
struct Created {
    #[serde(default, deserialize_with = "super::member::value")]
    created_at: Option<i64>,
}

impl RegisterMany {
    /// The items, each as far as it can be read: `INVALID_INPUT`. No list is `MISSING_FIELDS`, an empty one or one over 1,000
    /// `INVALID_INPUT`.
    pub fn into_items(self) -> Result<Vec<Result<BulkItem, ErrorCode>>, ErrorCode> {
        let items = self.items.ok_or(ErrorCode::MissingFields)?;
        if items.is_empty() || items.len() > MAX_BULK_ITEMS {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(items
            .iter()
            .map(|item| BulkItem::read(item.get()))
            .collect())
    }
}

impl BulkItem {
    fn read(json: &str) -> Result<Self, ErrorCode> {
        let Created { created_at } = read(json.as_bytes())?;
        Ok(Self {
            registration: read(json.as_bytes())?,
            created_at: created_at.map(UnixMillis),
        })
    }
}

/// The answer to a bulk registration. Each item is counted or rejected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegisteredMany {
    /// How many endpoints were new to the app.
    pub created: usize,
    /// How many were known.
    pub updated: usize,
    /// The others, in their order.
    pub rejected: Vec<RejectedItem>,
}

/// A registration that was not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RejectedItem {
    /// Its place among the items, from 0 on.
    pub index: usize,
    /// The error's code, or `UNSUBSCRIBED`.
    pub code: String,
    /// The same as a sentence in Japanese.
    pub message: String,
}

/// The code of an item whose browser, or the owner, has ended the subscription here: nobody is subscribed against their will.
pub const UNSUBSCRIBED: (&str, &str) = ("UNSUBSCRIBED", "この購読は、ここで解除されています。");

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
