//! The one writer: it takes whatever waits, up to 64 operations, and commits them together.
//!
//! SQLite lets one transaction write at a time and every durable commit costs an fsync, so concurrent callers share one.
//! Each operation has a savepoint of its own: its failure or panic undoes its changes and nobody else's. Callers are
//! answered after the commit, so whatever was answered is on disk.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    ConnectOptions as _, Connection as _, Executor as _, Sqlite, SqliteConnection, Transaction,
};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

/// Most operations in one transaction.
const TOGETHER: usize = 64;

/// Most operations that wait; further callers wait for a place.
const WAITING: usize = 1_024;

/// How long an operation without haste waits for others to share their commit with.
const PATIENCE: Duration = Duration::from_millis(20);

/// When an operation is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// With those that wait.
    Now,
    /// With the next ones that are in a hurry, and soon when there are none: a commit of its own costs more than it does.
    Soon,
}

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

/// The way to the writer's task.
pub(crate) struct Writer {
    /// Taken when the store is closed; the task ends when it has done what was sent.
    queue: Mutex<Option<mpsc::Sender<Box<dyn Operation>>>>,
    task: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the task, which writes on `connection` and opens another when that one breaks.
    pub(crate) fn start(options: SqliteConnectOptions, connection: SqliteConnection) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        let commits = Commits {
            options,
            connection: Some(connection),
        };
        let task = tokio::spawn(commits.run(receiver));
        Self {
            queue: Mutex::new(Some(sender)),
            task: tokio::sync::Mutex::new(Some(task)),
        }
    }

    /// Runs the operation and returns when its changes are on disk.
    pub(crate) async fn run<T, F>(&self, haste: Haste, operation: F) -> Result<T, WriteError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, sqlx::Result<T>>
            + Send
            + 'static,
    {
        let queue = self.queue().clone().ok_or(WriteError::Closed)?;
        let (caller, answer) = oneshot::channel();
        let pending = Pending {
            operation: Some(operation),
            outcome: None,
            caller,
            haste,
        };
        queue
            .send(Box::new(pending))
            .await
            .map_err(|_| WriteError::Closed)?;
        drop(queue);
        answer.await.unwrap_or(Err(WriteError::Closed))
    }

    /// Takes no more operations, and returns when those that were taken are done.
    pub(crate) async fn close(&self) {
        drop(self.queue().take());
        if let Some(task) = self.task.lock().await.take() {
            // A panic of the task itself leaves nothing to wait for.
            task.await.ok();
        }
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<Box<dyn Operation>>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An operation in the queue, whatever it returns.
#[async_trait]
trait Operation: Send {
    /// Runs it, once; whether its changes are to be kept.
    async fn run(&mut self, connection: &mut SqliteConnection) -> bool;

    /// How much of a hurry it is in.
    fn haste(&self) -> Haste;

    /// Tells the caller what became of it, given what became of the transaction.
    fn answer(self: Box<Self>, transaction: Result<(), Arc<sqlx::Error>>);
}

struct Pending<T, F> {
    operation: Option<F>,
    outcome: Option<Result<T, WriteError>>,
    caller: oneshot::Sender<Result<T, WriteError>>,
    haste: Haste,
}

#[async_trait]
impl<T, F> Operation for Pending<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, sqlx::Result<T>> + Send,
{
    async fn run(&mut self, connection: &mut SqliteConnection) -> bool {
        let Some(operation) = self.operation.take() else {
            return false;
        };
        let run = AssertUnwindSafe(async { operation(connection).await }).catch_unwind();
        let outcome = match run.await {
            Ok(outcome) => outcome.map_err(WriteError::Failed),
            Err(_) => Err(WriteError::Panicked),
        };
        let keep = outcome.is_ok();
        self.outcome = Some(outcome);
        keep
    }

    fn haste(&self) -> Haste {
        self.haste
    }

    fn answer(self: Box<Self>, transaction: Result<(), Arc<sqlx::Error>>) {
        let answer = match (self.outcome, transaction) {
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Err(own)), _) => Err(own),
            (_, Err(cause)) => Err(WriteError::Transaction(cause)),
            (None, Ok(())) => Err(WriteError::Closed),
        };
        // A caller that has gone away needs no answer.
        self.caller.send(answer).ok();
    }
}

