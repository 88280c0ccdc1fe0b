//! Request bodies as JSON, bounded in size; `request_body.rs` bounds them in time (CONTRACT 2).

use axum::body::{Body, HttpBody as _};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use hato_domain::ErrorCode;
use hato_domain::wire::{self, MAX_BODY_BYTES};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use super::error::ApiError;
use super::request_body::BodyError;

/// A body read as `T`. The last parameter of a handler, so that access is decided before anything is read.
pub struct ApiJson<T, const MAX_BYTES: usize = MAX_BODY_BYTES>(pub T);

impl<T: DeserializeOwned, S: Sync, const MAX_BYTES: usize> FromRequest<S>
    for ApiJson<T, MAX_BYTES>
{
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let body = read_within(request.into_body(), MAX_BYTES).await?;
        Ok(Self(wire::read(&body)?))
    }
}

/// Reads a body of at most 256 KiB; refuses as [`read_within`] does.
pub async fn read(body: Body) -> Result<Bytes, ErrorCode> {
    read_within(body, MAX_BODY_BYTES).await
}

/// Over `max_bytes` is `PAYLOAD_TOO_LARGE`, unread when its length was announced; one that finds no room is `OVERLOADED`; one that
/// breaks off or takes too long is `INVALID_INPUT`.
async fn read_within(body: Body, max_bytes: usize) -> Result<Bytes, ErrorCode> {
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(ErrorCode::PayloadTooLarge);
    }
    match Limited::new(body, max_bytes).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ErrorCode::PayloadTooLarge),
        Err(error) if BodyError::find(&*error) == Some(BodyError::NoMemory) => {
            Err(ErrorCode::Overloaded)
        }
        Err(_) => Err(ErrorCode::InvalidInput),
    }
}
