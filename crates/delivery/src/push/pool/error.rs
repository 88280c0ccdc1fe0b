//! Why a push reached no response: an error for each step on the way to one.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::sync::Arc;

use crate::push::limiter::Rejected;

/// A connection could not be opened; shared by all requests that waited for it. The texts begin with the step that failed, for those
/// who read a dead letter's `detail` (CONTRACT 4).
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConnectError {
    /// The host's addresses are not permitted.
    #[error("the address is not permitted")]
    Blocked,
    /// The host has no address, refuses connections, is silent, or fails at TLS: a failed attempt.
    #[error("{0}")]
    Unreachable(Arc<str>),
    /// This machine lacked something, which says nothing about the host and is no attempt (CONTRACT 7).
    #[error("this machine cannot connect: {0}")]
    Local(Arc<str>),
}

impl ConnectError {
    /// The name has no address that could be found.
    pub fn name(cause: impl Display) -> Self {
        Self::unreachable("name", cause)
    }

    /// The host answered with a refusal, or the way to it did with an error.
    pub fn tcp(cause: &io::Error) -> Self {
        let step = match cause.kind() {
            io::ErrorKind::ConnectionRefused => "refused",
            io::ErrorKind::TimedOut => "time-out",
            _ => "connection",
        };
        Self::unreachable(step, cause)
    }

    /// TLS failed: the certificate or the protocol.
    pub fn tls(cause: impl Display) -> Self {
        Self::unreachable("TLS", cause)
    }

    /// HTTP could not begin on the connection.
    pub fn http(cause: impl Display) -> Self {
        Self::unreachable("connection", cause)
    }

    /// Something did not happen in time.
    pub fn timed_out(what: &str) -> Self {
        Self::unreachable("time-out", what)
    }

    /// The same failure, as this machine's.
    #[must_use]
    pub fn into_local(self) -> Self {
        match self {
            Self::Unreachable(cause) => Self::Local(cause),
            other => other,
        }
    }

    fn unreachable(step: &str, cause: impl Display) -> Self {
        Self::Unreachable(format!("{step}: {cause}").into())
    }
}

/// A request on an open connection got no response.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The push service has certainly not processed the request, which may be sent again at once.
    #[error("connection: it was closed before the request was sent")]
    Unsent,
    /// The head of the response did not come in time.
    #[error("time-out: no response")]
    TimedOut,
    /// The connection failed, and what the push service has seen of the request is unknown.
    #[error("connection: {0}")]
    Failed(Box<dyn Error + Send + Sync>),
}

/// A push did not reach a response.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// It was not sent: the limiter had no room for it.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// It was not sent: other connections were waited for so long that its own was not opened.
    #[error("no connection was free in time")]
    NoConnection,
    /// It was not sent: its send is paced, and it would have begun too late.
    #[error("it would have begun too late")]
    TooLate,
    /// No connection could be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It was given to a connection, and no response came back.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
}
