//! One connection to a push service: HTTP/2 where the peer speaks it, HTTP/1.1 otherwise.
//!
//! RFC 8030 §5 asks for HTTP/2, and every large push service speaks it; some that people run themselves do not.

mod body;
#[cfg(any(test, hato_fuzzing))]
pub mod fuzzing;
mod http1;
mod http2;

use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::client::TlsStream;

pub use http1::Http1;
pub use http2::Http2;

use super::connection_permits::ConnectionPermit;
use super::error::{ConnectError, ExchangeError};
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// A handle to an open connection. Its socket closes when the last handle is gone and nothing is in flight.
pub enum PushConnection {
    /// A connection that carries one request at a time.
    Http1(Http1),
    /// A connection that many requests share.
    Http2(Http2),
}

impl PushConnection {
    /// Starts HTTP on a TLS connection in the version that ALPN has chosen (RFC 7301); `permit` is given back when it closes.
    pub async fn start(
        stream: TlsStream<TcpStream>,
        permit: ConnectionPermit,
    ) -> Result<Self, ConnectError> {
        if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
            http2::start(stream, permit).await.map(Self::Http2)
        } else {
            http1::start(stream, permit).await.map(Self::Http1)
        }
    }

    /// Makes a push and reads the response, whose head must be there by `deadline`.
    pub async fn exchange(
        &mut self,
        push: &Push,
        deadline: Instant,
    ) -> Result<PushResponse, ExchangeError> {
        match self {
            Self::Http1(sender) => http1::exchange(sender, push, deadline).await,
            Self::Http2(http2) => http2.exchange(push, deadline).await,
        }
    }
}
