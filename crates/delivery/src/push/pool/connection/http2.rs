//! HTTP/2 for push services (RFC 9113): many requests at a time on a connection, each a stream.
//!
//! It stands on the `h2` crate itself and not on hyper's client, in which every request is a task: it costs 10 µs
//! of CPU a request beside 12 to 15 (`make bench-delivery`).

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use h2::{Ping, PingPong, RecvStream};
use http::{Response, Version};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::body::{MAX_HEADER_BYTES, read_beginning};
use crate::push::pool::connection_permits::{ConnectionOwner, ConnectionPermit};
use crate::push::pool::error::{ConnectError, ExchangeError};
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// Bytes that a peer may send unread on one stream, and on all streams of a connection together (RFC 9113 §6.9): all that a
/// response may have fits, and a thousand streams of a hostile peer do not fill the memory.
const STREAM_WINDOW: u32 = 16_384;
const CONNECTION_WINDOW: u32 = 131_072;
/// Requests at a time until the peer has said how many: the fewest that it should allow (RFC 9113 §6.5.2).
const INITIAL_STREAMS: usize = 100;
/// How often a connection is asked for a sign of life, and how long it has to give one. Without traffic nothing else tells a
/// connection whose peer has vanished from an idle one.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// A handle to an HTTP/2 connection; clones share the connection.
#[derive(Clone)]
pub struct Http2 {
    sender: SendRequest<Bytes>,
    peer: Arc<PeerState>,
    /// For whom it counts.
    pub owner: Arc<ConnectionOwner>,
}

/// What is known of a connection's peer. The numbers are read without a lock and may be a moment old.
struct PeerState {
    allowed_streams: AtomicUsize,
    /// Exchanges that ended otherwise than by a time-out.
    responses: AtomicUsize,
    is_over: AtomicBool,
}

impl PeerState {
    /// The connection takes no more requests; those in flight may still be answered.
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Starts HTTP/2 on a TLS connection; `permit` is given back when it closes.
pub async fn start(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    permit: ConnectionPermit,
) -> Result<Http2, ConnectError> {
    let (sender, connection) = h2::client::Builder::new()
        .enable_push(false)
        .initial_max_send_streams(INITIAL_STREAMS)
        .max_header_list_size(MAX_HEADER_BYTES)
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .handshake(stream)
        .await
        .map_err(|error| ConnectError::http(cause(&error)))?;
    let peer = Arc::new(PeerState {
        allowed_streams: AtomicUsize::new(connection.max_concurrent_send_streams()),
        responses: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    });
    let owner = Arc::clone(permit.owner());
    tokio::spawn(drive(connection, Arc::clone(&peer), permit));
    Ok(Http2 {
        sender,
        peer,
        owner,
    })
}

/// Moves a connection's frames until it closes. After a GOAWAY the streams below its last identifier still get their responses, so
/// the connection is driven on; only new requests go elsewhere (RFC 9113 §6.8).
async fn drive(
    mut connection: h2::client::Connection<impl AsyncRead + AsyncWrite + Unpin>,
    peer: Arc<PeerState>,
    permit: ConnectionPermit,
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
            tracing::debug!(cause = cause(&error), "a connection to a push service ended");
        },
        () = ping_until_dead(pings) => tracing::debug!("a push service gives no sign of life"),
    }
    peer.end();
    drop((connection, permit));
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

    /// Makes a push and reads the response, whose head must be there by `deadline`.
    pub async fn exchange(
        &mut self,
        push: &Push,
        deadline: Instant,
    ) -> Result<PushResponse, ExchangeError> {
        let before = self.responses();
        let response = timeout_at(deadline, self.push(push)).await;
        self.record_exchange(response.is_err(), before);
        let (head, body) = response.map_err(|_| ExchangeError::TimedOut)??.into_parts();
        Ok(PushResponse {
            status: head.status,
            headers: head.headers,
            body: read_beginning(body, deadline).await,
        })
    }

    fn responses(&self) -> usize {
        self.peer.responses.load(Ordering::Relaxed)
    }

    /// Takes note of how an exchange ended that began after `responses_before` responses. A connection on which nothing at all
    /// came back meanwhile may be half-open (RFC 9293 §3.5.1): it gets no more requests, and closes when those in flight have
    /// ended. One slow response among others that came is the push service's matter and not the connection's.
    fn record_exchange(&self, is_late: bool, responses_before: usize) {
        if !is_late {
            self.peer.responses.fetch_add(1, Ordering::Relaxed);
        } else if self.responses() == responses_before {
            self.peer.end();
        }
    }

    async fn push(&mut self, push: &Push) -> Result<Response<RecvStream>, ExchangeError> {
        let request = push.request(Version::HTTP_2, ());
        let opened = match poll_fn(|context| self.sender.poll_ready(context)).await {
            Ok(()) if push.is_too_late() => return Err(ExchangeError::Unsent),
            Ok(()) => self.sender.send_request(request, false),
            Err(error) => Err(error),
        };
        let (response, mut stream) = opened.map_err(|error| self.unsent(&error))?;
        // A refusal shows in the response as well.
        stream.send_data(push.body.clone(), true).ok();
        response.await.map_err(|error| self.failed(&error))
    }

    fn unsent(&self, error: &h2::Error) -> ExchangeError {
        tracing::debug!(cause = cause(error), "a connection takes no more requests");
        self.peer.end();
        ExchangeError::Unsent
    }

    fn failed(&self, error: &h2::Error) -> ExchangeError {
        if !error.is_reset() {
            self.peer.end();
        }
        if was_not_processed(error) {
            ExchangeError::Unsent
        } else {
            ExchangeError::Failed(cause(error).into())
        }
    }
}

/// What went wrong, for the log and dead letters: without the text that a GOAWAY may have, in which a push service could repeat an
/// endpoint.
fn cause(error: &h2::Error) -> String {
    match error.reason() {
        Some(reason) if error.is_go_away() && error.is_remote() => format!("GOAWAY: {reason}"),
        _ => error.to_string(),
    }
}

/// Whether the push service has certainly not processed a request, so that making it again cannot deliver it twice.
///
/// Two signs say so (RFC 9113 §8.7): a stream that the peer resets with `REFUSED_STREAM`, and a GOAWAY whose last stream
/// identifier is below the stream's, which is what fails a stream here with the GOAWAY's code. One with another code than
/// `NO_ERROR` is not trusted to be in order. What this side resets says nothing about the peer.
fn was_not_processed(error: &h2::Error) -> bool {
    let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    let gone = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
    error.is_remote() && (refused || gone)
}
