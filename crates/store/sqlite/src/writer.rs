//! The one writer: it takes whatever waits, up to 64 operations, and commits them together.
//!
//! SQLite lets one transaction write at a time and every durable commit costs an fsync, so concurrent callers share one.
//! Each operation has a savepoint of its own: its failure or panic undoes its changes and nobody else's. Callers are
//! answered after the commit, so whatever was answered is on disk.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    ConnectOptions as _, Connection as _, Executor as _, Sqlite, SqliteConnection, Transaction,
};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Most operations in one transaction.
const MAX_BATCH: usize = 64;

/// Most operations that wait; further callers wait for room.
const QUEUE_CAPACITY: usize = 1_024;

/// Why an operation's changes were not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// It failed itself.
    #[error(transparent)]
    Failed(sqlx::Error),
    /// It panicked.
    #[error("the operation panicked")]
    Panicked,
    /// The transaction that it shared could not begin or be committed.
    #[error("the transaction failed: {0}")]
    Transaction(Arc<sqlx::Error>),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
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
        let writer_task = WriterTask {
            options,
            connection: Some(connection),
        };
        let task = tokio::spawn(writer_task.run(receiver));
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
            + Send
            + 'static,
    {
        let queue = self.queue().clone().ok_or(WriteError::Closed)?;
        let (caller, response) = oneshot::channel();
        let pending = PendingWrite {
            operation: Some(operation),
            result: None,
            caller,
        };
        queue
            .send(Box::new(pending))
            .await
            .map_err(|_| WriteError::Closed)?;
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

    fn queue(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<Box<dyn WriteOperation>>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An operation in the queue, whatever it returns.
#[async_trait]
trait WriteOperation: Send {
    /// Runs it, once; whether its changes are to be kept.
    async fn run(&mut self, connection: &mut SqliteConnection) -> bool;

    /// Tells the caller what became of it, given what became of the transaction.
    fn respond(self: Box<Self>, transaction: Result<(), Arc<sqlx::Error>>);
}

struct PendingWrite<T, F> {
    operation: Option<F>,
    result: Option<Result<T, WriteError>>,
    caller: oneshot::Sender<Result<T, WriteError>>,
}

#[async_trait]
impl<T, F> WriteOperation for PendingWrite<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, sqlx::Result<T>> + Send,
{
    async fn run(&mut self, connection: &mut SqliteConnection) -> bool {
        let Some(operation) = self.operation.take() else {
            return false;
        };
        let run = AssertUnwindSafe(async { operation(connection).await }).catch_unwind();
        let result = match run.await {
            Ok(result) => result.map_err(WriteError::Failed),
            Err(_) => Err(WriteError::Panicked),
        };
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn respond(self: Box<Self>, transaction: Result<(), Arc<sqlx::Error>>) {
        let response = match (self.result, transaction) {
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Err(own)), _) => Err(own),
            (_, Err(cause)) => Err(WriteError::Transaction(cause)),
            (None, Ok(())) => Err(WriteError::Closed),
        };
        // A caller that has gone away needs no answer.
        self.caller.send(response).ok();
    }
}

/// The writer's task.
struct WriterTask {
    options: SqliteConnectOptions,
    /// `None` after a transaction that broke, whose connection is not to be trusted.
    connection: Option<SqliteConnection>,
}

impl WriterTask {
    async fn run(mut self, mut queue: mpsc::Receiver<Box<dyn WriteOperation>>) {
        let mut waiting = Vec::with_capacity(MAX_BATCH);
        while queue.recv_many(&mut waiting, MAX_BATCH).await > 0 {
            self.commit(waiting.drain(..).collect()).await;
        }
        if let Some(connection) = self.connection {
            connection.close().await.ok();
        }
    }

    /// Runs and answers all. When a transaction breaks, those that ran in it are answered with its failure, and those that
    /// did not run get a transaction each.
    async fn commit(&mut self, mut waiting: VecDeque<Box<dyn WriteOperation>>) {
        let mut max_operations = MAX_BATCH;
        while !waiting.is_empty() {
            let mut ran = Vec::new();
            let result = self
                .transaction(&mut waiting, &mut ran, max_operations)
                .await
                .map_err(Arc::new);
            if ran.is_empty() {
                // It could not begin, and would not for the next one.
                ran.extend(waiting.drain(..));
            }
            for operation in ran {
                operation.respond(result.clone());
            }
            max_operations = 1;
        }
    }

    async fn transaction(
        &mut self,
        waiting: &mut VecDeque<Box<dyn WriteOperation>>,
        ran: &mut Vec<Box<dyn WriteOperation>>,
        max_operations: usize,
    ) -> sqlx::Result<()> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        let result = run_batch(&mut connection, waiting, ran, max_operations).await;
        if let Err(error) = &result {
            tracing::warn!(%error, "a transaction failed; writing goes on with a new connection");
            connection.close().await.ok();
        } else {
            self.connection = Some(connection);
        }
        result
    }
}

/// Runs up to `max_operations` of the waiting operations in one transaction; those that ran, kept or not, move to `ran`.
async fn run_batch(
    connection: &mut SqliteConnection,
    waiting: &mut VecDeque<Box<dyn WriteOperation>>,
    ran: &mut Vec<Box<dyn WriteOperation>>,
    max_operations: usize,
) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    if max_operations.min(waiting.len()) == 1 {
        return run_single(transaction, waiting, ran).await;
    }
    transaction.execute("SAVEPOINT operation").await?;
    while ran.len() < max_operations
        && let Some(mut operation) = waiting.pop_front()
    {
        let keep = operation.run(&mut transaction).await;
        ran.push(operation);
        transaction.execute(savepoint_statement(keep)).await?;
    }
    transaction.commit().await
}

/// What ends one operation and begins the next: one message to the connection's thread, which costs more than the statements.
/// Both fail when SQLite has ended the transaction by itself.
const fn savepoint_statement(keep: bool) -> &'static str {
    if keep {
        "RELEASE operation; SAVEPOINT operation"
    } else {
        "ROLLBACK TO operation"
    }
}

/// Runs the next operation in a transaction that is its own.
async fn run_single(
    mut transaction: Transaction<'_, Sqlite>,
    waiting: &mut VecDeque<Box<dyn WriteOperation>>,
    ran: &mut Vec<Box<dyn WriteOperation>>,
) -> sqlx::Result<()> {
    let Some(mut operation) = waiting.pop_front() else {
        return transaction.rollback().await;
    };
    let keep = operation.run(&mut transaction).await;
    ran.push(operation);
    if keep {
        transaction.commit().await
    } else {
        transaction.rollback().await
    }
}

#[cfg(test)]
#[path = "writer/tests.rs"]
mod tests;
