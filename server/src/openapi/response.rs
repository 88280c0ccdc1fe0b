//! Answers: what an endpoint promises, and its refusals by status.

use std::collections::BTreeMap;

use hato_domain::ErrorCode;
use serde_json::{Value, json};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, Response};

/// A promise: what a success looks like.
pub fn success(about: &str, schema: RefOr<Schema>, example: Value) -> Response {
    let content = ContentBuilder::new()
        .schema(Some(schema))
        .example(Some(example));
    described(about)
        .content("application/json", content.build())
        .build()
}

/// A success that has a JSON object on each line.
pub fn lines(about: &str, schema: RefOr<Schema>, example: Value) -> Response {
    let content = ContentBuilder::new()
        .schema(Some(schema))
        .example(Some(example));
    described(about)
        .content("application/x-ndjson", content.build())
        .build()
}

/// A success that goes on and on: server-sent events with a JSON object each.
pub fn events(about: &str, examples: Vec<(&str, Value)>) -> Response {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    let examples = examples.into_iter().map(|(name, value)| {
        let value = format!(
            "id: {}\ndata: {value}\n\n",
            "msg_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9"
        );
        let example = ExampleBuilder::new().value(Some(value.into())).build();
        (name, RefOr::T(example))
    });
    let content = ContentBuilder::new()
        .schema(Some(Schema::Object(text)))
        .examples_from_iter(examples);
    described(about)
        .content("text/event-stream", content.build())
        .build()
}

/// Lets it be known that a success may be that of an earlier, equal request (CONTRACT 6).
pub fn replayable(mut success: Response) -> Response {
    let about = "`true` if this is the answer to an earlier request with the same `Idempotency-Key`; else absent.";
    let replayed = header(Type::String, about);
    success
        .headers
        .insert("Idempotency-Replayed".to_owned(), replayed.into());
    success
}

/// A success that says nothing.
pub fn empty(about: &str) -> Response {
    described(about).build()
}

/// A redirect of a browser.
pub fn redirect(about: &str) -> Response {
    described(about)
        .header("Location", header(Type::String, "Where to."))
        .build()
}

/// The refusals, one answer for each status: its codes, and an example for each.
pub fn errors(codes: &[ErrorCode]) -> Vec<(String, Response)> {
    let mut by_status = BTreeMap::<u16, Vec<ErrorCode>>::new();
    for code in codes {
        let same = by_status.entry(code.status()).or_default();
        if !same.contains(code) {
            same.push(*code);
        }
    }
    let response = |(status, codes): (u16, Vec<ErrorCode>)| (status.to_string(), error(&codes));
    by_status.into_iter().map(response).collect()
}

fn error(codes: &[ErrorCode]) -> Response {
    let names: Vec<_> = codes.iter().map(|code| code.as_str()).collect();
    let examples = codes.iter().map(|code| {
        let example = ExampleBuilder::new().summary(code.as_str());
        (
            code.as_str(),
            RefOr::T(example.value(Some(body(*code))).build()),
        )
    });
    let content = ContentBuilder::new()
        .schema(Some(error_schema(codes)))
        .examples_from_iter(examples);
    let mut response = described(&names.join(", ")).content("application/json", content.build());
    if codes.iter().any(|code| code.retry_after().is_some()) {
        let about = "Seconds to wait, with RATE_LIMITED and OVERLOADED.";
        let seconds = header(Type::Integer, about);
        response = response.header("Retry-After", seconds);
    }
    response.build()
}

/// The error body (SPEC 7) with the codes that can be meant.
fn error_schema(codes: &[ErrorCode]) -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let names = codes.iter().map(|code| code.as_str());
    let code = text().enum_values(Some(names));
    let mut schema = ObjectBuilder::new()
        .property(
            "error",
            text().description(Some("A sentence in Japanese, for people.")),
        )
        .property("code", code)
        .required("error")
        .required("code");
    if codes.iter().any(|code| code.has_upgrade_url()) {
        let pricing = text().description(Some("The pricing page, with limits of the plan."));
        schema = schema.property("upgrade_url", pricing);
    }
    schema.into()
}

fn body(code: ErrorCode) -> Value {
    let mut body = json!({"error": code.message(), "code": code.as_str()});
    if code.has_upgrade_url() {
        body["upgrade_url"] = "https://push.example.com/pricing".into();
    }
    body
}

/// An answer, whatever it is.
fn described(about: &str) -> ResponseBuilder {
    let id = header(Type::String, "Names the request in the server's log.");
    ResponseBuilder::new()
        .description(about)
        .header("x-request-id", id)
}

fn header(kind: Type, about: &str) -> utoipa::openapi::Header {
    HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(kind)))
        .description(Some(about))
        .build()
}
