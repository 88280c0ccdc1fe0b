//! Request bodies as JSON, bounded in size; `request_body.rs` bounds them in time (CONTRACT 2).

use std::error::Error;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use axum::body::{Body, HttpBody as _};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use hato_domain::ErrorCode;
use hato_domain::wire::{self, MAX_BODY_BYTES};
use http::request::Parts;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use super::access;
use super::error::{ApiError, ApiResult};
use super::request_body::BodyError;

/// A body read as `T`. The last parameter of a handler, so that access is decided before anything is read.
pub struct ApiJson<T, const MAX_BYTES: usize = MAX_BODY_BYTES>(pub T);

impl<T: DeserializeOwned, S: Sync, const MAX_BYTES: usize> FromRequest<S>
    for ApiJson<T, MAX_BYTES>
{
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let body = read_within(&mut parts, body, MAX_BYTES).await?;
        Ok(Self(wire::read(&body)?))
    }
}

/// Reads a request's body of at most 256 KiB; refuses as [`read_within`] does.
pub async fn read(parts: &mut Parts, body: Body) -> ApiResult<Bytes> {
    read_within(parts, body, MAX_BODY_BYTES).await
}

/// Over `max_bytes` is `PAYLOAD_TOO_LARGE`, unread when its length was announced; one that finds no room is `OVERLOADED`; one that
/// breaks off or takes too long is `INVALID_INPUT`. Where it was not there at once, the request's access is asked for again, with its refusals:
/// whoever holds back the last byte holds the access that they had before, for as long as a body may take.
async fn read_within(parts: &mut Parts, body: Body, max_bytes: usize) -> ApiResult<Bytes> {
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(ErrorCode::PayloadTooLarge.into());
    }
    let mut reading = pin!(Limited::new(body, max_bytes).collect());
    let at_once = poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await;
    let (read, was_awaited) = match at_once {
        Poll::Ready(read) => (read, false),
        Poll::Pending => (reading.await, true),
    };
    let body = read.map_err(|error| refusal(&*error))?;
    if was_awaited {
        access::check_again(parts).await?;
    }
    Ok(body.to_bytes())
}

/// Why a body was not read.
fn refusal(error: &(dyn Error + 'static)) -> ErrorCode {
    if error.is::<LengthLimitError>() {
        return ErrorCode::PayloadTooLarge;
    }
    match BodyError::find(error) {
        Some(BodyError::NoMemory) => ErrorCode::Overloaded,
        Some(BodyError::TimedOut) | None => ErrorCode::InvalidInput,
    }
}
