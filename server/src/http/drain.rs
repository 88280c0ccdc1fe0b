//! Bodies that a refusal left unread: drained for a while after the response.
//!
//! Closing a connection on which data is still arriving makes the system reset it, and a client that is busy sending would
//! see the reset in place of its answer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use hato_app::MAX_LIST_BYTES;
use http::header::EXPECT;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};

/// Most bytes drained after the response: as many as a proxy lets through that lets through what the server takes. nginx hands a body
/// over as a whole, and answers 502 if it cannot.
pub const MAX_DRAINED_BYTES: usize = MAX_LIST_BYTES + 1024 * 1024;
/// How long draining may go on after the response.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Middleware: lets clients finish sending what nobody reads. One that asked before sending has nothing to finish.
pub async fn drain_unread(request: Request, next: Next) -> Response {
    if request.headers().contains_key(EXPECT) || request.body().is_end_stream() {
        return next.run(request).await;
    }
    next.run(request.map(|body| Body::new(DrainOnDrop::new(body))))
        .await
}

/// A body that is read to its end when dropped before.
struct DrainOnDrop {
    body: Body,
    ended: bool,
}

impl DrainOnDrop {
    fn new(body: Body) -> Self {
        Self { body, ended: false }
    }
}

impl HttpBody for DrainOnDrop {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.ended = matches!(frame, Poll::Ready(None | Some(Err(_))));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for DrainOnDrop {
    fn drop(&mut self) {
        if self.ended || self.body.is_end_stream() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(
                DRAIN_TIMEOUT,
                drain_body(std::mem::take(&mut self.body)),
            ));
        }
    }
}

async fn drain_body(mut body: Body) {
    let mut drained = 0;
    while let Some(Ok(frame)) = body.frame().await {
        drained += frame.data_ref().map_or(0, Bytes::len);
        if drained > MAX_DRAINED_BYTES {
            return;
        }
    }
}
