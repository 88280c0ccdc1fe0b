//! One request's lease of a connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::connection::{Http1, PushConnection};
use super::connections::UseCount;
use super::error::ExchangeError;
use super::state::PoolState;
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// How long an HTTP/1.1 connection may take to be ready for its next request.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection for one request. However it ends, the next in line is told that there is room.
pub struct ConnectionLease {
    state: Arc<PoolState>,
    leased: Option<(PushConnection, UseCount)>,
}

impl ConnectionLease {
    /// The lease of a connection that `use_count` counts.
    pub fn new(state: Arc<PoolState>, connection: PushConnection, use_count: UseCount) -> Self {
        Self {
            state,
            leased: Some((connection, use_count)),
        }
    }

    /// Makes the one exchange that the lease is for; the head of the response must be there by `deadline`.
    pub async fn exchange(
        mut self,
        push: &Push,
        deadline: Instant,
    ) -> Result<PushResponse, ExchangeError> {
        let Some((connection, _)) = &mut self.leased else {
            return Err(ExchangeError::Unsent);
        };
        let response = connection.exchange(push, deadline).await?;
        // An HTTP/1.1 connection whose response was read may serve again; after a failure it is dropped with the lease.
        if let Some((PushConnection::Http1(connection), use_count)) = self.leased.take() {
            tokio::spawn(take_back(Arc::clone(&self.state), connection, use_count));
        }
        Ok(response)
    }
}

impl Drop for ConnectionLease {
    fn drop(&mut self) {
        // Before the notification: its stream must count as free when the next in line looks.
        self.leased = None;
        self.state.changed.notify_one();
    }
}

/// Takes an HTTP/1.1 connection back once it is ready for another request, in a task of its own: the peer decides when that is, and
/// the request that is done does not wait for it.
async fn take_back(state: Arc<PoolState>, mut connection: Http1, use_count: UseCount) {
    let ready = timeout(READY_TIMEOUT, connection.ready()).await;
    if matches!(ready, Ok(Ok(()))) {
        state.connections().keep(connection, use_count);
        state.make_room();
    }
    state.changed.notify_one();
}
