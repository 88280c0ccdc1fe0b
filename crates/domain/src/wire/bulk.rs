//! Many registrations at once (CONTRACT 16).

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::body::read;
#[cfg(feature = "openapi")]
use super::openapi_schema;
use super::request::RegisterSubscription;
use crate::{ErrorCode, RegistrationFault, UnixMillis};

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
    #[cfg_attr(feature = "openapi", schema(schema_with = bulk_items, required))]
    items: Option<RawItems>,
}

#[cfg(feature = "openapi")]
fn bulk_items() -> utoipa::openapi::schema::Schema {
    let registration = <RegisterSubscription as utoipa::PartialSchema>::schema();
    openapi_schema::bulk_items(registration, MAX_BULK_ITEMS)
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
    /// The items, each as far as it can be read. No list is `MISSING_FIELDS`, an empty one `INVALID_INPUT`, as one
    /// over 1,000 was when the body was read.
    pub fn into_items(self) -> Result<Vec<Result<BulkItem, RegistrationFault>>, ErrorCode> {
        let RawItems(items) = self.items.ok_or(ErrorCode::MissingFields)?;
        if items.is_empty() {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(items
            .iter()
            .map(|item| BulkItem::read(item.get()).map_err(|_| RegistrationFault::Unreadable))
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

/// The response to a bulk registration. Each item is counted or rejected.
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
    /// The same as a sentence in Japanese, which says what of the item is wrong.
    pub message: String,
    /// The same for whoever has words of their own for it; not told over the wire.
    #[serde(skip)]
    pub fault: Option<RegistrationFault>,
}

impl RejectedItem {
    /// An item with this fault.
    pub fn with_fault(index: usize, fault: RegistrationFault) -> Self {
        Self {
            index,
            code: fault.code().as_str().to_owned(),
            message: fault.message().to_owned(),
            fault: Some(fault),
        }
    }

    /// An item that is right in itself.
    pub fn with_code(index: usize, code: &str, message: &str) -> Self {
        Self {
            index,
            code: code.to_owned(),
            message: message.to_owned(),
            fault: None,
        }
    }
}

/// The code of an item whose browser, or the owner, has ended the subscription here: nobody is subscribed against their will.
pub const UNSUBSCRIBED: (&str, &str) = ("UNSUBSCRIBED", "この購読は、ここで解除されています。");

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
