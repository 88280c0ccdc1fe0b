//! The task that owns the connection: it gathers a batch, runs it in one transaction and answers it, again and again. In between it
//! looks after the log (WAL).

use std::collections::VecDeque;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    ConnectOptions as _, Connection as _, Executor as _, Sqlite, SqliteConnection, Transaction,
};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use super::log_watch::{LOOK_INTERVAL, LogWatch};
use super::operation::WriteOperation;

/// Most operations in one transaction.
const MAX_BATCH: usize = 64;

/// Runs the operations that are queued for the one connection that writes.
pub(super) struct WriterTask {
    options: SqliteConnectOptions,
    /// `None` after a transaction that broke, whose connection is not to be trusted.
    connection: Option<SqliteConnection>,
    log: LogWatch,
}

impl WriterTask {
    /// Writes on `connection`, and opens another with `options` when that one breaks.
    pub(super) fn new(options: SqliteConnectOptions, connection: SqliteConnection) -> Self {
        Self {
            log: LogWatch::new(options.get_filename()),
            options,
            connection: Some(connection),
        }
    }

    /// Runs what is queued until the queue is closed and empty.
    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<Box<dyn WriteOperation>>) {
        let mut waiting = Vec::with_capacity(MAX_BATCH);
        let mut looks = interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                count = queue.recv_many(&mut waiting, MAX_BATCH) => match count {
                    0 => break,
                    _ => self.commit(waiting.drain(..).collect()).await,
                },
                _ = looks.tick() => self.look_after_log().await,
            }
        }
        if let Some(connection) = self.connection {
            connection.close().await.ok();
        }
    }

    /// Empties the log when nobody writes. What cannot be emptied now is tried again at the next look.
    async fn look_after_log(&mut self) {
        if !self.log.is_at_rest() {
            return;
        }
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        match self.log.empty(&mut connection).await {
            Ok(()) => self.connection = Some(connection),
            Err(error) => {
                tracing::warn!(%error, "the log of the database cannot be emptied");
                connection.close().await.ok();
            }
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
