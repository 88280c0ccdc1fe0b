//! How many requests of a client are answered at a time (CONTRACT 18): each holds memory, and soon a connection of the database.

use std::num::NonZeroU32;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use hato_domain::ErrorCode;
use http::header::CONTENT_TYPE;
use hyper::body::{Frame, SizeHint};

use super::client_address::ClientInfo;
use super::error::ApiError;
use crate::state::{AppState, ClientPermit};

/// Most requests of a client, wherever they come in.
pub const MAX_IN_FLIGHT: NonZeroU32 = NonZeroU32::new(100).expect("it is not 0");

/// Middleware: one more than 100 requests of a client is `OVERLOADED`. A request counts until the last byte of its answer is handed
/// over; an event stream only until it begins, because it lasts and has limits of its own.
pub async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let client = match ClientInfo::from_extensions(request.extensions()) {
        Ok(client) => client,
        Err(error) => return error.into_response(),
    };
    let permit = state
        .in_flight
        .try_acquire(client.rate_limit_key, client.site);
    let Some(permit) = permit else {
        return ApiError::from(ErrorCode::Overloaded).into_response();
    };
    let response = next.run(request).await;
    if is_event_stream(&response) || response.body().is_end_stream() {
        return response;
    }
    response.map(|body| {
        Body::new(PermitHoldingBody {
            body,
            _permit: permit,
        })
    })
}

/// Whether the answer is a stream of events.
pub fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// An answer's body that holds the permit of its request.
struct PermitHoldingBody {
    body: Body,
    _permit: ClientPermit,
}

impl HttpBody for PermitHoldingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
