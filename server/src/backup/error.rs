//! Why there is no back-up, or why none was restored, and which exit code that is.

use std::io;
use std::path::PathBuf;

use hato_store::{PostgresOpenError, SnapshotError};

use super::archive::ArchiveError;
use crate::secrets_file::SecretsFileError;

/// A back-up was not made or not restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// What is to be made is there.
    #[error("{0} is there already")]
    Taken(PathBuf),
    /// The secrets cannot be read or written, or one is missing: a database without them is worth nothing.
    #[error(transparent)]
    Secrets(#[from] SecretsFileError),
    /// The database cannot be copied, or a copy is not sound.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The back-up's file cannot be written.
    #[error("{0} cannot be written")]
    Write(PathBuf, #[source] io::Error),
    /// It cannot be read as a whole.
    #[error("the back-up cannot be used")]
    Archive(#[source] ArchiveError),
    /// What is in the archive is not what was to be saved.
    #[error("the back-up differs from what was to be saved; nothing was kept")]
    Differs,
    /// Something is where the back-up would go.
    #[error("{0} is there: --force puts the back-up in its place, and keeps it under another name")]
    Occupied(PathBuf),
    /// A process has the database open.
    #[error("a process has {0} open: stop it and try again")]
    InUse(PathBuf),
    /// A server has the database of PostgreSQL open, or nobody can tell.
    #[error(transparent)]
    Served(#[from] PostgresOpenError),
    /// A SQLite database cannot become PostgreSQL's by itself.
    #[error(
        "the back-up holds a SQLite database, and HATO_DATABASE_URL names PostgreSQL: restore it without that variable, then use copy-data"
    )]
    OtherDatabase,
    /// The folder of the data cannot be made or written.
    #[error(
        "{0} cannot be written; what was there is still there, or beside it under another name"
    )]
    RestoreTarget(PathBuf, #[source] io::Error),
    /// A thread has failed.
    #[error("a thread has failed")]
    Panicked,
}

impl BackupError {
    /// 2 after a bad argument (CONTRACT 1), 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Taken(_) | Self::OtherDatabase => 2,
            _ => 1,
        }
    }
}
