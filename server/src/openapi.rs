//! The API's description as an OpenAPI 3.1 document, made of the wire types and the error table; `/api/v1/openapi.json` and
//! the page `/docs/api` show the same one.
//!
//! Each endpoint stands in the file of its noun, with an example of what goes in and what comes out. What it may be refused
//! with follows from who may use it and whether it takes a body; only what is its own is listed there.

mod accounts;
mod apps;
mod description;
mod endpoint_auth;
mod history;
mod keys;
mod operation;
mod parameter;
mod response;
mod sends;
mod stats;
mod subscriptions;
mod webhook;

use axum::Json;
use axum::extract::State;
use serde_json::Value;
use utoipa::openapi::path::PathsBuilder;
use utoipa::openapi::schema::ComponentsBuilder;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApiBuilder, ServerBuilder};

use crate::config::BaseUrl;
use crate::state::AppState;
use operation::OperationSpec;

const ABOUT: &str = "JSON over HTTP, for pages that subscribe, servers that send, and programs that manage. Unknown \
    members are ignored, `null` and the empty string count as absent, times are Unix milliseconds, and every answer \
    carries `x-request-id`. Errors have a sentence in Japanese for people and a `code` to branch on.";

/// `GET /api/v1/openapi.json`.
pub async fn show(State(state): State<AppState>) -> Json<Value> {
    Json(Value::clone(&state.app.api))
}

/// The document of the server at this address.
pub fn document(base_url: &BaseUrl) -> Value {
    let operations = operations();
    let mut components = ComponentsBuilder::new();
    for operation in &operations {
        components = components.schemas_from_iter(operation.schemas.clone());
    }
    let paths = operations
        .into_iter()
        .fold(PathsBuilder::new(), |paths, operation| {
            let (path, item) = operation.into_item();
            paths.path(path, item)
        });
    let tags = TAGS.map(|(name, about)| {
        let tag = TagBuilder::new().name(name).description(Some(about));
        tag.build()
    });
    let licence = LicenseBuilder::new().name("MIT OR Apache-2.0").build();
    let info = InfoBuilder::new()
        .title("Hato")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(licence));
    let document = OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new().url(base_url.as_str()).build()]))
        .tags(Some(tags))
        .paths(paths)
        .components(Some(secured(components).build()));
    serde_json::to_value(document.build()).expect("the document is plain data")
}

const TAGS: [(&str, &str); 9] = [
    (
        subscriptions::TAG,
        "Browsers register what their push service gave them.",
    ),
    (
        sends::TAG,
        "A send is stored, answered 202, and delivered in the background.",
    ),
    (
        history::TAG,
        "What was sent, what became of it, and stopping it.",
    ),
    (
        apps::TAG,
        "An app has a VAPID key pair, subscribers and keys of its own.",
    ),
    (
        webhook::TAG,
        "What happened is posted to the owner's server.",
    ),
    (keys::TAG, "Credentials of programs, in three scopes."),
    (stats::TAG, "What was sent and who is subscribed."),
    (accounts::TAG, "Sessions of people."),
    (description::TAG, "For programs that read descriptions."),
];

/// Every endpoint, in the order of the specification.
fn operations() -> Vec<OperationSpec> {
    [
        subscriptions::operations(),
        sends::operations(),
        history::operations(),
        apps::operations(),
        webhook::operations(),
        keys::operations(),
        stats::operations(),
        accounts::operations(),
        description::operations(),
    ]
    .concat()
}

fn secured(components: ComponentsBuilder) -> ComponentsBuilder {
    let bearer = |about: &str| {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
        SecurityScheme::Http(bearer.description(Some(about)).build())
    };
    let cookie = ApiKeyValue::with_description("hato_session", "The same token as a cookie.");
    components
        .security_scheme(
            endpoint_auth::KEY,
            bearer("An API key: `pk_` and 64 hexadecimal digits."),
        )
        .security_scheme(
            endpoint_auth::SESSION,
            bearer("The `session_token` of a login."),
        )
        .security_scheme(
            endpoint_auth::COOKIE,
            SecurityScheme::ApiKey(ApiKey::Cookie(cookie)),
        )
}
