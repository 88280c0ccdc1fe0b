//! A request's body that tells when it is taken by a connection: from then on the next request cannot overtake it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;

/// Bytes that a connection takes at a time, so that it holds few of a large body that nobody reads.
const PIECE: usize = 16 * 1_024;

/// A body in pieces.
pub struct Parcel {
    bytes: Bytes,
    size: usize,
    leaves: Option<oneshot::Sender<usize>>,
}

impl Parcel {
    /// Will tell `leaves` its size when the last piece is taken.
    pub fn new(bytes: Bytes, leaves: oneshot::Sender<usize>) -> Self {
        Self {
            size: bytes.len(),
            bytes,
            leaves: Some(leaves),
        }
    }

    fn next_piece(&mut self) -> Bytes {
        let piece = self.bytes.split_to(self.bytes.len().min(PIECE));
        if self.bytes.is_empty()
            && let Some(leaves) = self.leaves.take()
        {
            // Nobody may be waiting any more.
            let _ = leaves.send(self.size);
        }
        piece
    }
}

impl Body for Parcel {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let is_left = !self.bytes.is_empty();
        Poll::Ready(is_left.then(|| Ok(Frame::data(self.next_piece()))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
