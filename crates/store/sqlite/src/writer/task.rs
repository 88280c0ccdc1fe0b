//! The task that owns the connection: it gathers a batch, runs it in one transaction and answers it, again and again. In between it
//! looks after the log (WAL).

use std::mem::take;
use std::slice;
use std::sync::Arc;
use std::time::Instant;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use super::log_copier::LogCopier;
use super::log_watch::{LogWatch, POLL_INTERVAL};
use super::operation::WriteOperation;
use crate::metrics::record_commit;

/// Most operations in one transaction.
const MAX_BATCH: usize = 64;

/// Runs the operations that are queued for the one connection that writes.
pub(super) struct WriterTask {
    options: SqliteConnectOptions,
    /// `None` after a transaction that broke, whose connection is not to be trusted.
    connection: Option<SqliteConnection>,
    log: LogWatch,
    log_copier: LogCopier,
}

impl WriterTask {
    /// Writes on `connection`, and opens another with `options` when that one breaks.
    pub(super) fn new(options: SqliteConnectOptions, connection: SqliteConnection) -> Self {
        Self {
            log: LogWatch::new(options.get_filename()),
            log_copier: LogCopier::start(options.clone()),
            options,
            connection: Some(connection),
        }
    }

    /// Runs what is queued until the queue is closed and empty.
    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<Box<dyn WriteOperation>>) {
        let mut waiting = Vec::new();
        let mut polls = interval(POLL_INTERVAL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                count = queue.recv_many(&mut waiting, MAX_BATCH) => {
                    if count == 0 {
                        break;
                    }
                    self.commit(take(&mut waiting)).await;
                    self.copy_rest_of_log().await;
                }
                _ = polls.tick() => self.maintain_log().await,
            }
        }
        self.log_copier.close().await;
        if let Some(connection) = self.connection {
            connection.close().await.ok();
        }
    }

    /// Tells that the log has grown. When all but its end is copied, copies that, so that the next transaction begins it anew.
    async fn copy_rest_of_log(&mut self) {
        self.log_copier.tell_of_commit();
        if !self.log_copier.has_copied() {
            return;
        }
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        match self.log_copier.copy_rest(&mut connection).await {
            Ok(()) => self.connection = Some(connection),
            Err(error) => {
                tracing::warn!(%error, "the log of the database cannot be copied");
                connection.close().await.ok();
            }
        }
    }

    /// Empties the log when nobody writes. What cannot be emptied now is tried again at the next poll.
    async fn maintain_log(&mut self) {
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

    /// Runs and answers all: in one transaction, or each in its own when one of them failed, so that it undoes no other's changes.
    async fn commit(&mut self, mut batch: Vec<Box<dyn WriteOperation>>) {
        let committed = self.transaction(&mut batch).await;
        if matches!(committed, Ok(false)) && batch.len() > 1 {
            for mut operation in batch {
                let committed = self.transaction(slice::from_mut(&mut operation)).await;
                operation.respond(committed.map(drop).map_err(Arc::new));
            }
        } else {
            let committed = committed.map(drop).map_err(Arc::new);
            for operation in batch {
                operation.respond(committed.clone());
            }
        }
    }

    /// Runs the operations in one transaction until one fails; whether none did, and it is committed.
    async fn transaction(
        &mut self,
        operations: &mut [Box<dyn WriteOperation>],
    ) -> sqlx::Result<bool> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        let result = run_batch(&mut connection, operations).await;
        match &result {
            Ok(BatchEnd::Committed | BatchEnd::RolledBack) => self.connection = Some(connection),
            Ok(BatchEnd::Broken(error)) | Err(error) => {
                tracing::warn!(%error, "a transaction failed; writing goes on with a new connection");
                connection.close().await.ok();
            }
        }
        result.map(|end| matches!(end, BatchEnd::Committed))
    }
}

/// What became of a transaction that began and whose commit, if it came to that, succeeded.
enum BatchEnd {
    Committed,
    /// An operation failed, and nothing of the transaction was kept.
    RolledBack,
    /// An operation failed, and the connection is not to be trusted: SQLite had ended the transaction by itself.
    Broken(sqlx::Error),
}

async fn run_batch(
    connection: &mut SqliteConnection,
    operations: &mut [Box<dyn WriteOperation>],
) -> sqlx::Result<BatchEnd> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    for operation in operations {
        if !operation.run(&mut transaction).await {
            return Ok(match transaction.rollback().await {
                Ok(()) => BatchEnd::RolledBack,
                Err(error) => BatchEnd::Broken(error),
            });
        }
    }
    let began = Instant::now();
    transaction.commit().await?;
    record_commit(began.elapsed());
    Ok(BatchEnd::Committed)
}
