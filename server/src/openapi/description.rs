//! The document, described in itself.

use hato_domain::ErrorCode;
use http::Method;
use serde_json::json;
use utoipa::ToSchema;

use super::operation::OperationSpec;

/// The tag of the endpoint that describes the others.
pub const TAG: &str = "description";

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
    vec![
        OperationSpec::new(Method::GET, "/api/v1/openapi.json", "getDescription", TAG)
            .summary("This document", "このドキュメントを取得する")
            .response::<OpenApi>(200, "OpenAPI 3.1.", example)
            .errors([ErrorCode::RateLimited]),
    ]
}
