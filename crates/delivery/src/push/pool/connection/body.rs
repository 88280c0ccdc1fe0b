//! How much of a response is read, in either version of HTTP.
//!
//! The status alone decides most outcomes, and the body is a stranger's: it may be endless, slow, or break off. So as much is kept
//! as comes within bounds, and no error in a body undoes the response.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use h2::RecvStream;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use tokio::time::{Instant, timeout_at};

/// Most bytes of a response's headers.
pub const MAX_HEADER_BYTES: u32 = 16_384;
/// Most bytes of its body that are read: the reason of a refusal fits, a flood does not.
const MAX_BYTES: usize = 4_096;
/// How long the body is waited for once the status is known.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);

/// A body that arrives in pieces.
pub trait ResponseBody: Send {
    /// Whether it is known to hold nothing more.
    fn is_at_end(&self) -> bool;

    /// The next piece; None at the end, and after a failure.
    fn next_chunk(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

impl ResponseBody for Incoming {
    fn is_at_end(&self) -> bool {
        self.is_end_stream()
    }

    async fn next_chunk(&mut self) -> Option<Bytes> {
        // Trailers hold no data and are the last frame.
        self.frame().await?.ok()?.into_data().ok()
    }
}

impl ResponseBody for RecvStream {
    fn is_at_end(&self) -> bool {
        self.is_end_stream()
    }

    async fn next_chunk(&mut self) -> Option<Bytes> {
        let data = self.data().await?.ok()?;
        // Lets the peer send as much again; it fails only on a stream that has ended.
        self.flow_control().release_capacity(data.len()).ok();
        Some(data)
    }
}

/// The first 4 KiB of a body, as far as they come within a second and by `deadline`.
pub async fn read_beginning(mut body: impl ResponseBody, deadline: Instant) -> Bytes {
    // Push services answer what they take without a body: no timer for those.
    if body.is_at_end() {
        return Bytes::new();
    }
    let deadline = deadline.min(Instant::now() + BODY_TIMEOUT);
    let mut text = BytesMut::new();
    while text.len() < MAX_BYTES {
        let Ok(Some(data)) = timeout_at(deadline, body.next_chunk()).await else {
            break;
        };
        text.extend_from_slice(&data[..data.len().min(MAX_BYTES - text.len())]);
    }
    text.freeze()
}
