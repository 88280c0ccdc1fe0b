//! Parameters of paths, queries and headers.

use hato_domain::{TagExpression, UserId};
use hato_service::ports::SendStatus;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, Required};

/// Every `{name}` of a path.
pub fn in_path(path: &str) -> Vec<Parameter> {
    let named = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next());
    let parameter = |name: &str| {
        let (about, kind) = match name {
            "appId" => ("The app.", "app"),
            "keyId" => ("The key's id, not the key.", "key"),
            "vapidKeyId" => ("The VAPID key's id, not the key.", "vapid"),
            _ => ("The send.", "snd"),
        };
        let example = format!("{kind}_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9");
        described(name, ParameterIn::Path, about, text())
            .required(Required::True)
            .example(Some(example.into()))
            .build()
    };
    named.map(parameter).collect()
}

/// Where in a list that is newest first a page begins, and how long it is (CONTRACT 4).
pub fn paging() -> [Parameter; 3] {
    let limit = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .maximum(Some(100))
        .default(Some(50.into()));
    let before = ObjectBuilder::new().schema_type(Type::Integer);
    let id = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1));
    let cursor = "`next_before` of the page before.";
    let cursor_id = "`next_before_id` of the page before, together with `before`.";
    [
        query("limit", "How many entries.", limit.into()),
        query("before", cursor, before.into()),
        query("before_id", cursor_id, id.into()),
    ]
}

/// Which subscriptions a list has (CONTRACT 12).
pub fn subscriptions() -> [Parameter; 3] {
    let state = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(["active", "deactivated"]));
    let tag = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^[A-Za-z0-9_.:-]{1,64}$"));
    [
        query("user_id", "Only those of this user.", user_id()),
        query("tag", "Only those with this tag.", tag.into()),
        query("state", "Only those in this state.", state.into()),
    ]
}

/// Whether to judge and store nothing (CONTRACT 16).
pub fn dry_run() -> [Parameter; 1] {
    [flag("dry_run", "With `true`, nothing is stored.")]
}

/// Whether the sends of a key go with it (SPEC 3.3).
pub fn cancel_sends() -> [Parameter; 1] {
    let about = "With `true`, its sends that are not over are cancelled.";
    [flag("cancel_sends", about)]
}

fn flag(name: &str, about: &str) -> Parameter {
    let flag = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(["true", "false"]));
    query(name, about, flag.into())
}

/// The part of the audience that is asked about (CONTRACT 12).
pub fn audience() -> [Parameter; 2] {
    let expression = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(TagExpression::MAX_BYTES));
    let about = "An expression of tags, `!`, `&&`, `||` and parentheses.";
    [
        query("tags", about, expression.into()),
        query("user_id", "The user.", user_id()),
    ]
}

/// 1 to 128 bytes.
fn user_id() -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(UserId::MAX_BYTES))
        .into()
}

/// Which of the sends are listed.
pub fn status() -> Parameter {
    let names = SendStatus::ALL.map(SendStatus::as_str);
    let status = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names));
    query("status", "Only those of this status.", status.into())
}

/// The app, for sessions of accounts with several.
pub fn app_id() -> Parameter {
    query("appId", "The app, where a session has several.", text())
}

/// The header `Idempotency-Key` of 1 to 255 characters, with which a send may be repeated (CONTRACT 6).
pub fn idempotency_key() -> Parameter {
    let name = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[ -~]+$"));
    let about =
        "For 24 hours an equal request with the same key gets the first answer and sends nothing.";
    described("Idempotency-Key", ParameterIn::Header, about, name.into()).build()
}

/// Where a login through GitHub ends.
pub fn next() -> Parameter {
    let about = "The page of Hato to come back to, as a path; any other is left out.";
    query("next", about, text())
}

/// What GitHub hands back to the browser.
pub fn callback() -> [Parameter; 2] {
    [("code", "abc"), ("state", "def")].map(|(name, example)| {
        described(name, ParameterIn::Query, "As GitHub gave it.", text())
            .example(Some(example.into()))
            .build()
    })
}

fn query(name: &str, about: &str, schema: RefOr<Schema>) -> Parameter {
    described(name, ParameterIn::Query, about, schema).build()
}

/// A parameter that may be left out.
fn described(
    name: &str,
    place: ParameterIn,
    about: &str,
    schema: RefOr<Schema>,
) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(Required::False)
        .description(Some(about))
        .schema(Some(schema))
}

fn text() -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).into()
}
