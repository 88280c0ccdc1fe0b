//! Opens Hato's store by its database URL.
//!
//! Who runs Hato chooses the database by a URL, and nothing else in the product knows which one it is: what is opened here is a
//! `hato_service::ports::Store`.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("hato.db");
//! # let url = format!("sqlite:{}", path.display());
//! // For example sqlite:/var/lib/hato/hato.db
//! let store = hato_store::open(&url).await?;
//! store.ping().await?;
//! store.close().await;
//!
//! let refused = hato_store::open("mysql://localhost/hato").await;
//! assert!(matches!(refused, Err(hato_store::StoreOpenError::UnknownScheme)));
//! # Ok(())
//! # }
//! ```

mod copy;

use std::path::Path;
use std::sync::Arc;

use hato_service::ports::Store;
use hato_store_postgres::Database as PostgresDatabase;
use hato_store_sqlite::Database as SqliteDatabase;
use sqlx::{Connection as _, PgConnection, SqliteConnection};

pub use copy::{
    CopyError, CopyFailure, CopyProgress, CopySide, CopyStage, CopySummary,
    TABLES as COPIED_TABLES, copy,
};
pub use hato_store_postgres::{PostgresOpenError, PostgresSettings, refuse_if_in_use};
pub use hato_store_sqlite::{
    SnapshotError, SqliteOpenError, check_integrity, has_queued_pages, metrics, snapshot,
    verify_snapshot,
};

/// A database URL does not lead to a store. No variant repeats the URL, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum StoreOpenError {
    /// The URL names no database that there is a store for.
    #[error("not a database URL; use sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")]
    UnknownScheme,
    /// It names SQLite without a plain path to a file.
    #[error("sqlite: must be followed by the path of a file, without parameters")]
    InvalidPath,
    /// The SQLite file cannot be opened.
    #[error(transparent)]
    Sqlite(#[from] SqliteOpenError),
    /// The PostgreSQL database cannot be opened.
    #[error(transparent)]
    Postgres(#[from] PostgresOpenError),
}

/// Opens the store at `url` and brings its tables up to date.
///
/// `sqlite:PATH` is a file, made with its folder when it is missing; `postgres://…` and `postgresql://…` are a database of
/// PostgreSQL 15 or later, used with the default settings. Must be called on a tokio runtime.
pub async fn open(url: &str) -> Result<Arc<dyn Store>, StoreOpenError> {
    open_with(url, &PostgresSettings::default()).await
}

/// The same with settings, which hold for PostgreSQL only.
pub async fn open_with(
    url: &str,
    settings: &PostgresSettings,
) -> Result<Arc<dyn Store>, StoreOpenError> {
    match url.split_once(':') {
        Some(("sqlite", path)) => Ok(Arc::new(SqliteDatabase::open(sqlite_path(path)?).await?)),
        Some(("postgres" | "postgresql", _)) => {
            Ok(Arc::new(PostgresDatabase::open(url, settings).await?))
        }
        _ => Err(StoreOpenError::UnknownScheme),
    }
}

/// A database that no server has open, and that none opens for SQLite, or writes to, until it is released.
pub struct LockedDatabase(LockedConnection);

enum LockedConnection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl LockedDatabase {
    /// Lets others have the database.
    pub async fn release(self) {
        // Nothing was written, so a connection that breaks has nothing to lose.
        match self.0 {
            LockedConnection::Sqlite(connection) => connection.close().await.ok(),
            LockedConnection::Postgres(connection) => connection.close().await.ok(),
        };
    }
}

/// Brings the database at `url` up to date and keeps others away from it; an error while a server has it open.
pub async fn lock(url: &str) -> Result<LockedDatabase, StoreOpenError> {
    let locked = match url.split_once(':') {
        Some(("sqlite", path)) => {
            LockedConnection::Sqlite(hato_store_sqlite::open_exclusively(sqlite_path(path)?).await?)
        }
        Some(("postgres" | "postgresql", _)) => LockedConnection::Postgres(
            hato_store_postgres::open_exclusively(url, &COPIED_TABLES).await?,
        ),
        _ => return Err(StoreOpenError::UnknownScheme),
    };
    Ok(LockedDatabase(locked))
}

/// The file behind a database URL; `None` where the database is no file.
pub fn file(url: &str) -> Option<&Path> {
    sqlite_path(url.strip_prefix("sqlite:")?).ok()
}

/// `PATH`, or `//PATH` as other programs write it. A database in memory would not survive the process.
fn sqlite_path(text: &str) -> Result<&Path, StoreOpenError> {
    let path = text.strip_prefix("//").unwrap_or(text);
    if path.is_empty() || path.ends_with('/') || path == ":memory:" || path.contains('?') {
        return Err(StoreOpenError::InvalidPath);
    }
    Ok(Path::new(path))
}
