//! What a failure of SQLite says.

use sqlx::error::DatabaseError;

pub(crate) use crate::writer::WriteError;

/// Whether somebody else has locked the file, for longer than it is waited for: `SQLITE_BUSY`, 5.
pub(crate) fn is_locked_out(error: &sqlx::Error) -> bool {
    result_code(error) == Some(5)
}

/// SQLite's result code, which is in the low byte of the extended one.
pub(crate) fn result_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error().and_then(DatabaseError::code)?;
    Some(code.parse::<i32>().ok()? & 0xff)
}
