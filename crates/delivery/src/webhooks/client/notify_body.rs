//! A request's body that tells when it is taken by a connection: from then on the next request cannot overtake it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;

/// Bytes that a connection takes at a time, so that it holds few of a large body that nobody reads.
const CHUNK_SIZE: usize = 16 * 1_024;

/// A body in pieces.
pub struct NotifyOnSentBody {
    bytes: Bytes,
    size: usize,
    on_sent: Option<oneshot::Sender<usize>>,
}

impl NotifyOnSentBody {
    /// Will tell `on_sent` its size when the last piece is taken.
    pub fn new(bytes: Bytes, on_sent: oneshot::Sender<usize>) -> Self {
        Self {
            size: bytes.len(),
            bytes,
            on_sent: Some(on_sent),
        }
    }

    fn next_chunk(&mut self) -> Bytes {
        let chunk = self.bytes.split_to(self.bytes.len().min(CHUNK_SIZE));
        if self.bytes.is_empty()
            && let Some(on_sent) = self.on_sent.take()
        {
            // Nobody may be waiting any more.
            let _ = on_sent.send(self.size);
        }
        chunk
    }
}

impl Body for NotifyOnSentBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let is_left = !self.bytes.is_empty();
        Poll::Ready(is_left.then(|| Ok(Frame::data(self.next_chunk()))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
