//! Requests that a client may send again without sending twice: `Idempotency-Key` (CONTRACT 6).

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use hato_domain::{ErrorCode, IdempotencyKey, wire};
use hato_service::IdempotentRequest;
use http::{HeaderMap, HeaderName};
use serde::de::DeserializeOwned;

use super::error::ApiError;
use super::json;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A body read as `T`, with the idempotency key that the client gave to the request. The last parameter of a handler.
pub struct Idempotent<T> {
    value: T,
    body: Bytes,
    key: Option<IdempotencyKey>,
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Idempotent<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let body = json::read(&mut parts, body).await?;
        let value = wire::read(&body)?;
        let key = key(&parts.headers)?;
        Ok(Self { value, body, key })
    }
}

impl<T> Idempotent<T> {
    /// The value, and the idempotent request that it makes on this path.
    pub fn into_parts(self, path: &'static str) -> (T, Option<IdempotentRequest>) {
        let Self { value, body, key } = self;
        let request = key.map(|key| IdempotentRequest::new(key, path, &body));
        (value, request)
    }
}

/// Two keys, or one that is none, are `INVALID_INPUT`.
fn key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ErrorCode> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    match (keys.next(), keys.next()) {
        (None, _) => Ok(None),
        (Some(key), None) => IdempotencyKey::parse(key.as_bytes()).map(Some),
        (Some(_), Some(_)) => Err(ErrorCode::InvalidInput),
    }
}
