//! Opening and closing the file: one writer, and a pool of connections that only read.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

use crate::bounded_reads::BoundedReaders;
use crate::costly_selections::CostlySelections;
use crate::failure::{is_locked_out, is_out_of_room, is_read_only};
use crate::free_space;
use crate::large_selections::LargeSelections;
use crate::writer::{MAX_LOG_PAGES, Writer};

pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("../../../migrations/sqlite");

/// How many reads run at the same time; each connection is a thread.
const MAX_READERS: u32 = 8;

/// How long a statement waits for another process that writes to the file.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Between two attempts to open a file that is locked.
const BUSY_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Bytes of the log (WAL) that stay when it begins anew: 16 MiB. A read that takes long lets it grow beyond.
const MAX_IDLE_LOG: &str = "16777216";

/// Writes nothing, and is refused where nothing may be written: SQLite opens a file that may only be read without a word.
const WRITE_PROBE: &str = "DELETE FROM accounts WHERE FALSE";

/// Rows that a reader's thread works ahead, so that a page of 500 recipients is not handed over row by row.
const ROW_BUFFER: usize = 512;

/// Bytes of the file that a reader keeps in memory, as SQLite takes them: 512 KiB, a quarter of what is usual. The system keeps the file for
/// all of them.
const READER_CACHE_SIZE: &str = "-512";

/// A file could not be opened as a store.
#[derive(Debug, thiserror::Error)]
pub enum SqliteOpenError {
    /// Its folder is missing and cannot be made.
    #[error("cannot make the folder {folder}: {source}")]
    Folder {
        /// The folder above the file.
        folder: PathBuf,
        /// What the file system answered.
        source: io::Error,
    },
    /// It cannot be made.
    #[error("cannot make the database {path}: {source}")]
    Make {
        /// The file, as it was named.
        path: PathBuf,
        /// What the file system answered.
        source: io::Error,
    },
    /// It cannot be opened, or is no SQLite database.
    #[error("cannot open the database {path}: {source}")]
    File {
        /// The file, as it was named.
        path: PathBuf,
        /// Why SQLite did not open it.
        source: sqlx::Error,
    },
    /// Another process has it open, and it was to be opened for one alone.
    #[error("another process has the database {path} open")]
    InUse {
        /// The file, as it was named.
        path: PathBuf,
    },
    /// It may only be read, so nothing could be accepted.
    #[error("the database {path} may only be read: its mode, its folder's, or its file system's")]
    ReadOnly {
        /// The file, as it was named.
        path: PathBuf,
    },
    /// Another process writes to it for longer than it is waited for.
    #[error("another process has locked the database {path}")]
    Locked {
        /// The file, as it was named.
        path: PathBuf,
    },
    /// Its disk has no room for the log that is written beside it.
    #[error("the disk of the database {path} is full")]
    DiskFull {
        /// The file, as it was named.
        path: PathBuf,
    },
    /// Its tables cannot be brought up to this version's.
    #[error("cannot migrate the database {path}: {source}")]
    Migration {
        /// The file, as it was named.
        path: PathBuf,
        /// The migration that failed, or that the file has and this version does not know.
        source: MigrateError,
    },
}

impl SqliteOpenError {
    fn from_opening(source: sqlx::Error, path: &Path) -> Self {
        Self::from_known(&source, path).unwrap_or_else(|| Self::File {
            path: path.to_owned(),
            source,
        })
    }

    fn from_migrating(source: MigrateError, path: &Path) -> Self {
        let known = match &source {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                Self::from_known(error, path)
            }
            _ => None,
        };
        known.unwrap_or_else(|| Self::Migration {
            path: path.to_owned(),
            source,
        })
    }

    /// A failure that has a line of its own.
    fn from_known(error: &sqlx::Error, path: &Path) -> Option<Self> {
        let path = path.to_owned();
        match error {
            error if is_read_only(error) => Some(Self::ReadOnly { path }),
            error if is_locked_out(error) => Some(Self::Locked { path }),
            error if is_out_of_room(error) => Some(Self::DiskFull { path }),
            _ => None,
        }
    }
}

/// A store on one SQLite file, which implements every port of `hato_service::ports`.
pub struct Database {
    pub(crate) readers: SqlitePool,
    pub(crate) bounded_readers: BoundedReaders,
    pub(crate) writer: Writer,
    pub(crate) large_selections: LargeSelections,
    pub(crate) costly_selections: CostlySelections,
    /// Where the file is.
    pub(crate) path: PathBuf,
    /// How to open the file anew; locked, so that no two probes do so at the same time.
    pub(crate) probe: Mutex<SqliteConnectOptions>,
}

