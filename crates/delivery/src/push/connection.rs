//! One connection to a push service: HTTP/2 where the peer speaks it, HTTP/1.1 otherwise.

mod http2;

use std::error::Error;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Version;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;

pub use http2::Http2;

use crate::push::connector::ConnectError;
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// Most bytes of an answer's body that are read: the reason of a refusal fits, a flood does not.
const BODY_LIMIT: usize = 4_096;
/// Most bytes of an answer's headers.
const HEADER_LIMIT: u32 = 16_384;
/// How long the rest of a body is waited for once the status is known.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);

/// A handle to an open connection. Its socket closes when the last handle is gone and nothing is in flight.
pub enum PushConnection {
    /// Carries one request at a time.
    Http1(Http1),
    /// Shared by many requests.
    Http2(Http2),
}

/// The only handle to an HTTP/1.1 connection.
pub type Http1 = http1::SendRequest<Full<Bytes>>;

/// A request got no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The push service has not seen the request: it may be sent again at once.
    #[error("the connection was closed before the request was sent")]
    Unsent,
    /// Nothing came in time.
    #[error("no answer in time")]
    Late,
    /// The connection failed, and what the push service has seen is unknown.
    #[error("the connection failed: {0}")]
    Failed(Box<dyn Error + Send + Sync>),
}

impl PushConnection {
    /// Starts HTTP on a TLS connection in the version that was negotiated; `slot` is given back when it closes.
    pub async fn start(
        stream: TlsStream<TcpStream>,
        slot: OwnedSemaphorePermit,
    ) -> Result<Self, ConnectError> {
        if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
            http2::start(stream, slot).await.map(Self::Http2)
        } else {
            start_http1(stream, slot).await.map(Self::Http1)
        }
    }

    /// Sends a push and reads the answer, whose head must be there by `deadline`.
    pub async fn exchange(
        &mut self,
        push: &Push,
        deadline: Instant,
    ) -> Result<PushResponse, ExchangeError> {
        match self {
            Self::Http1(sender) => exchange_http1(sender, push, deadline).await,
            Self::Http2(http2) => http2.exchange(push, deadline).await,
        }
    }
}

async fn start_http1(
    stream: TlsStream<TcpStream>,
    slot: OwnedSemaphorePermit,
) -> Result<Http1, ConnectError> {
    let (sender, connection) = http1::Builder::new()
        .max_buf_size(HEADER_LIMIT as usize)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(ConnectError::unreachable)?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a push service ended");
        }
        drop(slot);
    });
    Ok(sender)
}

async fn exchange_http1(
    sender: &mut Http1,
    push: &Push,
    deadline: Instant,
) -> Result<PushResponse, ExchangeError> {
    let sending =
        sender.try_send_request(push.request(Version::HTTP_11, Full::new(push.body.clone())));
    let response = timeout_at(deadline, sending).await;
    let response = response.map_err(|_| ExchangeError::Late)?;
    let (head, body) = response
        .map_err(|mut error| match error.take_message() {
            Some(_) => ExchangeError::Unsent,
            None => ExchangeError::Failed(error.into_error().into()),
        })?
        .into_parts();
    Ok(PushResponse {
        status: head.status,
        headers: head.headers,
        body: read(body, deadline.min(Instant::now() + BODY_TIMEOUT)).await,
    })
}

/// The first bytes of a body. The status alone decides most outcomes, so a body that breaks off or never ends does not undo it.
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
