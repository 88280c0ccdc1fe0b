//! The bodies that the push service answers with: none, bytes in memory, or one without an end.

use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;
use std::convert::Infallible;

/// A body that is empty, in memory or endless.
pub(crate) type MockResponseBody = UnsyncBoxBody<Bytes, Infallible>;

/// A body of no bytes.
pub(crate) fn empty() -> MockResponseBody {
    full(Bytes::new())
}

/// A body of these bytes.
pub(crate) fn full(bytes: impl Into<Bytes>) -> MockResponseBody {
    Full::new(bytes.into()).boxed_unsync()
}

/// A body of spaces that goes on as long as the reader takes them.
pub(crate) fn endless() -> MockResponseBody {
    let chunks = stream::unfold((), |()| async {
        tokio::task::yield_now().await;
        let frame = Frame::data(Bytes::from_static(&[b' '; 1024]));
        Some((Ok(frame), ()))
    });
    StreamBody::new(chunks).boxed_unsync()
}
