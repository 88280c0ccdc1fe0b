//! A copy of the whole file as of one moment, made while others go on, and whether such a copy is sound (CONTRACT 1, back-ups).
//!
//! `VACUUM INTO` reads the file in one transaction of a connection of its own: nobody waits for it, and it takes a single pass. SQLite's
//! backup interface, which copies in steps, begins anew whenever another connection has written in between, so that during a
//! send it would copy everything many times over; it cannot be called without unsafe code either.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

use crate::database::{BUSY_TIMEOUT, MIGRATIONS, make_file};
use crate::failure::result_code;

/// There is no copy, or it is not sound.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// There is nothing to be copied.
    #[error("there is no database at {0}")]
    Missing(PathBuf),
    /// SQLite failed while it copied the file.
    #[error("the database cannot be copied")]
    Copy(#[source] sqlx::Error),
    /// It is no SQLite file, or cannot be read.
    #[error("the database cannot be read")]
    Read(#[source] sqlx::Error),
    /// SQLite's integrity check has found this first.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// It lacks the record of migrations, or one of them was another.
    #[error("the database is none of Hato's")]
    Foreign,
    /// A later version of Hato has migrated it.
    #[error("the database is of a later version of Hato: it has migration {0}")]
    TooNew(i64),
}

/// Copies the database at `path` into the file `target`, which must not be there. Nobody but the owner may read the copy.
pub async fn snapshot(path: &Path, target: &Path) -> Result<(), SnapshotError> {
    refuse_missing(path)?;
    // SQLite fills a file that is empty, and keeps its mode.
    let made = make_file(target).map_err(|error| sqlx::Error::Configuration(error.into()));
    made.map_err(SnapshotError::Copy)?;
    let copied = copy(path, target).await;
    copied.map_err(SnapshotError::Copy)
}

/// A file of no bytes is as good as none.
fn refuse_missing(path: &Path) -> Result<(), SnapshotError> {
    match std::fs::metadata(path) {
        Ok(file) if file.len() > 0 => Ok(()),
        _ => Err(SnapshotError::Missing(path.to_owned())),
    }
}

async fn copy(path: &Path, target: &Path) -> sqlx::Result<()> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT);
    let mut connection = options.connect().await?;
    // SQLite would read a name that begins with `file:` as an address.
    let target = std::path::absolute(target)?;
    let target = target
        .to_str()
        .ok_or_else(|| sqlx::Error::Configuration("the path of the copy is no UTF-8".into()))?;
    sqlx::query("VACUUM INTO $1")
        .bind(target)
        .execute(&mut connection)
        .await?;
    connection.close().await
}

/// Looks at a copy that nobody has open, whose tables this version of Hato knows: whether pages of recipients wait for their delivery.
pub async fn has_queued_pages(path: &Path) -> Result<bool, SnapshotError> {
    let mut connection = open_copy(path).await?;
    refuse_unknown_tables(&mut connection).await?;
    let page: Option<i64> = sqlx::query_scalar("SELECT 1 FROM jobs WHERE held = 0 LIMIT 1")
        .fetch_optional(&mut connection)
        .await
        .map_err(SnapshotError::Read)?;
    connection.close().await.map_err(SnapshotError::Read)?;
    Ok(page.is_some())
}

async fn open_copy(path: &Path) -> Result<SqliteConnection, SnapshotError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(true);
    options.connect().await.map_err(SnapshotError::Read)
}

/// Reads all of a copy that nobody has open: its tables are known, and it is whole.
pub async fn verify_snapshot(path: &Path) -> Result<(), SnapshotError> {
    let mut connection = open_copy(path).await?;
    refuse_unknown_tables(&mut connection).await?;
    let found = integrity(&mut connection).await;
    if let Some(first) = found.map_err(SnapshotError::Read)?.into_iter().next() {
        return Err(SnapshotError::Damaged(first));
    }
    connection.close().await.map_err(SnapshotError::Read)
}

/// What SQLite finds wrong with the database at `path`, which others may have open, at most 100 lines; none when it is whole.
pub async fn check_integrity(path: &Path) -> Result<Vec<String>, SnapshotError> {
    refuse_missing(path)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("query_only", "ON");
    let checked = async {
        let mut connection = options.connect().await?;
        let found = integrity(&mut connection).await?;
        connection.close().await?;
        Ok(found)
    };
    match checked.await {
        // Damage may keep SQLite from looking at all.
        Err(error) if is_damage(&error) => Ok(vec![error.to_string()]),
        checked => checked.map_err(SnapshotError::Read),
    }
}

/// `SQLITE_CORRUPT`, 11, or `SQLITE_NOTADB`, 26.
fn is_damage(error: &sqlx::Error) -> bool {
    matches!(result_code(error), Some(11 | 26))
}

/// What SQLite finds wrong with the file, at most 100 lines; none when it is whole.
async fn integrity(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let mut lines: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_all(connection)
        .await?;
    lines.retain(|line| line != "ok");
    Ok(lines)
}

fn known_checksums() -> HashMap<i64, &'static [u8]> {
    let known = MIGRATIONS.iter();
    known.map(|it| (it.version, &*it.checksum)).collect()
}

/// An earlier version's tables are known: opening brings them up to date.
async fn refuse_unknown_tables(connection: &mut SqliteConnection) -> Result<(), SnapshotError> {
    refuse_invented_record(connection).await?;
    let applied: Vec<(i64, Vec<u8>)> =
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations ORDER BY version")
            .fetch_all(connection)
            .await
            .map_err(no_table)?;
    let known = known_checksums();
    let latest = known.keys().max().copied().unwrap_or_default();
    for (version, checksum) in &applied {
        match known.get(version) {
            Some(known) if known == checksum => {}
            None if *version > latest => return Err(SnapshotError::TooNew(*version)),
            _ => return Err(SnapshotError::Foreign),
        }
    }
    if applied.is_empty() {
        return Err(SnapshotError::Foreign);
    }
    Ok(())
}

/// The record of migrations is a table: a view would run whatever somebody has thought out.
async fn refuse_invented_record(connection: &mut SqliteConnection) -> Result<(), SnapshotError> {
    let invented = sqlx::query_scalar(
        "SELECT COUNT(*) FROM sqlite_schema
         WHERE name LIKE '\\_sqlx\\_migrations' ESCAPE '\\'
           AND (type <> 'table' OR sql NOT LIKE 'CREATE TABLE%')",
    );
    let invented: i64 = invented
        .fetch_one(connection)
        .await
        .map_err(SnapshotError::Read)?;
    if invented > 0 {
        return Err(SnapshotError::Foreign);
    }
    Ok(())
}

/// A file without the table is a database, but none of Hato's.
fn no_table(error: sqlx::Error) -> SnapshotError {
    match error.as_database_error() {
        Some(known) if known.message().starts_with("no such table") => SnapshotError::Foreign,
        _ => SnapshotError::Read(error),
    }
}
