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
use crate::failure::{LastLoss, answered, is_lost_connection, is_silence};

const HELD: &str = "it is there until the end";

/// A connection of the pool. One that is dropped is still busy: it goes back when PostgreSQL is done with what runs there.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    held: Option<Held>,
}

/// What somebody has of the pool. Unless it is given back, its connection is closed.
#[derive(Debug)]
struct Held {
    session: Option<Object<Connector>>,
    is_in_transaction: bool,
    loss: SeenLoss,
    /// How long an answer is waited for.
    answer_timeout: Duration,
    _permit: Option<OwnedSemaphorePermit>,
    _user: TaskTrackerToken,
}

/// Whether a statement has found that the connection is lost.
#[derive(Debug)]
pub(crate) struct SeenLoss {
    is_seen: bool,
    last_loss: Arc<LastLoss>,
}

impl SeenLoss {
    /// Remembers a failure after which nothing is waited for on the connection any more.
    pub(crate) fn look_at(&mut self, error: &sqlx::Error) {
        if is_lost_connection(error) && !self.is_seen {
            self.is_seen = true;
            self.last_loss.record_loss(error);
            if is_silence(error) {
                tracing::warn!("a connection to PostgreSQL fell silent in use; it is closed");
            }
        }
    }
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
                session: Some(session),
                is_in_transaction: false,
                loss: SeenLoss {
                    is_seen: false,
                    last_loss: Arc::clone(last_loss),
                },
                answer_timeout,
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

    /// The connection, and what its statements tell when they find it lost.
    pub(crate) fn watched(&mut self) -> (&mut PgConnection, &mut SeenLoss) {
        let held = self.held.as_mut().expect(HELD);
        let session = held.session.as_mut().expect(HELD);
        (&mut session.connection, &mut held.loss)
    }

    /// Where it is waited for when somebody leaves it; nowhere once there is no pool to go back to.
    pub(crate) fn runtime(&self) -> Option<Handle> {
        self.held.as_ref()?.runtime()
    }

    /// Whether a statement has found it lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.held.as_ref().expect(HELD).loss.is_seen
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
    fn runtime(&self) -> Option<Handle> {
        let pool = Object::pool(self.session.as_ref()?)?;
        Some(pool.manager().runtime().clone())
    }

    fn give_back(mut self) {
        if let Some(mut session) = self.session.take() {
            session.idle_since = Instant::now();
        }
    }

    /// Closes it without a word, which a silent server would not answer.
    fn close(mut self, error: &sqlx::Error) {
        self.loss.look_at(error);
    }

    async fn give_back_when_idle(mut self) {
        let mut ended = self.end().await;
        if let Err(error) = &ended
            && !is_lost_connection(error)
        {
            // That was the answer to the statement which was left.
            ended = self.end().await;
        }
        match ended {
            Ok(()) => self.give_back(),
            Err(error) => self.close(&error),
        }
    }

    /// Waits for what runs there, and ends the transaction.
    async fn end(&mut self) -> sqlx::Result<()> {
        let connection = &mut self.session.as_mut().expect(HELD).connection;
        let is_in_transaction = self.is_in_transaction;
        let ending = async {
            if is_in_transaction {
                connection.execute("ROLLBACK").await.map(drop)
            } else {
                connection.ping().await
            }
        };
        answered(self.answer_timeout, ending).await
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.session.take().map(Object::take));
    }
}

impl Deref for PooledConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        let held = self.held.as_ref().expect(HELD);
        &held.session.as_ref().expect(HELD).connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.watched().0
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(held) = self.held.take()
            && !held.loss.is_seen
            && let Some(runtime) = held.runtime()
        {
            runtime.spawn(held.give_back_when_idle());
        }
    }
}
