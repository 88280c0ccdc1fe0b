//! A connection for reads that happen all the time and one after the other: a pool pings each connection that it gets
//! back, which costs as much as a small read.

use futures_util::future::BoxFuture;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tokio::sync::Mutex;

/// A handle to the connection.
pub(crate) struct DedicatedReader(Mutex<DedicatedReaderState>);

struct DedicatedReaderState {
    options: SqliteConnectOptions,
    /// `None` after a read that failed or was abandoned, whose connection is not to be trusted.
    connection: Option<SqliteConnection>,
    is_closed: bool,
}

impl DedicatedReader {
    /// It connects when it is first needed.
    pub(crate) fn new(options: SqliteConnectOptions) -> Self {
        Self(Mutex::new(DedicatedReaderState {
            options,
            connection: None,
            is_closed: false,
        }))
    }

    /// Runs the read once those before it are done.
    pub(crate) async fn run<T, F>(&self, read: F) -> sqlx::Result<T>
    where
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, sqlx::Result<T>>,
    {
        let mut state = self.0.lock().await;
        if state.is_closed {
            return Err(sqlx::Error::PoolClosed);
        }
        let mut connection = match state.connection.take() {
            Some(connection) => connection,
            None => state.options.connect().await?,
        };
        let found = read(&mut connection).await?;
        state.connection = Some(connection);
        Ok(found)
    }

    /// Closes the connection, for good.
    pub(crate) async fn close(&self) {
        let mut state = self.0.lock().await;
        state.is_closed = true;
        if let Some(connection) = state.connection.take() {
            // It only reads: there is nothing to lose.
            connection.close().await.ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures_util::{FutureExt as _, TryStreamExt as _};
    use sqlx::sqlite::SqliteConnectOptions;

    use super::DedicatedReader;

    async fn read(reader: &DedicatedReader, statement: &'static str) -> sqlx::Result<i64> {
        let read = reader.run(move |c| Box::pin(sqlx::query_scalar(statement).fetch_one(c)));
        read.await
    }

    #[tokio::test]
    async fn reads_go_on_after_one_that_failed_or_was_abandoned_until_it_is_closed() {
        let reader = DedicatedReader::new(SqliteConnectOptions::new().in_memory(true));
        assert!(matches!(read(&reader, "SELECT 1").await, Ok(1)));
        assert!(read(&reader, "SELECT nothing").await.is_err());
        assert!(matches!(read(&reader, "SELECT 2").await, Ok(2)));
        let abandoned = reader.run(|c| {
            Box::pin(async {
                let mut rows = sqlx::query("SELECT 3").fetch(c);
                rows.try_next().await?;
                pending::<sqlx::Result<()>>().await
            })
        });
        assert!(
            abandoned.now_or_never().is_none(),
            "it never ends by itself"
        );
        assert!(matches!(read(&reader, "SELECT 4").await, Ok(4)));
        reader.close().await;
        let closed = read(&reader, "SELECT 5").await;
        assert!(matches!(closed, Err(sqlx::Error::PoolClosed)));
    }
}
