//! The writer against a real file, with operations that fail in every way there is.
//!
//! The tests run on one thread: whatever is sent together is taken together.

use std::path::Path;

use futures_util::future::join_all;
use sqlx::SqliteConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions as _, Executor as _};
use tempfile::TempDir;

use super::{WriteError, Writer};

/// What an operation does after it has written its number.
#[derive(Clone, Copy)]
enum TestWrite {
    Succeed,
    Fail,
    Panic,
    /// Succeeds and fails the commit.
    BreakCommit,
    /// Ends the transaction behind the writer's back, as SQLite does when the disk is full.
    EndTransaction,
}

struct WriterFixture {
    folder: TempDir,
    writer: Writer,
}

impl WriterFixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = options(folder.path());
        let mut connection = options.connect().await.expect("a file that can be opened");
        connection
            .execute(
                "CREATE TABLE written (number INTEGER NOT NULL PRIMARY KEY,
                 parent INTEGER REFERENCES written (number) DEFERRABLE INITIALLY DEFERRED)",
            )
            .await
            .expect("an empty database");
        let writer = Writer::start(options, connection);
        Self { folder, writer }
    }

    async fn run(&self, number: i64, kind: TestWrite) -> Result<i64, WriteError> {
        self.writer
            .run(move |c| Box::pin(write(c, number, kind)))
            .await
    }

    async fn run_all(&self, kinds: &[TestWrite]) -> Vec<Result<i64, WriteError>> {
        join_all(
            (0..)
                .zip(kinds)
                .map(|(number, kind)| self.run(number, *kind)),
        )
        .await
    }

    async fn written(&self) -> Vec<i64> {
        let mut reader = options(self.folder.path())
            .connect()
            .await
            .expect("the file");
        sqlx::query_scalar("SELECT number FROM written ORDER BY number")
            .fetch_all(&mut reader)
            .await
            .expect("the table")
    }
}

fn options(folder: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(folder.join("writer.db"))
        .create_if_missing(true)
        .foreign_keys(true)
}

async fn write(c: &mut SqliteConnection, number: i64, kind: TestWrite) -> sqlx::Result<i64> {
    sqlx::query("INSERT INTO written (number) VALUES ($1)")
        .bind(number)
        .execute(&mut *c)
        .await?;
    match kind {
        TestWrite::Succeed => Ok(number),
        TestWrite::Fail => Err(sqlx::Error::RowNotFound),
        TestWrite::Panic => panic!("as the test asked for"),
        TestWrite::BreakCommit => {
            sqlx::query("UPDATE written SET parent = -1 WHERE number = $1")
                .bind(number)
                .execute(c)
                .await?;
            Ok(number)
        }
        TestWrite::EndTransaction => {
            c.execute("ROLLBACK").await?;
            Err(sqlx::Error::RowNotFound)
        }
    }
}

#[tokio::test]
async fn failures_and_panics_undo_their_own_changes_only() {
    let fixture = WriterFixture::new().await;
    let results = fixture
        .run_all(&[
            TestWrite::Succeed,
            TestWrite::Fail,
            TestWrite::Succeed,
            TestWrite::Panic,
            TestWrite::Succeed,
        ])
        .await;
    assert!(matches!(
        results[..],
        [
            Ok(0),
            Err(WriteError::Failed(_)),
            Ok(2),
            Err(WriteError::Panicked),
            Ok(4)
        ]
    ));
    assert_eq!(fixture.written().await, [0, 2, 4]);
}

#[tokio::test]
async fn a_commit_that_fails_is_an_error_for_all_of_its_batch_and_nobody_after() {
    let fixture = WriterFixture::new().await;
    let results = fixture
        .run_all(&[
            TestWrite::Succeed,
            TestWrite::BreakCommit,
            TestWrite::Succeed,
        ])
        .await;
    assert!(matches!(
        results[..],
        [
            Err(WriteError::Transaction(_)),
            Err(WriteError::Transaction(_)),
            Err(WriteError::Transaction(_))
        ]
    ));
    assert!(fixture.written().await.is_empty());
    assert!(fixture.run(7, TestWrite::Succeed).await.is_ok());
    assert_eq!(fixture.written().await, [7]);
}

#[tokio::test]
async fn a_transaction_that_ended_by_itself_takes_only_who_ended_it() {
    let fixture = WriterFixture::new().await;
    let results = fixture
        .run_all(&[
            TestWrite::Succeed,
            TestWrite::EndTransaction,
            TestWrite::Succeed,
            TestWrite::BreakCommit,
            TestWrite::Succeed,
        ])
        .await;
    assert!(matches!(
        results[..],
        [
            Ok(0),
            Err(WriteError::Failed(_)),
            Ok(2),
            Err(WriteError::Transaction(_)),
            Ok(4)
        ]
    ));
    assert_eq!(fixture.written().await, [0, 2, 4]);
}

#[tokio::test]
async fn closing_finishes_what_waits_and_takes_no_more() {
    let fixture = WriterFixture::new().await;
    let kinds = [TestWrite::Succeed; 200];
    let all = join_all(
        (0..)
            .zip(kinds)
            .map(|(number, kind)| fixture.run(number, kind)),
    );
    let (results, ()) = tokio::join!(all, fixture.writer.close());
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(fixture.written().await.len(), 200);
    assert!(matches!(
        fixture.run(200, TestWrite::Succeed).await,
        Err(WriteError::Closed)
    ));
}

#[tokio::test]
async fn more_writes_than_the_queue_holds_wait_for_room() {
    let fixture = WriterFixture::new().await;
    let results = fixture
        .run_all(&[TestWrite::Succeed; super::QUEUE_CAPACITY + 100])
        .await;
    assert!(results.iter().all(Result::is_ok));
}

#[tokio::test]
async fn a_long_log_is_copied_and_begins_anew() {
    const WRITES: usize = 1_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = options(folder.path())
        .journal_mode(SqliteJournalMode::Wal)
        .pragma("wal_autocheckpoint", "0");
    let mut connection = options.connect().await.expect("a file that can be opened");
    let created = connection.execute("CREATE TABLE large (bytes BLOB)").await;
    created.expect("an empty database");
    let mut reader = options.connect().await.expect("the file");
    let writer = Writer::start(options, connection);
    let mut pages = 0;
    for _ in 0..WRITES {
        let write =
            writer.run(|c| Box::pin(c.execute("INSERT INTO large VALUES (zeroblob(100000))")));
        write.await.expect("written");
        let log: (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)")
            .fetch_one(&mut reader)
            .await
            .expect("the length of the log");
        if log.1 < pages {
            writer.close().await;
            return;
        }
        pages = log.1;
    }
    panic!("the log has {pages} pages and goes on");
}
