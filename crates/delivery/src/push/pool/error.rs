//! Why a push reached no response: an error for each step on the way to one.

use std::error::Error;
use std::fmt::Display;
use std::sync::Arc;

use hato_outbound::ResolveError;

use crate::push::limiter::Rejected;

/// A connection could not be opened; shared by all requests that waited for it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConnectError {
    /// The host has addresses, and none of them is permitted.
    #[error("the address is not permitted")]
    Blocked,
    /// Resolving, connecting or TLS failed or took too long.
    #[error("unreachable: {0}")]
    Unreachable(Arc<str>),
}

impl ConnectError {
    /// Unreachable, because of `cause`.
    pub fn unreachable(cause: impl Display) -> Self {
        Self::Unreachable(cause.to_string().into())
    }
}

impl From<ResolveError> for ConnectError {
    fn from(cause: ResolveError) -> Self {
        match cause {
            ResolveError::Blocked => Self::Blocked,
            ResolveError::Unresolved(_) => Self::unreachable(cause),
        }
    }
}

/// A request on an open connection got no response.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The push service has certainly not processed the request, which may be sent again at once.
    #[error("the connection was closed before the request was sent")]
    Unsent,
    /// The head of the response did not come in time.
    #[error("no response in time")]
    Late,
    /// The connection failed, and what the push service has seen of the request is unknown.
    #[error("the connection failed: {0}")]
    Failed(Box<dyn Error + Send + Sync>),
}

/// A push did not reach a response.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// It was not sent: the limiter or the pool had no room for it.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// No connection could be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It was given to a connection, and no response came back.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
}
