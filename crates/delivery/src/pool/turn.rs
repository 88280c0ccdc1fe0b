//! One request's hold on a connection.

use std::sync::Arc;

use tokio::time::Instant;

use super::Pool;
use super::connections::Held;
use crate::answer::Answer;
use crate::connection::{Connection, NoAnswer};
use crate::push::Push;

/// A connection for one request. However it ends, the next in line is told that there is room.
pub struct Turn {
    pool: Arc<Pool>,
    hold: Option<(Connection, Held)>,
}

impl Turn {
    pub fn new(pool: Arc<Pool>, connection: Connection, held: Held) -> Self {
        Self {
            pool,
            hold: Some((connection, held)),
        }
    }

    /// Makes the exchange that the turn is for.
    pub async fn exchange(mut self, push: &Push, deadline: Instant) -> Result<Answer, NoAnswer> {
        let Some((connection, _)) = &mut self.hold else {
            return Err(NoAnswer::Unsent);
        };
        let answer = connection.exchange(push, deadline).await?;
        self.give_back();
        Ok(answer)
    }

    /// An HTTP/1.1 connection whose answer was read may serve again; after a failure it is dropped.
    fn give_back(&mut self) {
        if let Some((Connection::Http1(connection), held)) = self.hold.take() {
            tokio::spawn(Arc::clone(&self.pool).take_back(connection, held));
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.hold = None;
        self.pool.changed.notify_one();
    }
}
