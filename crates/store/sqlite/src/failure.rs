//! What a failure of SQLite says.

use std::error::Error;

use sqlx::error::DatabaseError;

/// Whether somebody else has locked the file: `SQLITE_BUSY`, 5.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    result_code(error) == Some(5)
}

/// SQLite's result code, which is in the low byte of the extended one.
pub(crate) fn result_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error().and_then(DatabaseError::code)?;
    Some(code.parse::<i32>().ok()? & 0xff)
}

/// Whether somebody else held what was needed for too long. Here everybody waits for the one writer.
pub(crate) fn is_overload(_: &(dyn Error + Send + Sync + 'static)) -> bool {
    false
}
