//! Paths of requests, and the ids in them. A segment that is no text names nothing: `NOT_FOUND`.

use axum::extract::{FromRequestParts, Path, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hato_domain::ErrorCode;
use http::request::Parts;

use super::error::ApiError;

/// The send or the key's record that a path names below its app, unchecked. Stands after the access in a handler's parameters,
/// which is judged first.
pub struct ItemIdPath(pub String);

impl<S: Send + Sync> FromRequestParts<S> for ItemIdPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let path = Path::<(String, String)>::from_request_parts(parts, &()).await;
        let Path((_app, item)) = path.map_err(|_| ErrorCode::NotFound)?;
        Ok(Self(item))
    }
}

/// Middleware: a request whose target has no path, such as the `host:port` of CONNECT (RFC 9112 §3.2.3), is for a proxy and none
/// that the router could place: `INVALID_INPUT`.
pub async fn require(request: Request, next: Next) -> Response {
    if request.uri().path_and_query().is_none() {
        return ApiError::from(ErrorCode::InvalidInput).into_response();
    }
    next.run(request).await
}
