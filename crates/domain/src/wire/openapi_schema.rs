//! Members of requests whose description does not follow from their type: `null` and the empty string count as absent
//! (CONTRACT 2), and some have a few values only.

use std::borrow::Cow;

use utoipa::openapi::schema::{
    AllOfBuilder, AnyOfBuilder, ArrayBuilder, Ref, Schema, SchemaType, Type,
};
use utoipa::openapi::{Object, ObjectBuilder, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::response::Page;
use crate::notification::{AppBadge, EventTime, NotificationActions, TextDirection};
use crate::{Endpoint, Scope, Tag, Tracking, Urgency};

/// Written by hand: what is derived for a generic type leaves out its parameter.
impl<T: ToSchema> ToSchema for Page<T> {
    fn name() -> Cow<'static, str> {
        format!("PageOf{}", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

impl<T: ToSchema> PartialSchema for Page<T> {
    fn schema() -> RefOr<Schema> {
        let items = ArrayBuilder::new().items(Ref::from_schema_name(T::name()));
        let or_null = |kind| {
            let kinds = [kind, Type::Null];
            let about = "Of the next page; `null` on the last.";
            ObjectBuilder::new()
                .schema_type(SchemaType::from_iter(kinds))
                .description(Some(about))
        };
        ObjectBuilder::new()
            .description(Some("A page of a list that is newest first."))
            .property("items", items)
            .property("next_before", or_null(Type::Integer))
            .property("next_before_id", or_null(Type::String))
            .required("items")
            .required("next_before")
            .required("next_before_id")
            .into()
    }
}

/// A TTL in seconds, or absent.
pub fn ttl() -> Schema {
    integer_or_absent(2_419_200, "Seconds that push services keep it.")
}

/// A moment that browsers can show, or absent.
pub fn timestamp() -> Schema {
    let about = "When what it tells of happened, Unix milliseconds.";
    integer_or_absent(EventTime::MAX, about)
}

/// The number on an app's icon, or absent.
pub fn app_badge() -> Schema {
    let about = "The number on the app's icon; 0 takes it away.";
    integer_or_absent(AppBadge::MAX.into(), about)
}

/// Whether the device rings again, or absent.
pub fn renotify() -> Schema {
    flag_or_absent(
        "Whether the device rings again when it takes another one's place; with `tag` only, and not when silent.",
    )
}

/// Whether the notification stays, or absent.
pub fn require_interaction() -> Schema {
    flag_or_absent("Whether it stays until somebody does something with it.")
}

/// Whether the notification makes no sound, or absent.
pub fn silent() -> Schema {
    flag_or_absent("Whether it comes without sound and vibration.")
}

/// Whether an app sends declarative messages, or absent.
pub fn declarative() -> Schema {
    flag_or_absent("Whether Apple's push service gets declarative messages, which need `site_url`.")
}

fn flag_or_absent(about: &str) -> Schema {
    let flag = ObjectBuilder::new().schema_type(Type::Boolean);
    or_absent(flag.into(), about)
}

/// An object with any members, or absent.
pub fn data() -> Schema {
    let object = ObjectBuilder::new().schema_type(Type::Object);
    let about =
        "What the site's own scripts find in the notification: at most 1,024 bytes as JSON.";
    or_absent(object.into(), about)
}

/// A private key as text or as a JWK, or absent.
pub fn private_key(jwk: RefOr<Schema>) -> Schema {
    let text = ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(4_096));
    AnyOfBuilder::new()
        .item(text)
        .item(jwk)
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .description(Some(
            "32 bytes as base64url, a JWK as an object or its text, or PEM.",
        ))
        .into()
}

/// Registrations, at most `most` of them, each with the time when it was made elsewhere.
pub fn bulk_items(registration: RefOr<Schema>, most: usize) -> Schema {
    let created_at = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .description(Some("When the browser subscribed, Unix milliseconds."));
    let created_at = ObjectBuilder::new().property("created_at", created_at);
    let item = AllOfBuilder::new().item(registration).item(created_at);
    ArrayBuilder::new()
        .items(item)
        .min_items(Some(1))
        .max_items(Some(most))
        .into()
}

/// The buttons of a notification, or absent.
pub fn actions(button: RefOr<Schema>) -> Schema {
    let buttons = ArrayBuilder::new()
        .items(button)
        .max_items(Some(NotificationActions::MAX));
    or_absent(buttons.into(), "The buttons, each with a name of its own.")
}

fn integer_or_absent(most: i64, about: &str) -> Schema {
    let number = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .maximum(Some(most));
    or_absent(number.into(), about)
}

/// How soon it has to arrive, or absent.
pub fn urgency() -> Schema {
    one_of_or_absent(
        Urgency::ALL.map(Urgency::as_str),
        "How soon it has to arrive.",
    )
}

/// In which direction texts are written, or absent.
pub fn text_direction() -> Schema {
    let named = TextDirection::ALL.map(TextDirection::as_str);
    one_of_or_absent(named, "In which direction its texts are written.")
}

/// What an app measures, or absent.
pub fn tracking() -> Schema {
    one_of_or_absent(Tracking::ALL.map(Tracking::as_str), "What is measured.")
}

/// The endpoints of a batch, at most `most` of them.
pub fn endpoints(most: usize) -> Schema {
    let endpoint = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^https://"))
        .max_length(Some(Endpoint::MAX_BYTES));
    ArrayBuilder::new()
        .items(endpoint)
        .min_items(Some(1))
        .max_items(Some(most))
        .description(Some("For whom."))
        .into()
}

/// A subscription's tags; the empty text and `null` count as absent.
pub fn tags() -> Schema {
    let tag = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^[A-Za-z0-9_.:-]{1,64}$"));
    let tags = ArrayBuilder::new()
        .items(tag)
        .max_items(Some(Tag::MAX_PER_SUBSCRIPTION));
    AnyOfBuilder::new()
        .item(tags)
        .item(one_of([""]))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .description(Some("Tags; those that begin with `_` are the owner's."))
        .into()
}

/// The scope of a key, one of three texts.
pub fn scope() -> Schema {
    one_of(Scope::ALL.map(Scope::as_str)).into()
}

fn one_of_or_absent<const N: usize>(texts: [&str; N], about: &str) -> Schema {
    or_absent(one_of(texts).into(), about)
}

/// What is described, or `null` or the empty string, which count as absent.
fn or_absent(present: Schema, about: &str) -> Schema {
    AnyOfBuilder::new()
        .item(present)
        .item(one_of([""]))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .description(Some(about))
        .into()
}

fn one_of<const N: usize>(texts: [&str; N]) -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .enum_values(Some(texts.map(str::to_owned)))
        .build()
}
