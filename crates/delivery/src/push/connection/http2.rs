//! HTTP/2 on the `h2` crate itself: a request is a stream and no task of its own, which is a tenth of what sending costs.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use h2::client::SendRequest;
use h2::{Ping, PingPong, RecvStream};
use http::{Response, Version};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_rustls::client::TlsStream;

use super::{BODY_LIMIT, BODY_TIMEOUT, ExchangeError, HEADER_LIMIT};
use crate::push::connector::ConnectError;
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// Bytes that a peer may send unread on one stream, and on all streams of a connection together.
const STREAM_WINDOW: u32 = 16_384;
const CONNECTION_WINDOW: u32 = 131_072;
/// Requests at a time until the peer has said how many: the fewest that it should allow (RFC 9113 §6.5.2).
const INITIAL_STREAMS: usize = 100;
/// How often a connection is asked for a sign of life, and how long it has to give one.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// One of the handles to an HTTP/2 connection.
#[derive(Clone)]
pub struct Http2 {
    sender: SendRequest<Bytes>,
    peer: Arc<PeerState>,
}

/// What is known of a connection's peer.
struct PeerState {
    allowed_streams: AtomicUsize,
    answers: AtomicUsize,
    is_over: AtomicBool,
}

impl PeerState {
    /// The connection takes no more requests; those in flight may still be answered.
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Starts HTTP/2 on a TLS connection; `slot` is given back when it closes.
pub(super) async fn start(
    stream: TlsStream<TcpStream>,
    slot: OwnedSemaphorePermit,
) -> Result<Http2, ConnectError> {
    let (sender, connection) = h2::client::Builder::new()
        .enable_push(false)
        .initial_max_send_streams(INITIAL_STREAMS)
        .max_header_list_size(HEADER_LIMIT)
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .handshake(stream)
        .await
        .map_err(ConnectError::unreachable)?;
    let peer = Arc::new(PeerState {
        allowed_streams: AtomicUsize::new(connection.max_concurrent_send_streams()),
        answers: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    });
    tokio::spawn(drive(connection, Arc::clone(&peer), slot));
    Ok(Http2 { sender, peer })
}

/// Moves a connection's frames until it closes.
async fn drive(
    mut connection: h2::client::Connection<TlsStream<TcpStream>>,
    peer: Arc<PeerState>,
    slot: OwnedSemaphorePermit,
) {
    let pings = connection.ping_pong();
    let frames = poll_fn(|context| {
        let state = pin!(&mut connection).poll(context);
        let allowed = connection.max_concurrent_send_streams();
        peer.allowed_streams.store(allowed, Ordering::Relaxed);
        state
    });
    tokio::select! {
        ended = frames => if let Err(error) = ended {
            tracing::debug!(%error, "a connection to a push service ended");
        },
        () = ping_until_dead(pings) => tracing::debug!("a push service gives no sign of life"),
    }
    peer.end();
    drop((connection, slot));
}

/// Returns when the peer does not answer a PING (RFC 9113 §6.7).
async fn ping_until_dead(pings: Option<PingPong>) {
    let Some(mut pings) = pings else { return };
    loop {
        sleep(PING_INTERVAL).await;
        let pong = timeout(PING_TIMEOUT, pings.ping(Ping::opaque())).await;
        if !matches!(pong, Ok(Ok(_))) {
            return;
        }
    }
}

impl Http2 {
    /// Whether the connection takes no more requests: it failed, the peer is going away, or it answers nothing any more.
    pub fn is_closed(&self) -> bool {
        self.peer.is_over.load(Ordering::Relaxed)
    }

    /// How many requests the peer allows at a time, as it last said (RFC 9113 §5.1.2).
    pub fn allowed_streams(&self) -> usize {
        self.peer.allowed_streams.load(Ordering::Relaxed)
    }

    /// Sends a push and reads the answer, whose head must be there by `deadline`.
    pub(super) async fn exchange(
        &mut self,
        push: &Push,
        deadline: Instant,
    ) -> Result<PushResponse, ExchangeError> {
        let before = self.answers();
        let response = timeout_at(deadline, self.send(push)).await;
        self.record_exchange(response.is_err(), before);
        let (head, body) = response.map_err(|_| ExchangeError::Late)??.into_parts();
        Ok(PushResponse {
            status: head.status,
            headers: head.headers,
            body: read(body, deadline).await,
        })
    }

    fn answers(&self) -> usize {
        self.peer.answers.load(Ordering::Relaxed)
    }

    /// Takes note of how an exchange ended that began after `answers_before` answers. A connection on which nothing at all
    /// came back meanwhile may be half-open: it gets no more requests, and closes when those in flight have ended.
    fn record_exchange(&self, is_late: bool, answers_before: usize) {
        if !is_late {
            self.peer.answers.fetch_add(1, Ordering::Relaxed);
        } else if self.answers() == answers_before {
            self.peer.end();
        }
    }

    async fn send(&mut self, push: &Push) -> Result<Response<RecvStream>, ExchangeError> {
        let request = push.request(Version::HTTP_2, ());
        let opened = match poll_fn(|context| self.sender.poll_ready(context)).await {
            Ok(()) => self.sender.send_request(request, false),
            Err(error) => Err(error),
        };
        let (response, mut stream) = opened.map_err(|error| self.unsent(&error))?;
        // A refusal shows in the response as well.
        stream.send_data(push.body.clone(), true).ok();
        response.await.map_err(|error| self.failed(error))
    }

    fn unsent(&self, error: &h2::Error) -> ExchangeError {
        tracing::debug!(%error, "a connection takes no more requests");
        self.peer.end();
        ExchangeError::Unsent
    }

    fn failed(&self, error: h2::Error) -> ExchangeError {
        if !error.is_reset() {
            self.peer.end();
        }
        if was_not_processed(&error) {
            ExchangeError::Unsent
        } else {
            ExchangeError::Failed(error.into())
        }
    }
}

/// A peer that goes away in an orderly manner, or refuses a stream, says which requests it has not processed
/// (RFC 9113 §8.7).
fn was_not_processed(error: &h2::Error) -> bool {
    let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    let gone = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
    error.is_remote() && (refused || gone)
}

/// The first bytes of a body, as far as they come soon. The status alone decides most outcomes, so a body that breaks off or
/// never ends does not undo it.
async fn read(mut body: RecvStream, deadline: Instant) -> Bytes {
    if body.is_end_stream() {
        return Bytes::new();
    }
    let deadline = deadline.min(Instant::now() + BODY_TIMEOUT);
    let mut text = BytesMut::new();
    while text.len() < BODY_LIMIT {
        let Ok(Some(Ok(data))) = timeout_at(deadline, body.data()).await else {
            break;
        };
        body.flow_control().release_capacity(data.len()).ok();
        text.extend_from_slice(&data[..data.len().min(BODY_LIMIT - text.len())]);
    }
    text.freeze()
}
