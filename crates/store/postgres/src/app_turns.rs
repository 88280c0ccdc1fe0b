//! Turns of the transactions that lock an app: who waits for its row waits on a connection, and an app with many requests would
//! take all that there are.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Transactions of this process that have locked an app or wait for its row: one has the app while the next one begins.
const AT_A_TIME: usize = 2;

/// The turns of each app that is locked or waited for.
#[derive(Debug)]
pub(crate) struct AppTurns {
    turns: Mutex<HashMap<String, Arc<Semaphore>>>,
    /// How long one waits for others.
    max_wait: Duration,
}

/// The right to lock an app, until the end of the transaction.
#[derive(Debug)]
pub(crate) struct AppTurn {
    pub(crate) app: String,
    _permit: OwnedSemaphorePermit,
}

/// An app has no turn for another transaction, which has to end and wait without a connection.
#[derive(Debug, thiserror::Error)]
#[error("others lock the app")]
pub(crate) struct NoTurnError {
    app: String,
}

impl From<NoTurnError> for sqlx::Error {
    fn from(error: NoTurnError) -> Self {
        Self::Io(io::Error::new(io::ErrorKind::WouldBlock, error))
    }
}

/// For which app's turn the operation has to wait that failed so.
pub(crate) fn awaited_app(error: &sqlx::Error) -> Option<&str> {
    let sqlx::Error::Io(error) = error else {
        return None;
    };
    let error = error.get_ref()?.downcast_ref::<NoTurnError>()?;
    Some(&error.app)
}

impl AppTurns {
    pub(crate) fn new(max_wait: Duration) -> Self {
        Self {
            turns: Mutex::default(),
            max_wait,
        }
    }

    /// A turn, if there is one at once.
    pub(crate) fn try_take(&self, app: &str) -> Result<AppTurn, NoTurnError> {
        let permit = self.of(app).try_acquire_owned();
        let permit = permit.map_err(|_| NoTurnError {
            app: app.to_owned(),
        })?;
        Ok(AppTurn::new(app, permit))
    }

    /// Waits for a turn; in vain as who finds no connection.
    pub(crate) async fn wait(&self, app: &str) -> sqlx::Result<AppTurn> {
        let permit = timeout(self.max_wait, self.of(app).acquire_owned()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        Ok(AppTurn::new(app, permit))
    }

    /// The turns of the app. Those that nobody has or waits for are forgotten.
    fn of(&self, app: &str) -> Arc<Semaphore> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turns| Arc::strong_count(turns) > 1);
        let turns = turns.entry(app.to_owned());
        Arc::clone(turns.or_insert_with(|| Arc::new(Semaphore::new(AT_A_TIME))))
    }
}

impl AppTurn {
    fn new(app: &str, permit: OwnedSemaphorePermit) -> Self {
        Self {
            app: app.to_owned(),
            _permit: permit,
        }
    }
}
