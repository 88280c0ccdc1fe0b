//! Parameters of paths, queries and headers.

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, Required};

/// Every `{name}` of a path.
pub fn in_path(path: &str) -> Vec<Parameter> {
    let named = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next());
    let parameter = |name: &str| {
        let (about, example) = match name {
            "appId" => ("The app.", "app_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9"),
            "keyId" => (
                "The key's id, not the key.",
                "key_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9",
            ),
            _ => ("The send.", "snd_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9"),
        };
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some(about))
            .schema(Some(text()))
            .example(Some(example.into()))
            .build()
    };
    named.map(parameter).collect()
}

/// Where in a list that is newest first a page begins, and how long it is (CONTRACT 4).
pub fn paging() -> Vec<Parameter> {
    let limit = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .maximum(Some(100))
        .default(Some(50.into()));
    let before = ObjectBuilder::new().schema_type(Type::Integer);
    vec![
        query("limit", "How many entries.", or_empty(limit)),
        query(
            "before",
            "`next_before` of the page before.",
            or_empty(before),
        ),
        query(
            "before_id",
            "`next_before_id` of the page before, together with `before`.",
            text().into(),
        ),
    ]
}

/// The app, for sessions of accounts with several.
pub fn app_id() -> Vec<Parameter> {
    vec![query(
        "appId",
        "The app, where a session has several.",
        text().into(),
    )]
}

/// CONTRACT 6.
pub fn idempotency_key() -> Vec<Parameter> {
    let name = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[ -~]+$"));
    let about =
        "For 24 hours an equal request with the same key gets the first answer and sends nothing.";
    let header = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(about))
        .schema(Some(name));
    vec![header.build()]
}

/// Where a login through GitHub ends.
pub fn next() -> Vec<Parameter> {
    let about = "The page of Hato to come back to, as a path; any other is left out.";
    vec![query("next", about, text().into())]
}

/// What GitHub hands back to the browser.
pub fn callback() -> Vec<Parameter> {
    ["code", "state"]
        .map(|name| query(name, "As GitHub gave it.", text().into()))
        .to_vec()
}

fn query(name: &str, about: &str, schema: RefOr<Schema>) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(about))
        .schema(Some(schema))
        .build()
}

fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).into()
}

/// Empty members of a query count as absent.
fn or_empty(schema: ObjectBuilder) -> RefOr<Schema> {
    let empty = ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(0));
    AnyOfBuilder::new().item(schema).item(empty).into()
}
