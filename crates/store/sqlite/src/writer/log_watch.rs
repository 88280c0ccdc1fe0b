//! The log (WAL) beside the file: when it is at rest, what it holds is copied into the file, and it becomes a file of no bytes.
//!
//! Whether somebody writes is seen by the log itself: the writer runs operations that change nothing as well, above all claims of a
//! queue in which nothing is due, and other processes write too.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sqlx::{Executor as _, SqliteConnection};

/// The time between two looks at the log; it is at rest when nothing has changed from one to the next.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The log, and how it was when it was looked at last.
pub(super) struct LogWatch {
    path: PathBuf,
    last_seen: Option<LogState>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct LogState {
    bytes: u64,
    written_at: SystemTime,
}

impl LogWatch {
    /// The log of this file.
    pub(super) fn new(file: &Path) -> Self {
        Self {
            path: log_path(file),
            last_seen: None,
        }
    }

    /// Looks at the log: whether there is something in it, and nobody has written since the last look.
    pub(super) fn is_at_rest(&mut self) -> bool {
        let state = LogState::read(&self.path);
        let before = std::mem::replace(&mut self.last_seen, state);
        state.is_some_and(|it| it.bytes > 0) && state == before
    }

    /// Copies and empties as far as nobody is in the way. It waits for no reader, because whoever wants to write would wait too.
    pub(super) async fn empty(&self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        let busy_timeout: i64 = sqlx::query_scalar("PRAGMA busy_timeout")
            .fetch_one(&mut *connection)
            .await?;
        connection.execute("PRAGMA busy_timeout = 0").await?;
        connection
            .execute("PRAGMA wal_checkpoint(TRUNCATE)")
            .await?;
        let restore = format!("PRAGMA busy_timeout = {busy_timeout}");
        connection.execute(sqlx::AssertSqlSafe(restore)).await?;
        Ok(())
    }
}

/// Where the log of a database's file is.
pub(crate) fn log_path(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

impl LogState {
    /// `None` when there is no log.
    fn read(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self {
            bytes: metadata.len(),
            written_at: metadata.modified().ok()?,
        })
    }
}
