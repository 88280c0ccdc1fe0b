//! The API's description as an OpenAPI 3.1 document, made of the wire types and the error table; `/api/v1/openapi.json` and
//! the page `/docs/api` show the same one.
//!
//! Each endpoint stands in the file of its group, with an example of what goes in and what comes out. What it may be refused
//! with follows from who may use it and whether it takes a body; only what is its own is listed there.

mod accounts;
mod apps;
mod audience;
mod description;
mod endpoint_auth;
mod events;
mod history;
mod keys;
mod operation;
mod parameter;
mod response;
mod sends;
mod stats;
mod subscriptions;
mod transfer;
mod users;
mod vapid_keys;
mod webhook;

use std::mem;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use utoipa::openapi::extensions::ExtensionsBuilder;
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

/// `GET /api/v1/openapi.json`: the description of the API, for anybody.
pub async fn show(State(state): State<AppState>) -> Response {
    Json(&*state.app.api).into_response()
}

/// The document of the server at this address.
pub fn document(base_url: &BaseUrl) -> Value {
    let (mut tags, mut paths) = (Vec::new(), PathsBuilder::new());
    let mut components = secured(ComponentsBuilder::new());
    for (tag, about, operations) in groups() {
        // Maps of JSON have no order, and readers need one.
        let ids: Vec<_> = operations.iter().map(|operation| operation.id).collect();
        let order = ExtensionsBuilder::new().add("x-operation-ids", ids);
        let heading = TagBuilder::new().name(tag).description(Some(about));
        tags.push(heading.extensions(Some(order.build())).build());
        for mut operation in operations {
            components = components.schemas_from_iter(mem::take(&mut operation.schemas));
            let (path, item) = operation.into_item(tag);
            paths = paths.path(path, item);
        }
    }
    let document = OpenApiBuilder::new()
        .info(info())
        .servers(Some([ServerBuilder::new().url(base_url.as_str()).build()]))
        .tags(Some(tags))
        .paths(paths)
        .components(Some(components.build()));
    serde_json::to_value(document.build()).expect("the document is plain data")
}

fn info() -> InfoBuilder {
    let licence = LicenseBuilder::new().name("MIT OR Apache-2.0").build();
    InfoBuilder::new()
        .title("Hato")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(licence))
}

/// Every endpoint, in the order of the specification: a tag, what it stands for, and the endpoints below it.
fn groups() -> [(&'static str, &'static str, Vec<OperationSpec>); 14] {
    [
        (
            subscriptions::TAG,
            subscriptions::ABOUT,
            subscriptions::operations(),
        ),
        (audience::TAG, audience::ABOUT, audience::operations()),
        (sends::TAG, sends::ABOUT, sends::operations()),
        (history::TAG, history::ABOUT, history::operations()),
        (apps::TAG, apps::ABOUT, apps::operations()),
        (webhook::TAG, webhook::ABOUT, webhook::operations()),
        (users::TAG, users::ABOUT, users::operations()),
        (keys::TAG, keys::ABOUT, keys::operations()),
        (vapid_keys::TAG, vapid_keys::ABOUT, vapid_keys::operations()),
        (transfer::TAG, transfer::ABOUT, transfer::operations()),
        (stats::TAG, stats::ABOUT, stats::operations()),
        (events::TAG, events::ABOUT, events::operations()),
        (accounts::TAG, accounts::ABOUT, accounts::operations()),
        (
            description::TAG,
            description::ABOUT,
            description::operations(),
        ),
    ]
}

fn secured(components: ComponentsBuilder) -> ComponentsBuilder {
    let bearer = |about: &str| {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
        SecurityScheme::Http(bearer.description(Some(about)).build())
    };
    let cookie = ApiKeyValue::with_description("hato_session", "The same token as a cookie.");
    let key = bearer("An API key: `pk_` and 64 hexadecimal digits.");
    let session = bearer("The `session_token` of a login.");
    let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(cookie));
    components
        .security_scheme(endpoint_auth::KEY, key)
        .security_scheme(endpoint_auth::SESSION, session)
        .security_scheme(endpoint_auth::COOKIE, cookie)
}
