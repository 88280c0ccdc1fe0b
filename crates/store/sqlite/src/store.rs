//! The store as a whole: whether it answers, the space that it takes, and its end.

use async_trait::async_trait;
use hato_service::ports::{Store, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::error::with_context;
use crate::transaction::transaction;
use crate::{Database, free_space};

/// Reads a page of a table.
const PROBE_QUERY: &str = "SELECT id FROM accounts LIMIT 1";

impl Database {
    /// Reads a page as everybody else does, and as somebody does who opens the file now.
    async fn probe(&self) -> sqlx::Result<()> {
        let options = self.probe.lock().await;
        sqlx::query(PROBE_QUERY).execute(&self.readers).await?;
        probe_new_connection(&options).await
    }
}

#[async_trait]
impl Store for Database {
    async fn ping(&self) -> Result<(), StoreError> {
        let probed = self.probe().await;
        probed.map_err(with_context("probe the database"))
    }

    async fn give_back_space(&self) -> Result<bool, StoreError> {
        let plenty = free_space::is_plenty(&self.readers).await;
        if !plenty.map_err(with_context("count the free pages"))? {
            return Ok(false);
        }
        transaction!(self, "give space back to the disk", |c| {
            free_space::release(c).await
        })?;
        Ok(true)
    }

    async fn close(&self) {
        self.writer.close().await;
        self.bounded_readers.close().await;
        self.readers.close().await;
    }
}

/// Reads a page of the file on a connection of its own: an open one would still find a page that it remembers, or a file
/// that has been taken away.
async fn probe_new_connection(options: &SqliteConnectOptions) -> sqlx::Result<()> {
    let mut connection = options.connect().await?;
    sqlx::query(PROBE_QUERY).execute(&mut connection).await?;
    connection.close().await
}
