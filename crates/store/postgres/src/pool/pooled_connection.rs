//! A connection that somebody has, and how it goes back to the pool: at once when it is idle, so that the next one waits for nothing.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool::managed::Object;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::connector::Connector;
use crate::failure::{LastLoss, answered, is_lost_connection};

const HELD: &str = "it is there until the end";

/// A connection of the pool. One that is dropped is still busy: it goes back when PostgreSQL is done with what runs there.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    held: Option<Held>,
}

/// What somebody has of the pool.
#[derive(Debug)]
struct Held {
    session: Object<Connector>,
    is_in_transaction: bool,
    /// How long an answer is waited for.
    answer_timeout: Duration,
    last_loss: Arc<LastLoss>,
    _permit: Option<OwnedSemaphorePermit>,
    _user: TaskTrackerToken,
}

impl PooledConnection {
    pub(crate) fn new(
        session: Object<Connector>,
        permit: Option<OwnedSemaphorePermit>,
        user: TaskTrackerToken,
        (answer_timeout, last_loss): (Duration, &Arc<LastLoss>),
    ) -> Self {
        Self {
            held: Some(Held {
                session,
                is_in_transaction: false,
                answer_timeout,
                last_loss: Arc::clone(last_loss),
                _permit: permit,
                _user: user,
            }),
        }
    }

    /// Has a transaction from now on, which ends before anybody else has the connection.
    pub(crate) fn enter_transaction(&mut self) {
        if let Some(held) = &mut self.held {
            held.is_in_transaction = true;
        }
    }

    /// Gives it back after its last statement, which came to this: the connection is idle, or lost, or has to be waited for.
    pub(crate) fn end<T>(mut self, result: sqlx::Result<T>) -> sqlx::Result<T> {
        match &result {
            Ok(_) => self.take().give_back(),
            Err(error) if is_lost_connection(error) => self.take().close(error),
            Err(_) => {}
        }
        result
    }

    fn take(&mut self) -> Held {
        self.held.take().expect(HELD)
    }
}

impl Held {
    fn give_back(mut self) {
        self.session.idle_since = Instant::now();
    }

    /// Closes it without a word, which a silent server would not answer.
    fn close(self, error: &sqlx::Error) {
        self.last_loss.record_loss(error);
        drop(Object::take(self.session));
    }

    async fn give_back_when_idle(mut self) {
        let connection = &mut self.session.connection;
        let is_in_transaction = self.is_in_transaction;
        let ending = async {
            if is_in_transaction {
                connection.execute("ROLLBACK").await.map(drop)
            } else {
                connection.ping().await
            }
        };
        match answered(self.answer_timeout, ending).await {
            Ok(()) => self.give_back(),
            Err(error) => self.close(&error),
        }
    }
}

impl Deref for PooledConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        let held = self.held.as_ref().expect(HELD);
        &held.session.connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        let held = self.held.as_mut().expect(HELD);
        &mut held.session.connection
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else {
            return;
        };
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(held.give_back_when_idle())),
            Err(_) => drop(Object::take(held.session)),
        }
    }
}
