//! The document, described in itself.

use hato_domain::ErrorCode;
use serde_json::json;
use utoipa::ToSchema;

use super::endpoint_auth::EndpointAuth;
use super::operation::{OperationSpec, get};

pub const TAG: &str = "description";
pub const ABOUT: &str = "For programs that read descriptions.";

/// What every OpenAPI document has.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its shape is of interest")]
struct OpenApi {
    /// The version of the format.
    openapi: String,
    /// What is described.
    #[schema(value_type = Object)]
    info: (),
    /// The endpoints.
    #[schema(value_type = Object)]
    paths: (),
}

/// The endpoint that answers the document.
pub fn operations() -> Vec<OperationSpec> {
    let example = json!({"openapi": "3.1.0", "info": {"title": "Hato"}, "paths": {}});
    let document = get("/api/v1/openapi.json", "getDescription")
        .summary("This document", "このドキュメントを取得する")
        .auth(EndpointAuth::Anybody)
        .response::<OpenApi>(200, "OpenAPI 3.1.", example)
        .errors([ErrorCode::RateLimited]);
    vec![document]
}
