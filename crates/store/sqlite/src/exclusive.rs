//! Opening the file for one connection alone, as copying a whole database needs it (CONTRACT 17).

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::SqliteLockingMode;
use sqlx::{ConnectOptions as _, SqliteConnection};

use crate::database::{SqliteOpenError, creating, make_file, make_folder, migrate, options};
use crate::failure::is_locked_out;

/// How long a command that is about to end is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// Rows that the connection's thread works ahead.
const ROW_BUFFER: usize = 512;

/// Bytes of the file that are kept in memory, as SQLite takes them: 64 MiB. Rows are written in no order that its indexes share.
const CACHE_SIZE: &str = "-65536";

/// Opens the file, which is made when it is missing, brings its tables up to date, and keeps everybody else away from it. A process
/// that has it open, whatever it does, is [`SqliteOpenError::InUse`]: each holds a lock of the system's, which ends with it.
pub async fn open_exclusively(path: &Path) -> Result<SqliteConnection, SqliteOpenError> {
    make_folder(path)?;
    make_file(path)?;
    let options = creating(&options(path))
        .locking_mode(SqliteLockingMode::Exclusive)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(ROW_BUFFER)
        .pragma("cache_size", CACHE_SIZE);
    let connected = options.connect().await;
    let mut connection = connected.map_err(|error| in_use_or_broken(error, path))?;
    migrate(&mut connection, path).await?;
    Ok(connection)
}

fn in_use_or_broken(source: sqlx::Error, path: &Path) -> SqliteOpenError {
    let path = path.to_owned();
    if is_locked_out(&source) {
        SqliteOpenError::InUse { path }
    } else {
        SqliteOpenError::File { path, source }
    }
}
