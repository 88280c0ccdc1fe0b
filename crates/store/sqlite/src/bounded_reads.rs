//! Connections for reads whose cost grows with what a tenant has stored. There are few, and SQLite ends what takes too long on
//! them, so nobody's login and no delivery ever waits for such a read.

use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{Sqlite, SqlitePool};

use crate::failure::{is_without_connection, result_code};

/// How many such reads run at the same time; each connection is a thread.
const MAX_CONNECTIONS: u32 = 2;

/// How long a read may take.
const MAX_DURATION: Duration = Duration::from_secs(1);

/// How long a read waits for a connection.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Instructions of SQLite's machine between two looks at the clock: some dozens of rows.
const INSTRUCTIONS_PER_CHECK: i32 = 1_000;

/// Connections for heavy reads alone, each of which is interrupted when its time is up.
pub(crate) struct BoundedReaders(SqlitePool);

impl BoundedReaders {
    /// Opens none before somebody reads.
    pub(crate) fn new(options: SqliteConnectOptions) -> Self {
        let pool = SqlitePoolOptions::new()
            .max_connections(MAX_CONNECTIONS)
            .acquire_timeout(MAX_WAIT)
            .test_before_acquire(false)
            .connect_lazy_with(options);
        Self(pool)
    }

    /// A connection on which whatever is still running in a second ends with an error that [`is_out_of_time`] knows. So does the
    /// wait for it.
    pub(crate) async fn acquire(&self) -> sqlx::Result<PoolConnection<Sqlite>> {
        let mut connection = self.0.acquire().await?;
        let deadline = Instant::now() + MAX_DURATION;
        connection
            .lock_handle()
            .await?
            .set_progress_handler(INSTRUCTIONS_PER_CHECK, move || Instant::now() < deadline);
        Ok(connection)
    }

    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}

/// Whether a read took longer than it may (`SQLITE_INTERRUPT`, 9), or found no connection.
pub(crate) fn is_out_of_time(error: &sqlx::Error) -> bool {
    result_code(error) == Some(9) || is_without_connection(error)
}

#[cfg(test)]
#[path = "bounded_reads/tests.rs"]
mod tests;
