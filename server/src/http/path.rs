//! Ids in paths. A segment that is no text names nothing: `NOT_FOUND`.

use axum::extract::{FromRequestParts, Path};
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
