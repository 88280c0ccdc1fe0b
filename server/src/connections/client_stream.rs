//! What a client's connection asks of the system, so that the server sees whether the client takes bytes (CONTRACT 18).

use std::io;
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// Bytes that the system takes and cannot send yet. It would take megabytes, and whoever reads slowly then seems to take nothing for
/// minutes.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 16 * 1024;

/// A stream on which a client is answered.
pub trait ClientStream: AsyncRead + AsyncWrite + Send + Unpin + 'static {
    /// What the system holds goes with the connection.
    fn discard(&self) {}
}

/// Bounds what waits in the system for the client, in bytes, and in time also when the server has written all.
pub fn prepare(stream: &TcpStream, timeout: Duration) {
    // Answers are written in one go: waiting for more only delays them.
    set("no delay", stream.set_nodelay(true));
    limit_unsent(&SockRef::from(stream), timeout);
}

#[cfg(target_os = "linux")]
fn limit_unsent(socket: &SockRef<'_>, timeout: Duration) {
    set("bytes", socket.set_tcp_notsent_lowat(MAX_UNSENT_BYTES));
    set("time-out", socket.set_tcp_user_timeout(Some(timeout)));
}

#[cfg(not(target_os = "linux"))]
fn limit_unsent(_: &SockRef<'_>, _: Duration) {}

/// The server does without what the system refuses.
fn set(option: &str, outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection lacks an option: {option}");
    }
}

impl ClientStream for TcpStream {
    fn discard(&self) {
        set(
            "linger",
            SockRef::from(self).set_linger(Some(Duration::ZERO)),
        );
    }
}

#[cfg(test)]
impl ClientStream for tokio::io::DuplexStream {}
