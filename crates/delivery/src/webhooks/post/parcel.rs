//! A request's body that tells when it is taken by a connection: from then on the next request cannot overtake it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;

/// A body in one piece.
pub struct Parcel {
    bytes: Option<Bytes>,
    leaves: Option<oneshot::Sender<()>>,
}

impl Parcel {
    /// Will tell `leaves`.
    pub fn new(bytes: Bytes, leaves: oneshot::Sender<()>) -> Self {
        Self {
            bytes: Some(bytes),
            leaves: Some(leaves),
        }
    }
}

impl Body for Parcel {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(leaves) = self.leaves.take() {
            // Nobody may be waiting any more.
            let _ = leaves.send(());
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.bytes.as_ref().map_or(0, Bytes::len);
        SizeHint::with_exact(left as u64)
    }
}
