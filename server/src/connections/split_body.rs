//! A response's body in small pieces.
//!
//! The HTTP library copies what it is given into a buffer of the connection's, which stays as large for as long as the connection stands.
//! So 1,000 connections of strangers, each of which has once got a file of 480 KB, would keep 480 MB.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// Most bytes of a piece. The library's buffer is full with its 64 KiB, and grows by a piece at most beyond.
const MAX_PIECE_BYTES: usize = 16 * 1024;

/// The body, whose pieces are no longer than 16 KiB.
pub struct SplitBody {
    body: Body,
    /// What is left of the piece that the body gave last.
    rest: Bytes,
}

impl SplitBody {
    /// Gives `body` in small pieces.
    pub fn new(body: Body) -> Self {
        Self {
            body,
            rest: Bytes::new(),
        }
    }
}

impl HttpBody for SplitBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let next = ready!(Pin::new(&mut self.body).poll_frame(context));
            let Some(Ok(frame)) = next else {
                return Poll::Ready(next);
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let piece = self.rest.len().min(MAX_PIECE_BYTES);
        let piece = self.rest.split_to(piece);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let left = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(left.lower().saturating_add(rest));
        if let Some(upper) = left.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, HttpBody as _};
    use futures_util::stream;
    use http_body_util::BodyExt as _;

    use super::{MAX_PIECE_BYTES, SplitBody};

    #[tokio::test]
    async fn a_large_body_comes_in_small_pieces() {
        let whole: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
        let mut body = SplitBody::new(Body::from(whole.clone()));
        let mut read = Vec::new();
        while !body.is_end_stream() {
            let left = u64::try_from(whole.len() - read.len()).expect("not so many");
            assert_eq!(body.size_hint().exact(), Some(left));
            let frame = body.frame().await.expect("more").expect("read");
            let piece = frame.into_data().expect("data");
            assert!(piece.len() <= MAX_PIECE_BYTES, "{}", piece.len());
            read.extend_from_slice(&piece);
        }
        assert_eq!(read, whole);
    }

    #[tokio::test]
    async fn pieces_and_errors_of_a_stream_are_passed_on() {
        let pieces = [Ok("a"), Ok(""), Ok("b"), Err("broken")];
        let mut body = SplitBody::new(Body::from_stream(stream::iter(pieces)));
        assert_eq!(body.size_hint().exact(), None);
        for piece in ["a", "", "b"] {
            let frame = body.frame().await.expect("more").expect("read");
            assert_eq!(frame.into_data().expect("data"), piece);
        }
        assert!(body.frame().await.expect("more").is_err());
    }
}
