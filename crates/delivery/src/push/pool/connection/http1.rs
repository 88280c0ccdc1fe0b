//! HTTP/1.1 for push services without HTTP/2: one request at a time on a connection.

use std::sync::Arc;

use bytes::Bytes;
use http::Version;
use http_body_util::Full;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};

use super::body::{MAX_HEADER_BYTES, read_beginning};
use crate::push::pool::connection_permits::{ConnectionOwner, ConnectionPermit};
use crate::push::pool::error::{ConnectError, ExchangeError};
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// The only handle to an HTTP/1.1 connection.
pub struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    /// For whom it counts.
    pub owner: Arc<ConnectionOwner>,
}

impl Http1 {
    /// Whether it takes no more requests.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Waits until it can take its next request.
    pub async fn ready(&mut self) -> hyper::Result<()> {
        self.sender.ready().await
    }
}

/// Starts HTTP/1.1 on a TLS connection; `permit` is given back when it closes.
pub async fn start(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    permit: ConnectionPermit,
) -> Result<Http1, ConnectError> {
    let (sender, connection) = Builder::new()
        .max_buf_size(MAX_HEADER_BYTES as usize)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(ConnectError::http)?;
    let owner = Arc::clone(permit.owner());
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a push service ended");
        }
        drop(permit);
    });
    Ok(Http1 { sender, owner })
}

/// Makes a push and reads the response, whose head must be there by `deadline`. The request counts as unsent when hyper gives it
/// back: then no byte of it was written.
pub async fn exchange(
    connection: &mut Http1,
    push: &Push,
    deadline: Instant,
) -> Result<PushResponse, ExchangeError> {
    let request = push.request(Version::HTTP_11, Full::new(push.body.clone()));
    let response = timeout_at(deadline, connection.sender.try_send_request(request)).await;
    let response = response.map_err(|_| ExchangeError::TimedOut)?;
    let (head, body) = response
        .map_err(|mut error| match error.take_message() {
            Some(_) => ExchangeError::Unsent,
            None => ExchangeError::Failed(error.into_error().into()),
        })?
        .into_parts();
    Ok(PushResponse {
        status: head.status,
        headers: head.headers,
        body: read_beginning(body, deadline).await,
    })
}