/// The writer's task.
struct Commits {
    options: SqliteConnectOptions,
    /// `None` after a transaction that broke, whose connection is not to be trusted.
    connection: Option<SqliteConnection>,
}

impl Commits {
    async fn run(mut self, mut queue: mpsc::Receiver<Box<dyn Operation>>) {
        let mut waiting = Vec::with_capacity(TOGETHER);
        while gather(&mut queue, &mut waiting).await {
            self.commit(waiting.drain(..).collect()).await;
        }
        if let Some(connection) = self.connection {
            connection.close().await.ok();
        }
    }

    /// Runs and answers all. When a transaction breaks, those that ran in it are answered with its failure, and those that
    /// did not run get a transaction each.
    async fn commit(&mut self, mut waiting: VecDeque<Box<dyn Operation>>) {
        let mut at_once = TOGETHER;
        while !waiting.is_empty() {
            let mut ran = Vec::new();
            let result = self
                .transaction(&mut waiting, &mut ran, at_once)
                .await
                .map_err(Arc::new);
            if ran.is_empty() {
                // It could not begin, and would not for the next one.
                ran.extend(waiting.drain(..));
            }
            for operation in ran {
                operation.answer(result.clone());
            }
            at_once = 1;
        }
    }

    async fn transaction(
        &mut self,
        waiting: &mut VecDeque<Box<dyn Operation>>,
        ran: &mut Vec<Box<dyn Operation>>,
        at_once: usize,
    ) -> sqlx::Result<()> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        let result = together(&mut connection, waiting, ran, at_once).await;
        if let Err(error) = &result {
            tracing::warn!(%error, "a transaction failed; writing goes on with a new connection");
            connection.close().await.ok();
        } else {
            self.connection = Some(connection);
        }
        result
    }
}

/// Waits for operations until one is in a hurry, those without haste have waited long enough or there are enough of them; `false`
/// when there are none and never will be.
async fn gather(
    queue: &mut mpsc::Receiver<Box<dyn Operation>>,
    waiting: &mut Vec<Box<dyn Operation>>,
) -> bool {
    if queue.recv_many(waiting, TOGETHER).await == 0 {
        return false;
    }
    let end = Instant::now() + PATIENCE;
    while waiting.len() < TOGETHER && waiting.iter().all(|it| it.haste() == Haste::Soon) {
        let more = queue.recv_many(waiting, TOGETHER - waiting.len());
        if !timeout_at(end, more).await.is_ok_and(|count| count > 0) {
            break;
        }
    }
    true
}

/// Runs up to `at_once` of the waiting operations in one transaction; those that ran, kept or not, move to `ran`.
async fn together(
    connection: &mut SqliteConnection,
    waiting: &mut VecDeque<Box<dyn Operation>>,
    ran: &mut Vec<Box<dyn Operation>>,
    at_once: usize,
) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    if at_once.min(waiting.len()) == 1 {
        return alone(transaction, waiting, ran).await;
    }
    transaction.execute("SAVEPOINT operation").await?;
    while ran.len() < at_once
        && let Some(mut operation) = waiting.pop_front()
    {
        let keep = operation.run(&mut transaction).await;
        ran.push(operation);
        transaction.execute(after(keep)).await?;
    }
    transaction.commit().await
}

/// What ends one operation and begins the next: one message to the connection's thread, which costs more than the statements.
/// Both fail when SQLite has ended the transaction by itself.
const fn after(keep: bool) -> &'static str {
    if keep {
        "RELEASE operation; SAVEPOINT operation"
    } else {
        "ROLLBACK TO operation"
    }
}

/// Runs the next operation in a transaction that is its own.
async fn alone(
    mut transaction: Transaction<'_, Sqlite>,
    waiting: &mut VecDeque<Box<dyn Operation>>,
    ran: &mut Vec<Box<dyn Operation>>,
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
