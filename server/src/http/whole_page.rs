//! Pages that are there as a whole before anything of them is written.

use axum::body::{Body, HttpBody as _};
use axum::response::{IntoResponse as _, Response};
use hato_domain::ErrorCode;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;

use super::error::ApiError;

/// Reads a page's body to its end: what stays in memory while a client takes it slowly is its bytes, and neither the encoder that compresses
/// it, which takes a megabyte, nor what renders it.
pub async fn finish(response: Response) -> Response {
    if !is_page(response.headers()) || response.body().is_end_stream() {
        return response;
    }
    let (head, body) = response.into_parts();
    match body.collect().await {
        Ok(body) => Response::from_parts(head, Body::from(body.to_bytes())),
        Err(error) => {
            tracing::error!(%error, "a page cannot be compressed");
            ApiError::from(ErrorCode::InternalError).into_response()
        }
    }
}

/// Whether it is HTML.
pub fn is_page(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}
