//! The app that a request names: in its path, or in its query.

use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts as _, Path, Query};
use hato_domain::ErrorCode;
use http::request::Parts;
use serde::Deserialize;

#[derive(Deserialize)]
struct AppPathParams {
    #[serde(rename = "appId")]
    app_id: String,
}

#[derive(Deserialize)]
struct AppQuery {
    #[serde(rename = "appId")]
    app_id: Option<String>,
}

/// The app that a path names. A segment that is no text names no app, like the empty text.
pub(super) async fn path_app_id(parts: &mut Parts) -> Result<String, ErrorCode> {
    match Path::<AppPathParams>::from_request_parts(parts, &()).await {
        Ok(Path(path)) => Ok(path.app_id),
        Err(rejection) if is_app_id_error(&rejection) => Ok(String::new()),
        Err(_) => Err(ErrorCode::NotFound),
    }
}

fn is_app_id_error(rejection: &PathRejection) -> bool {
    match rejection {
        PathRejection::FailedToDeserializePathParams(error) => {
            matches!(error.kind(), ErrorKind::InvalidUtf8InPathParam { key } if key == "appId")
        }
        _ => false,
    }
}

/// The app that a query names; an empty name counts as absent, and one given twice is `INVALID_INPUT`.
pub(super) fn query_app_id(parts: &Parts) -> Result<Option<String>, ErrorCode> {
    let query = Query::<AppQuery>::try_from_uri(&parts.uri);
    let Query(query) = query.map_err(|_| ErrorCode::InvalidInput)?;
    Ok(query.app_id.filter(|app| !app.is_empty()))
}
