//! The log (WAL) is copied into the file while the writer goes on, on a connection of its own.
//!
//! Left to SQLite, the commit that makes the log long copies it, and with that commit wait all who want to write: 9 ms for a thousand
//! pages. Here the writer copies only what it has committed meanwhile, a few pages, and with its next transaction the log begins
//! anew. SQLite lets one connection copy at a time; another one's attempt does nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Pages of the log that are copied at a time. The more, the longer do commits of that moment wait for the disk, and the more is left.
const COPIED_AT_A_TIME: i64 = 250;

/// Pages of the log from which on it is to begin anew.
const LONG_LOG: i64 = 1_000;

/// Pages of the log from which on SQLite makes each commit copy, if nobody else has done it: 16 MiB.
pub(crate) const MAX_LOG_PAGES: &str = "4000";

/// Between two looks at the log while there are commits.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A handle to the task that copies.
pub(super) struct LogCopier {
    commits: mpsc::Sender<()>,
    /// Whether all but the end of a long log is copied.
    has_copied: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl LogCopier {
    /// Starts the task, which opens its connection with `options` when it has something to look at.
    pub(super) fn start(options: SqliteConnectOptions) -> Self {
        let (commits, committed) = mpsc::channel(1);
        let has_copied = Arc::default();
        let task = CopierTask {
            options,
            connection: None,
            has_copied: Arc::clone(&has_copied),
        };
        Self {
            commits,
            has_copied,
            task: tokio::spawn(task.run(committed)),
        }
    }

    /// Makes the task look at the log, soon.
    pub(super) fn tell_of_commit(&self) {
        // When there is no room, it has been told already.
        self.commits.try_send(()).ok();
    }

    /// Whether all but the end of a long log is copied.
    pub(super) fn has_copied(&self) -> bool {
        self.has_copied.load(Ordering::Relaxed)
    }

    /// Copies the end of the log on the connection that writes. What somebody still reads is left to the next attempt.
    pub(super) async fn copy_rest(&self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        let log = copy(connection).await?;
        self.has_copied.store(log.waiting() > 0, Ordering::Relaxed);
        Ok(())
    }

    /// Lets the task end, and waits until it has.
    pub(super) async fn close(self) {
        drop(self.commits);
        // A panic of the task leaves nothing to wait for.
        self.task.await.ok();
    }
}

struct CopierTask {
    options: SqliteConnectOptions,
    connection: Option<SqliteConnection>,
    has_copied: Arc<AtomicBool>,
}

impl CopierTask {
    async fn run(mut self, mut commits: mpsc::Receiver<()>) {
        while commits.recv().await.is_some() {
            if let Err(error) = self.poll().await {
                tracing::warn!(%error, "the log of the database cannot be copied beside the writer");
                self.connection = None;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        if let Some(connection) = self.connection {
            connection.close().await.ok();
        }
    }

    /// Copies the log when it has grown.
    async fn poll(&mut self) -> sqlx::Result<()> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(self.options.connect().await?),
        };
        let log: LogPages = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)")
            .fetch_one(&mut *connection)
            .await?;
        if log.waiting() >= COPIED_AT_A_TIME {
            let copied = copy(connection).await?;
            if copied.log >= LONG_LOG {
                self.has_copied.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// How many pages the log has, and how many of them are copied.
#[derive(sqlx::FromRow)]
struct LogPages {
    log: i64,
    checkpointed: i64,
}

impl LogPages {
    const fn waiting(&self) -> i64 {
        self.log - self.checkpointed
    }
}

/// Copies what nobody is in the way of, and waits for nobody.
async fn copy(connection: &mut SqliteConnection) -> sqlx::Result<LogPages> {
    sqlx::query_as("PRAGMA wal_checkpoint(PASSIVE)")
        .fetch_one(connection)
        .await
}