impl Database {
    /// Opens the file, which is made when it is missing, and brings its tables up to date. Must be called on a tokio
    /// runtime, where the writer lives on as a task.
    pub async fn open(path: &Path) -> Result<Self, SqliteOpenError> {
        make_folder(path)?;
        make_file(path)?;
        let options = options(path);
        let file = |source| SqliteOpenError::from_opening(source, path);
        let mut connection = connect(&creating(&options)).await.map_err(file)?;
        migrate(&mut connection, path).await?;
        free_space::prepare(&mut connection).await;
        let reader_options = reader_options(&options);
        let readers = connect_readers(reader_options.clone())
            .await
            .map_err(file)?;
        let writer = Writer::start(options, connection);
        Ok(Self {
            readers,
            bounded_readers: BoundedReaders::new(reader_options.clone()),
            writer,
            large_selections: LargeSelections::default(),
            costly_selections: CostlySelections::default(),
            path: path.to_owned(),
            probe: Mutex::new(reader_options),
        })
    }
}

pub(crate) fn make_folder(path: &Path) -> Result<(), SqliteOpenError> {
    let Some(folder) = path.parent() else {
        return Ok(());
    };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| SqliteOpenError::Folder {
        folder: folder.to_owned(),
        source,
    })
}

/// For its owner alone; SQLite gives the files beside it the same permissions. An empty file is an empty database.
pub(crate) fn make_file(path: &Path) -> Result<(), SqliteOpenError> {
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).mode(0o600).open(path) {
        Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
            Err(SqliteOpenError::Make {
                path: path.to_owned(),
                source,
            })
        }
        _ => Ok(()),
    }
}

/// For a file that is there. One that has been taken away is not made anew by the next connection: SQLite takes the log beside it for a
/// leftover and deletes it.
pub(crate) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("journal_size_limit", MAX_IDLE_LOG)
        .pragma("wal_autocheckpoint", MAX_LOG_PAGES)
}

/// The same for the connection that may be the first to a new file, whose kind must be known before it has a table. An existing
/// file keeps its kind; other connections do not ask, because asking takes the lock of a write.
pub(crate) fn creating(options: &SqliteConnectOptions) -> SqliteConnectOptions {
    let options = options.clone();
    match std::fs::metadata(options.get_filename()) {
        Ok(file) if file.len() == 0 => options.auto_vacuum(SqliteAutoVacuum::Incremental),
        _ => options,
    }
}

/// Connects, patiently: SQLite does not wait for another process that turns the same new file to WAL, it fails at once.
async fn connect(options: &SqliteConnectOptions) -> sqlx::Result<SqliteConnection> {
    let started = Instant::now();
    loop {
        match options.connect().await {
            Err(error) if is_locked_out(&error) && started.elapsed() < BUSY_TIMEOUT => {
                tokio::time::sleep(BUSY_RETRY_INTERVAL).await;
            }
            connected => return connected,
        }
    }
}

/// Runs the missing migrations in one transaction, so that two processes that start together do not meet half-way.
pub(crate) async fn migrate(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<(), SqliteOpenError> {
    let migrated = run_migrations(connection).await;
    migrated.map_err(|error| SqliteOpenError::from_migrating(error, path))
}

async fn run_migrations(connection: &mut SqliteConnection) -> Result<(), MigrateError> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    MIGRATIONS.run(&mut *transaction).await?;
    sqlx::query(WRITE_PROBE).execute(&mut *transaction).await?;
    Ok(transaction.commit().await?)
}

fn reader_options(options: &SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .clone()
        .row_buffer_size(ROW_BUFFER)
        .pragma("cache_size", READER_CACHE_SIZE)
        .pragma("query_only", "ON")
}

async fn connect_readers(options: SqliteConnectOptions) -> sqlx::Result<SqlitePool> {
    SqlitePoolOptions::new()
        .max_connections(MAX_READERS)
        // Each one's thread has the priority of who opens it, and whoever asks later may give way to others.
        .min_connections(MAX_READERS)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options)
        .await
}

#[cfg(test)]
#[path = "database/tests.rs"]
mod tests;
