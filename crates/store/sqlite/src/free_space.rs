//! The space of removed rows. SQLite keeps it in its file for new rows; in a file of the kind `auto_vacuum=INCREMENTAL` it can be
//! given back to the disk, some pages at a time.

use sqlx::{Executor as _, SqliteConnection, SqlitePool};

/// Free pages that stay in the file for what is written next: 4 MiB.
const KEPT_PAGES: i64 = 1_024;

/// Gives 1 MiB back at a time: some milliseconds of the one writer.
const STEP: &str = "PRAGMA incremental_vacuum(256)";

/// The number by which SQLite knows the kind of file from which space can be given back.
const INCREMENTAL: i64 = 2;

/// Bytes of the largest file that is made one of that kind when it is opened: 64 MiB, which are written anew in about a second.
const MAX_REWRITTEN: i64 = 64 * 1_024 * 1_024;

/// Makes a small file one from which space can be given back. Every file that this program makes is one; a large other one goes
/// on growing, which the log says.
pub(crate) async fn prepare(connection: &mut SqliteConnection) {
    match try_prepare(connection).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "the database keeps the space of what is removed from it; docs/DEPLOY.md says how to change that"
        ),
        Err(error) => tracing::warn!(%error, "the database keeps the space of what is removed"),
    }
}

/// Whether space can be given back from then on.
async fn try_prepare(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    let (kind, bytes): (i64, i64) = sqlx::query_as(
        "SELECT v.auto_vacuum, c.page_count * s.page_size
         FROM pragma_auto_vacuum AS v, pragma_page_count AS c, pragma_page_size AS s",
    )
    .fetch_one(&mut *connection)
    .await?;
    if kind == INCREMENTAL || bytes > MAX_REWRITTEN {
        return Ok(kind == INCREMENTAL);
    }
    connection
        .execute("PRAGMA auto_vacuum = INCREMENTAL")
        .await?;
    connection.execute("VACUUM").await?;
    Ok(true)
}

/// Whether there are so many free pages that some are to be given back.
pub(crate) async fn is_plenty(reader: &SqlitePool) -> sqlx::Result<bool> {
    let (kind, free): (i64, i64) = sqlx::query_as(
        "SELECT v.auto_vacuum, f.freelist_count FROM pragma_auto_vacuum AS v, pragma_freelist_count AS f",
    )
    .fetch_one(reader)
    .await?;
    Ok(kind == INCREMENTAL && free > KEPT_PAGES)
}

/// Gives some free pages back.
pub(crate) async fn release(c: &mut SqliteConnection) -> sqlx::Result<()> {
    c.execute(STEP).await.map(drop)
}
