//! Ids in paths. A segment that is no text names nothing: `NOT_FOUND`.

use axum::extract::{FromRequestParts, Path};
use hato_domain::ErrorCode;
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::ApiError;

/// The send that a path names, unchecked. Stands after the access in a handler's parameters, which is judged first.
pub struct SendIdPath(pub String);

/// The key's record that a path names, unchecked. Stands after the access likewise.
pub struct KeyIdPath(pub String);

#[derive(Deserialize)]
struct SendPathParams {
    send_id: String,
}

#[derive(Deserialize)]
struct KeyPathParams {
    #[serde(rename = "keyId")]
    key_id: String,
}

impl<S: Send + Sync> FromRequestParts<S> for SendIdPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let path: SendPathParams = read(parts).await?;
        Ok(Self(path.send_id))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for KeyIdPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let path: KeyPathParams = read(parts).await?;
        Ok(Self(path.key_id))
    }
}

async fn read<T: DeserializeOwned + Send>(parts: &mut Parts) -> Result<T, ErrorCode> {
    let path = Path::from_request_parts(parts, &()).await;
    path.map(|Path(path)| path).map_err(|_| ErrorCode::NotFound)
}
