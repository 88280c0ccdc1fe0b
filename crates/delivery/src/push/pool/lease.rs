//! One request's lease of a connection.

use std::sync::Arc;

use tokio::time::Instant;

use super::Pool;
use super::connections::UseCount;
use crate::push::connection::{ExchangeError, PushConnection};
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// A connection for one request. However it ends, the next in line is told that there is room.
pub struct ConnectionLease {
    pool: Arc<Pool>,
    leased: Option<(PushConnection, UseCount)>,
}

impl ConnectionLease {
    pub fn new(pool: Arc<Pool>, connection: PushConnection, use_count: UseCount) -> Self {
        Self {
            pool,
            leased: Some((connection, use_count)),
        }
    }

    /// Makes the exchange that the lease is for.
    pub async fn exchange(
        mut self,
        push: &Push,
        deadline: Instant,
    ) -> Result<PushResponse, ExchangeError> {
        let Some((connection, _)) = &mut self.leased else {
            return Err(ExchangeError::Unsent);
        };
        let answer = connection.exchange(push, deadline).await?;
        self.give_back();
        Ok(answer)
    }

    /// An HTTP/1.1 connection whose answer was read may serve again; after a failure it is dropped.
    fn give_back(&mut self) {
        if let Some((PushConnection::Http1(connection), use_count)) = self.leased.take() {
            tokio::spawn(Arc::clone(&self.pool).take_back(connection, use_count));
        }
    }
}

impl Drop for ConnectionLease {
    fn drop(&mut self) {
        self.leased = None;
        self.pool.changed.notify_one();
    }
}
