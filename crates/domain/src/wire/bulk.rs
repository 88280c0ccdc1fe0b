//! Many registrations at once, and the subscriptions that leave again (CONTRACT 16).

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
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
    items: Option<RawItems>,
}

/// The texts of items. Reading ends with the first that is too many: what a hostile body is made of costs no memory.
struct RawItems(Vec<Box<RawValue>>);

struct RawItemsVisitor;

/// One registration of many.
#[derive(Serialize)]
pub struct BulkItem {
    /// The registration as `POST /api/v1/subscriptions` takes it.
    #[serde(flatten)]
    pub registration: RegisterSubscription,
    /// When the browser subscribed, if that was elsewhere and before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<UnixMillis>,
}

#[derive(Deserialize)]
struct Created {
    #[serde(default, deserialize_with = "super::member::value")]
    created_at: Option<i64>,
}

impl RegisterMany {
    /// The items, each as far as it can be read: `INVALID_INPUT`. No list is `MISSING_FIELDS`, an empty one `INVALID_INPUT`, as one
    /// over 1,000 was when the body was read.
    pub fn into_items(self) -> Result<Vec<Result<BulkItem, ErrorCode>>, ErrorCode> {
        let RawItems(items) = self.items.ok_or(ErrorCode::MissingFields)?;
        if items.is_empty() {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(items
            .iter()
            .map(|item| BulkItem::read(item.get()))
            .collect())
    }
}

impl<'de> Deserialize<'de> for RawItems {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(RawItemsVisitor).map(Self)
    }
}

impl<'de> Visitor<'de> for RawItemsVisitor {
    type Value = Vec<Box<RawValue>>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "a list of up to {MAX_BULK_ITEMS} items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element()? {
            if items.len() == MAX_BULK_ITEMS {
                return Err(A::Error::custom("there are too many items"));
            }
            items.push(item);
        }
        Ok(items)
    }
}

impl BulkItem {
    /// The endpoint as it was given; empty without one.
    pub fn endpoint(&self) -> &str {
        self.registration.endpoint.as_deref().unwrap_or_default()
    }

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

#[cfg(test)]
mod tests {
    use serde::Deserialize as _;

    use super::{MAX_BULK_ITEMS, RegisterMany};

    #[test]
    fn nothing_is_read_behind_the_last_item_that_may_be() {
        let zeros = |count: usize| format!("{{\"items\":[{}]}}", vec!["0"; count].join(","));
        let most = serde_json::from_str::<RegisterMany>(&zeros(MAX_BULK_ITEMS));
        let most = most.expect("a list").into_items().expect("items");
        assert_eq!(most.len(), MAX_BULK_ITEMS);
        let body = zeros(1_000_000);
        let mut unread = body.as_bytes();
        let mut json = serde_json::Deserializer::from_reader(&mut unread);
        assert!(RegisterMany::deserialize(&mut json).is_err());
        let read = body.len() - unread.len();
        assert!(read < 3 * MAX_BULK_ITEMS, "{read} bytes were read");
    }
}
