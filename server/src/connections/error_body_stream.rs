//! Refusals of the HTTP library, made into answers like every other (CONTRACT 2).
//!
//! What is no HTTP, or has a head that is too large, never reaches the router: hyper answers it with a bare status. Such a
//! response is recognised by what it lacks, the id that all of ours carry, and written anew with an id and an error body.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hato_domain::ErrorCode;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf, copy, sink};
use tokio::time::timeout;
use uuid::Uuid;

use crate::http::drain::{DRAIN_TIMEOUT, MAX_DRAINED_BYTES};
use crate::http::error;
use crate::http::request_id::X_REQUEST_ID;
use crate::http::strict_transport_security::HTTPS_FOR_A_YEAR;

/// A connection whose bare refusals get an error body.
pub struct ErrorBodyStream<S> {
    stream: S,
    requires_https: bool,
    has_refused: bool,
    /// What is left to be written in place of the refusal.
    error_response: Vec<u8>,
    /// Whether what comes next is the rest of what was not taken whole: people's texts may look like a refusal.
    has_rest: bool,
}

impl<S> ErrorBodyStream<S> {
    /// The connection over `stream`; whether refusals tell browsers to come back through https.
    pub fn new(stream: S, requires_https: bool) -> Self {
        Self {
            stream,
            requires_https,
            has_refused: false,
            error_response: Vec::new(),
            has_rest: false,
        }
    }
}

impl<S: AsyncRead + Unpin> ErrorBodyStream<S> {
    /// Reads for a while what still comes after a refusal, when the connection is shut down (RFC 9112 §9.6): a client that is busy
    /// sending would see a reset in its place.
    pub async fn drain_refused(mut self) {
        if self.has_refused {
            let mut unread = (&mut self.stream).take(MAX_DRAINED_BYTES as u64);
            // The client may break off, or go on for too long: the connection ends either way.
            let _ = timeout(DRAIN_TIMEOUT, copy(&mut unread, &mut sink())).await;
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ErrorBodyStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ErrorBodyStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.has_rest || !is_bare_refusal(bytes) {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
            self.has_rest = written < bytes.len();
            return Poll::Ready(Ok(written));
        }
        if self.error_response.is_empty() {
            self.has_refused = true;
            self.error_response = error_response(self.requires_https);
        }
        while !self.error_response.is_empty() {
            let Self {
                stream,
                error_response,
                ..
            } = &mut *self;
            let written = ready!(Pin::new(stream).poll_write(context, error_response))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            error_response.drain(..written);
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Whether this is a refusal or a failure, all of it, that no request's id is on.
fn is_bare_refusal(bytes: &[u8]) -> bool {
    let header = X_REQUEST_ID;
    let id = header.as_str().as_bytes();
    (bytes.starts_with(b"HTTP/1.1 4") || bytes.starts_with(b"HTTP/1.1 5"))
        && bytes.ends_with(b"\r\n\r\n")
        && !bytes.windows(id.len()).any(|window| window == id)
}

fn error_response(requires_https: bool) -> Vec<u8> {
    let code = ErrorCode::InvalidInput;
    let id = Uuid::new_v4().simple();
    tracing::info!(%id, %code, "a request could not be read");
    // The pricing page is for limits of plans, which this code is none of.
    let body = error::body(code, "");
    let body = serde_json::to_string(&body).expect("texts are JSON");
    let https = if requires_https {
        format!("strict-transport-security: {HTTPS_FOR_A_YEAR}\r\n")
    } else {
        String::new()
    };
    format!(
        "HTTP/1.1 {} Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\n{https}{X_REQUEST_ID}: {id}\r\nconnection: close\r\n\r\n{body}",
        code.status(),
        body.len()
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::ErrorBodyStream;

    const REFUSAL: &[u8] = b"HTTP/1.1 431 Request Header Fields Too Large\r\n\r\n";

    /// What arrives of bytes that are written when there is room for so many at a time.
    async fn arriving(bytes: &'static [u8], room: usize) -> String {
        let (stream, mut client) = duplex(room);
        let writing = tokio::spawn(async move {
            let mut stream = ErrorBodyStream::new(stream, false);
            stream.write_all(bytes).await.expect("written");
        });
        let mut arrived = String::new();
        let read = client.read_to_string(&mut arrived).await;
        read.expect("all of it");
        writing.await.expect("no panic");
        arrived
    }

    #[tokio::test]
    async fn a_bare_refusal_gets_an_error_body_and_the_rest_of_an_answer_does_not() {
        for room in [8, 1_024] {
            let refused = arriving(REFUSAL, room).await;
            assert!(refused.contains("INVALID_INPUT"), "{refused}");
        }
        let rows = [b"platform", REFUSAL].concat();
        assert_eq!(arriving(rows.clone().leak(), 8).await.as_bytes(), rows);
    }
}
