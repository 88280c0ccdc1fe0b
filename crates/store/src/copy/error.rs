//! Why nothing was copied: one line each, without a URL, which may hold a password.

use std::fmt;
use std::path::PathBuf;

use hato_store_postgres::PostgresOpenError;
use hato_store_sqlite::SqliteOpenError;

use crate::StoreOpenError;

/// Which of the two databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopySide {
    /// The database that is read, and stays as it is.
    Source,
    /// The empty database that everything is written to.
    Target,
}

impl fmt::Display for CopySide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Target => "target",
        })
    }
}

/// Nothing was copied; the target is as empty as it was.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// There is no file to be copied.
    #[error("there is no database at {0}")]
    Missing(PathBuf),
    /// A process has one of the databases open.
    #[error("the {side} is in use: {source}; stop every process on it and try again")]
    InUse {
        /// Whether it is the source or the target.
        side: CopySide,
        /// What the database that is in use says of it.
        source: StoreOpenError,
    },
    /// One of the databases cannot be opened.
    #[error("the {side} cannot be opened: {source}")]
    Open {
        /// Whether it is the source or the target.
        side: CopySide,
        /// What its opening was refused with.
        source: StoreOpenError,
    },
    /// The target holds something.
    #[error("the target is not empty: it has {0}; copy into a new database")]
    NotEmpty(&'static str),
    /// A table cannot be read or written.
    #[error("{table} cannot be copied: {failure}; nothing was")]
    Table {
        /// The name of the table.
        table: &'static str,
        /// What is wrong with its columns, with a text in it, or with the database.
        failure: CopyFailure,
    },
    /// What was written is not what was read.
    #[error("the copy of {0} differs from the original; nothing was kept")]
    Differs(&'static str),
    /// What was written was not kept, or nobody knows.
    #[error("the copy cannot be committed: {0}")]
    Commit(sqlx::Error),
}

/// Why a table cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyFailure {
    /// The databases have different columns, as those of two versions do.
    #[error("it has other columns in the target")]
    Columns,
    /// A column is of a type that only one kind of database has.
    #[error("its column {0} has a type that cannot be copied")]
    Type(String),
    /// A text has a character that PostgreSQL does not take.
    #[error("its column {0} has the character U+0000, which PostgreSQL does not take")]
    Nul(String),
    /// Reading or writing failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl CopyError {
    /// Tells a database that is in use from one that cannot be used.
    pub(super) fn opening(side: CopySide, source: StoreOpenError) -> Self {
        match source {
            StoreOpenError::Sqlite(SqliteOpenError::InUse { .. })
            | StoreOpenError::Postgres(PostgresOpenError::InUse) => Self::InUse { side, source },
            _ => Self::Open { side, source },
        }
    }
}

impl CopyFailure {
    /// Says of which table.
    pub(super) const fn in_table(self, table: &'static str) -> CopyError {
        CopyError::Table {
            table,
            failure: self,
        }
    }
}
