//! `/media`: the pictures that owners have uploaded, for browsers that show a notification (CONTRACT 11).

use axum::extract::{Path, State};
use axum::response::IntoResponse;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};

use crate::http::error::ApiResult;
use crate::state::AppState;

/// What is said of each: a PNG that never changes, in which nothing runs, and which any site may show.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (CONTENT_TYPE, HeaderValue::from_static("image/png")),
    (
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    ),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    ),
];

/// The picture with this name, or 404.
pub async fn show(
    State(state): State<AppState>,
    Path(name): Path<String>,
) -> ApiResult<impl IntoResponse> {
    let content = state.service.picture(&name).await?;
    Ok((HEADERS, state.pictures.share(&name, content)))
}
