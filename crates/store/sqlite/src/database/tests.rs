//! How the file is written: what survives a power failure, and how long the log becomes.

use std::path::{Path, PathBuf};

use sqlx::{Connection as _, Executor as _, SqliteConnection};
use tempfile::TempDir;

use hato_service::ports::Store as _;

use super::{Database, MAX_IDLE_LOG, connect, options};

async fn open(folder: &TempDir) -> (Database, PathBuf) {
    let path = folder.path().join("hato.db");
    let database = Database::open(&path).await.expect("a new file");
    (database, path)
}

async fn other_connection(path: &Path) -> SqliteConnection {
    connect(&options(path)).await.expect("the file")
}

/// What the writer's connection has a setting at.
async fn setting<T>(database: &Database, query: &'static str) -> T
where
    T: Send + Unpin + 'static + for<'r> sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
{
    let read = database
        .writer
        .run(move |c| Box::pin(async move { sqlx::query_scalar(query).fetch_one(c).await }));
    read.await.expect("a setting")
}

#[tokio::test]
async fn a_commit_waits_for_the_disk() {
    const FULL: i64 = 2;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (database, _) = open(&folder).await;
    let journal: String = setting(&database, "PRAGMA journal_mode").await;
    let synchronous: i64 = setting(&database, "PRAGMA synchronous").await;
    assert_eq!((&*journal, synchronous), ("wal", FULL));
}

/// Writes so many MiB in one transaction.
async fn write(database: &Database, mebibytes: i64) {
    let written = database.writer.run(move |c| {
        Box::pin(async move {
            let fill = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
                        INSERT INTO github_logins (state_hash, browser_hash, pkce_verifier, expires_at)
                        SELECT randomblob(32), x'00', hex(zeroblob(524288)), 0 FROM n";
            sqlx::query(fill).bind(mebibytes).execute(c).await.map(drop)
        })
    });
    written.await.expect("written");
}

#[tokio::test]
async fn the_log_does_not_stay_as_long_as_it_ever_was() {
    const MOST_WRITES: usize = 100;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (database, path) = open(&folder).await;
    let log = || {
        let metadata = std::fs::metadata(path.with_extension("db-wal"));
        metadata.expect("a log").len()
    };
    let max: u64 = MAX_IDLE_LOG.parse().expect("a number");
    let mut reader = other_connection(&path).await;
    reader.execute("BEGIN").await.expect("begun");
    let looking = reader.execute("SELECT COUNT(*) FROM github_logins");
    looking.await.expect("read");
    write(&database, 20).await;
    assert!(log() > max, "a reader keeps the log from beginning anew");
    reader.execute("COMMIT").await.expect("ended");
    reader.close().await.expect("closed");
    // It is copied beside these, and what comes when all of it is copied begins it anew.
    for _ in 0..MOST_WRITES {
        write(&database, 1).await;
        if log() <= max {
            return;
        }
    }
    panic!("{} bytes", log());
}

#[tokio::test]
async fn a_file_that_is_taken_away_is_not_made_anew_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (database, path) = open(&folder).await;
    let away = path.with_extension("away");
    std::fs::rename(&path, &away).expect("taken away");
    // The writer has its file still. What is opened beside it with a first commit finds none.
    write(&database, 1).await;
    database.close().await;
    assert!(!path.exists());
    std::fs::rename(&away, &path).expect("brought back");
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM github_logins")
        .fetch_one(&mut other_connection(&path).await)
        .await
        .expect("read");
    assert_eq!(count, 1);
}
