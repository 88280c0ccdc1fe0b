//! A response's body in small pieces, each after most of the ones before it is written.
//!
//! The HTTP library copies what it is given into a buffer of the connection's, which stays as large for as long as the connection stands.
//! So 1,000 connections of strangers, each of which has once got a file of 480 KB, would keep 480 MB.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio_util::sync::CancellationToken;

use super::head_timer::ConnectionActivity;
use super::held_answers::{HeldAnswer, HeldAnswers};

/// Most bytes of a piece; with fewer to be written the next one is handed over, so that what is small is written in one go.
const MAX_PIECE_BYTES: usize = 16 * 1024;

/// The body, of which the library holds less than 32 KiB.
pub struct SplitBody {
    body: Body,
    activity: Arc<ConnectionActivity>,
    /// Where what is held in memory is counted, and what ends the connection; `None` where it is bounded otherwise.
    bound: Option<(HeldAnswers, CancellationToken)>,
    /// What is left of the piece that the body gave last.
    rest: Bytes,
    held: Option<HeldAnswer>,
}

impl SplitBody {
    /// Gives `body`, which is written on the connection of `activity`, in small pieces.
    pub fn new(body: Body, activity: Arc<ConnectionActivity>) -> Self {
        activity.begin_body();
        Self {
            body,
            activity,
            bound: None,
            rest: Bytes::new(),
            held: None,
        }
    }

    /// Counts what it holds among `answers`, for which `connection` may be ended.
    pub fn counted(mut self, answers: HeldAnswers, connection: CancellationToken) -> Self {
        self.bound = Some((answers, connection));
        self
    }

    /// Takes a piece of the body. What others have as well, or the program itself, takes no memory of its own.
    fn receive(&mut self, data: Bytes) {
        if let Some((answers, connection)) = &self.bound
            && data.len() > MAX_PIECE_BYTES
            && data.is_unique()
        {
            self.held = Some(answers.hold(data.len(), connection));
        }
        self.rest = data;
    }
}

impl HttpBody for SplitBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        ready!(self.activity.poll_unwritten_below(MAX_PIECE_BYTES, context));
        if self.rest.is_empty() {
            let next = ready!(Pin::new(&mut self.body).poll_frame(context));
            let Some(Ok(frame)) = next else {
                return Poll::Ready(next);
            };
            match frame.into_data() {
                Ok(data) => self.receive(data),
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let piece = self.rest.len().min(MAX_PIECE_BYTES);
        let piece = self.rest.split_to(piece);
        self.activity.has_handed_over(piece.len());
        if self.rest.is_empty() {
            self.held = None;
        }
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
    use std::sync::Arc;

    use axum::body::{Body, HttpBody as _};
    use futures_util::{FutureExt as _, stream};
    use http_body_util::BodyExt as _;
    use tokio::time::{Duration, timeout};

    use super::{MAX_PIECE_BYTES, SplitBody};
    use crate::connections::ConnectionTimeouts;
    use crate::connections::head_timer::ConnectionActivity;

    fn activity() -> Arc<ConnectionActivity> {
        Arc::new(ConnectionActivity::new(ConnectionTimeouts::default()))
    }

    #[tokio::test]
    async fn a_large_body_comes_in_small_pieces() {
        let whole: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
        let activity = activity();
        let mut body = SplitBody::new(Body::from(whole.clone()), Arc::clone(&activity));
        let mut read = Vec::new();
        while !body.is_end_stream() {
            let left = u64::try_from(whole.len() - read.len()).expect("not so many");
            assert_eq!(body.size_hint().exact(), Some(left));
            let frame = body.frame().await.expect("more").expect("read");
            let piece = frame.into_data().expect("data");
            assert!(piece.len() <= MAX_PIECE_BYTES, "{}", piece.len());
            activity.has_written(piece.len());
            read.extend_from_slice(&piece);
        }
        assert_eq!(read, whole);
    }

    #[tokio::test]
    async fn a_piece_comes_when_the_one_before_was_written() {
        let activity = activity();
        let mut body = SplitBody::new(Body::from(vec![7; 50_000]), Arc::clone(&activity));
        assert!(body.frame().now_or_never().is_some());
        assert!(body.frame().now_or_never().is_none());
        let next = tokio::spawn(async move { body.frame().await.is_some() });
        tokio::task::yield_now().await;
        assert!(!next.is_finished());
        activity.has_written(1);
        let woken = timeout(Duration::from_secs(30), next).await;
        assert!(woken.expect("it is told").expect("no panic"));
    }

    #[tokio::test]
    async fn pieces_and_errors_of_a_stream_are_passed_on() {
        let pieces = [Ok("a"), Ok(""), Ok("b"), Err("broken")];
        let mut body = SplitBody::new(Body::from_stream(stream::iter(pieces)), activity());
        assert_eq!(body.size_hint().exact(), None);
        for piece in ["a", "", "b"] {
            let frame = body.frame().await.expect("more").expect("read");
            assert_eq!(frame.into_data().expect("data"), piece);
        }
        assert!(body.frame().await.expect("more").is_err());
    }
}
