//! What a failure of SQLite says.

use std::error::Error;

use sqlx::error::DatabaseError;

use crate::writer::WriteError;

/// Whether somebody else has locked the file: `SQLITE_BUSY`, 5.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    result_code(error) == Some(5)
}

/// SQLite's result code, which is in the low byte of the extended one.
pub(crate) fn result_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error().and_then(DatabaseError::code)?;
    Some(code.parse::<i32>().ok()? & 0xff)
}

/// Whether another process has held the file for longer than it is waited for.
pub(crate) fn is_overload(cause: &(dyn Error + Send + Sync + 'static)) -> bool {
    match cause.downcast_ref::<WriteError>() {
        Some(WriteError::Failed(error)) => is_busy(error),
        Some(WriteError::Transaction(error)) => is_busy(error),
        Some(_) => false,
        None => cause.downcast_ref::<sqlx::Error>().is_some_and(is_busy),
    }
}
