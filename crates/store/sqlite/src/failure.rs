//! What a failure of SQLite says.

use sqlx::error::DatabaseError;

pub(crate) use crate::writer::WriteError;

/// Whether somebody else has locked the file, for longer than it is waited for: `SQLITE_BUSY`, 5.
pub(crate) fn is_locked_out(error: &sqlx::Error) -> bool {
    result_code(error) == Some(5)
}

/// Whether all of the process's connections were in use for as long as one waits.
pub(crate) const fn is_without_connection(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::PoolTimedOut)
}

/// Whether the file may only be read: `SQLITE_READONLY`, 8.
pub(crate) fn is_read_only(error: &sqlx::Error) -> bool {
    result_code(error) == Some(8)
}

/// Whether the disk has no room for what is to be written: `SQLITE_FULL`, 13, or `SQLITE_IOERR_SHMSIZE`, 4874, of the index of the log.
pub(crate) fn is_out_of_room(error: &sqlx::Error) -> bool {
    result_code(error) == Some(13) || extended_code(error) == Some(4_874)
}

/// SQLite's result code, which is in the low byte of the extended one.
pub(crate) fn result_code(error: &sqlx::Error) -> Option<i32> {
    Some(extended_code(error)? & 0xff)
}

fn extended_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error().and_then(DatabaseError::code)?;
    code.parse().ok()
}
