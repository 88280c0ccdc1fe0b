//! The one writer: it takes the operations that wait, up to 64, and commits them together (group commit).
//!
//! # Why
//!
//! SQLite lets one transaction write at a time, and a durable commit (`synchronous=FULL`) waits for an fsync, which costs more
//! than the statements before it. So concurrent callers share a commit: while one batch is being written, the next one gathers
//! in the queue, and the slower the disk, the larger the batches. Accepting a send costs 218 µs when each is committed alone and
//! 25 to 32 µs in batches of 16 or more. 64 clients together get 3 times the rate of one where an fsync takes 0.14 ms, 10 times
//! where it takes 1 ms and 17 times at 4 ms (`accept_64_over_1` of the benchmark `bench-api` holds that to 2.5 at least). One
//! client alone pays 5 to 10 % for the way through the queue.
//!
//! # The log
//!
//! What is committed stands in a log (WAL) beside the file. It is copied into the file as it grows, beside the commits
//! (`log_copier`), but stays as long as it became. When nobody has written for a second, this task copies the rest and empties
//! the log, so that a quiet server's data is in one file and the next start reads no log.
//!
//! # What an operation can rely on
//!
//! - **Its changes are its own.** It sees the changes of those before it, as one transaction after another would. When it fails, the
//!   batch is rolled back, and each of its operations is run again, in a transaction of its own: the others go on as if it had never
//!   run. A savepoint for each would cost one more message to the connection's thread, of the six that accepting a send takes, to
//!   spare the few batches in which an operation fails.
//! - **A panic ends nothing but itself.** It is caught and counts as a failure, or it would take the task with it, and with the
//!   task all writing. What a panic may leave half done is in the database and is rolled back, so going on is sound
//!   (`AssertUnwindSafe`): a statement that was still running ends before the rollback, since the connection runs one after
//!   the other.
//! - **What was answered is on disk.** Callers hear nothing before the commit.
//! - **A commit that fails takes only its own with it.** When BEGIN or COMMIT fails, the operations of the batch are answered with
//!   that failure and the connection is replaced. A caller cannot know whether a commit that failed reached the disk; requests that
//!   must not be repeated have an idempotency key for that. SQLite ends a transaction by itself only when a statement fails (a full
//!   disk), so an operation that goes on after such a failure must not succeed.

mod log_copier;
mod log_watch;
mod operation;
mod task;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

pub(crate) use self::log_copier::MAX_LOG_PAGES;
pub(crate) use self::log_watch::log_path;
use self::operation::{PendingWrite, WriteOperation};
use self::task::WriterTask;

/// Most operations that wait; further callers wait for room.
const QUEUE_CAPACITY: usize = 1_024;

/// Why an operation's changes were not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// The operation returned this error; others of its transaction are kept.
    #[error(transparent)]
    Failed(sqlx::Error),
    /// The operation panicked; others of its transaction are kept.
    #[error("the operation panicked")]
    Panicked,
    /// The transaction that it shared could not begin or be committed.
    #[error("the transaction failed: {0}")]
    Transaction(Arc<sqlx::Error>),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}

impl WriteError {
    /// The error for which nothing was kept, if that is known.
    pub(crate) fn undone_by(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Failed(error) => Some(error),
            Self::Transaction(error) => Some(error),
            Self::Panicked | Self::Closed => None,
        }
    }
}

/// A handle to the writer's task.
pub(crate) struct Writer {
    /// Taken when the store is closed; the task ends when it has done what was sent.
    queue: Mutex<Option<mpsc::Sender<Box<dyn WriteOperation>>>>,
    task: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the task, which writes on `connection` and opens another when that one breaks.
    pub(crate) fn start(options: SqliteConnectOptions, connection: SqliteConnection) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
        let task = tokio::spawn(WriterTask::new(options, connection).run(receiver));
        Self {
            queue: Mutex::new(Some(sender)),
            task: tokio::sync::Mutex::new(Some(task)),
        }
    }

    /// Runs the operation and returns when its changes are on disk.
    pub(crate) async fn run<T, F>(&self, operation: F) -> Result<T, WriteError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, sqlx::Result<T>>
            + Clone
            + Send
            + 'static,
    {
        let queue = self.queue().clone().ok_or(WriteError::Closed)?;
        let (caller, response) = oneshot::channel();
        let pending = PendingWrite::new(operation, caller);
        let sent = queue.send(Box::new(pending)).await;
        sent.map_err(|_| WriteError::Closed)?;
        drop(queue);
        response.await.unwrap_or(Err(WriteError::Closed))
    }

    /// Takes no more operations, and returns when those that were taken are done.
    pub(crate) async fn close(&self) {
        drop(self.queue().take());
        if let Some(task) = self.task.lock().await.take() {
            // A panic of the task itself leaves nothing to wait for.
            task.await.ok();
        }
    }

    fn queue(&self) -> MutexGuard<'_, Option<mpsc::Sender<Box<dyn WriteOperation>>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "writer/tests.rs"]
mod tests;
