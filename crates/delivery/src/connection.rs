//! One connection to a push service: HTTP/2 where the peer speaks it, HTTP/1.1 otherwise.

use std::error::Error as _;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{Request, Response, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;

use crate::answer::Answer;
use crate::push::Push;

/// Most bytes of an answer's body that are read: the reason of a refusal fits, a flood does not.
const BODY_LIMIT: usize = 4_096;
/// Most bytes of an answer's headers.
const HEADER_LIMIT: u32 = 16_384;
/// Bytes that a peer may send unread on one stream, and on all streams of a connection together.
const STREAM_WINDOW: u32 = 16_384;
const CONNECTION_WINDOW: u32 = 131_072;
/// How often a connection is asked for a sign of life, and how long it has to give one.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the rest of a body is waited for once the status is known.
const BODY_PATIENCE: Duration = Duration::from_secs(1);

/// A handle to an open connection. Its socket closes when the last handle is gone and nothing is in flight.
pub enum Connection {
    /// Carries one request at a time.
    Http1(Http1),
    /// Shared by many requests.
    Http2(Http2),
}

/// The only handle to an HTTP/1.1 connection.
pub type Http1 = http1::SendRequest<Full<Bytes>>;

/// One of the handles to an HTTP/2 connection.
#[derive(Clone)]
pub struct Http2 {
    sender: http2::SendRequest<Full<Bytes>>,
    signs: Arc<Signs>,
}

/// What is known of a connection's peer.
struct Signs {
    allowed_streams: AtomicUsize,
    answers: AtomicUsize,
    is_silent: AtomicBool,
}

impl Http2 {
    /// Whether the connection takes no more requests: it failed, the peer is going away, or it answers nothing any more.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed() || self.signs.is_silent.load(Ordering::Relaxed)
    }

    /// How many requests the peer allows at a time, as it last said (RFC 9113 §5.1.2).
    pub fn allowed_streams(&self) -> usize {
        self.signs.allowed_streams.load(Ordering::Relaxed)
    }

    fn answers(&self) -> usize {
        self.signs.answers.load(Ordering::Relaxed)
    }

    /// Takes note of how an exchange ended that began after `answers_before` answers. A connection on which nothing at all
    /// came back meanwhile may be half-open: it gets no more requests, and closes when those in flight have ended.
    fn take_note(&self, is_late: bool, answers_before: usize) {
        if !is_late {
            self.signs.answers.fetch_add(1, Ordering::Relaxed);
        } else if self.answers() == answers_before {
            self.signs.is_silent.store(true, Ordering::Relaxed);
        }
    }
}

/// A request got no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The push service has not seen the request: it may be sent again at once.
    #[error("the connection was closed before the request was sent")]
    Unsent,
    /// Nothing came in time.
    #[error("no answer in time")]
    Late,
    /// The connection failed, and what the push service has seen is unknown.
    #[error("the connection failed: {0}")]
    Failed(hyper::Error),
}

impl Connection {
    /// Starts HTTP on a TLS connection in the version that was negotiated; `slot` is given back when it closes.
    pub async fn start(
        stream: TlsStream<TcpStream>,
        slot: OwnedSemaphorePermit,
    ) -> hyper::Result<Self> {
        if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
            start_http2(stream, slot).await.map(Self::Http2)
        } else {
            start_http1(stream, slot).await.map(Self::Http1)
        }
    }

    /// Sends a push and reads the answer, whose head must be there by `deadline`.
    pub async fn exchange(&mut self, push: &Push, deadline: Instant) -> Result<Answer, NoAnswer> {
        let (head, body) = self.head(push, deadline).await?.into_parts();
        let body = read(body, deadline.min(Instant::now() + BODY_PATIENCE)).await;
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body,
        })
    }

    async fn head(
        &mut self,
        push: &Push,
        deadline: Instant,
    ) -> Result<Response<Incoming>, NoAnswer> {
        let before = self.shared().map(Http2::answers);
        let response = timeout_at(deadline, self.send(push)).await;
        if let (Some(http2), Some(before)) = (self.shared(), before) {
            http2.take_note(response.is_err(), before);
        }
        response.map_err(|_| NoAnswer::Late)?
    }

    fn shared(&self) -> Option<&Http2> {
        match self {
            Self::Http1(_) => None,
            Self::Http2(http2) => Some(http2),
        }
    }

    async fn send(&mut self, push: &Push) -> Result<Response<Incoming>, NoAnswer> {
        match self {
            Self::Http1(sender) => {
                sender
                    .try_send_request(push.request(Version::HTTP_11))
                    .await
            }
            Self::Http2(http2) => {
                http2
                    .sender
                    .try_send_request(push.request(Version::HTTP_2))
                    .await
            }
        }
        .map_err(no_answer)
    }
}

async fn start_http1(
    stream: TlsStream<TcpStream>,
    slot: OwnedSemaphorePermit,
) -> hyper::Result<Http1> {
    let (sender, connection) = http1::Builder::new()
        .max_buf_size(HEADER_LIMIT as usize)
        .handshake(TokioIo::new(stream))
        .await?;
    tokio::spawn(drive(connection, slot));
    Ok(sender)
}

async fn start_http2(
    stream: TlsStream<TcpStream>,
    slot: OwnedSemaphorePermit,
) -> hyper::Result<Http2> {
    let (sender, mut connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_header_list_size(HEADER_LIMIT)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        .keep_alive_while_idle(true)
        .handshake(TokioIo::new(stream))
        .await?;
    let signs = Arc::new(Signs {
        allowed_streams: AtomicUsize::new(connection.current_max_send_streams()),
        answers: AtomicUsize::new(0),
        is_silent: AtomicBool::new(false),
    });
    let watched = Arc::clone(&signs);
    let driven = poll_fn(move |context| {
        let state = pin!(&mut connection).poll(context);
        let allowed = connection.current_max_send_streams();
        watched.allowed_streams.store(allowed, Ordering::Relaxed);
        state
    });
    tokio::spawn(drive(driven, slot));
    Ok(Http2 { sender, signs })
}

async fn drive(connection: impl Future<Output = hyper::Result<()>>, slot: OwnedSemaphorePermit) {
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection to a push service ended");
    }
    drop(slot);
}

/// The status alone decides most outcomes, so a body that breaks off or never ends does not undo it.
async fn read(mut body: Incoming, deadline: Instant) -> Bytes {
    let mut text = BytesMut::new();
    while text.len() < BODY_LIMIT {
        let Ok(Some(Ok(frame))) = timeout_at(deadline, body.frame()).await else {
            break;
        };
        if let Some(data) = frame.data_ref() {
            text.extend_from_slice(&data[..data.len().min(BODY_LIMIT - text.len())]);
        }
    }
    text.freeze()
}

fn no_answer(mut error: TrySendError<Request<Full<Bytes>>>) -> NoAnswer {
    if error.take_message().is_some() || was_not_processed(error.error()) {
        NoAnswer::Unsent
    } else {
        NoAnswer::Failed(error.into_error())
    }
}

/// A peer that goes away in an orderly manner, or refuses a stream, says which requests it has not processed
/// (RFC 9113 §8.7).
fn was_not_processed(error: &hyper::Error) -> bool {
    let Some(cause) = error
        .source()
        .and_then(|cause| cause.downcast_ref::<h2::Error>())
    else {
        return false;
    };
    let refused = cause.is_reset() && cause.reason() == Some(h2::Reason::REFUSED_STREAM);
    let gone = cause.is_go_away() && cause.reason() == Some(h2::Reason::NO_ERROR);
    cause.is_remote() && (refused || gone)
}
