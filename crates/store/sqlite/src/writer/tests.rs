//! The writer against a real file, with operations that fail in every way there is.
//!
//! The tests run on one thread: whatever is sent together is taken together.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Executor as _};
use tempfile::TempDir;

use super::{Haste, WriteError, Writer};

/// What an operation does after it has written its number.
#[derive(Clone, Copy)]
enum Then {
    Succeed,
    Fail,
    Panic,
    /// Passes its savepoint and fails the commit.
    BreakCommit,
    /// Ends the transaction behind the writer's back, as SQLite does when the disk is full.
    EndTransaction,
}

struct Bench {
    folder: TempDir,
    writer: Writer,
}

impl Bench {
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

    async fn run(&self, number: i64, then: Then) -> Result<i64, WriteError> {
        self.writer
            .run(Haste::Now, move |c| Box::pin(write(c, number, then)))
            .await
    }

    async fn run_all(&self, thens: &[Then]) -> Vec<Result<i64, WriteError>> {
        join_all(
            (0..)
                .zip(thens)
                .map(|(number, then)| self.run(number, *then)),
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
        .filename(folder.join("bench.db"))
        .create_if_missing(true)
        .foreign_keys(true)
}

async fn write(c: &mut SqliteConnection, number: i64, then: Then) -> sqlx::Result<i64> {
    sqlx::query("INSERT INTO written (number) VALUES ($1)")
        .bind(number)
        .execute(&mut *c)
        .await?;
    match then {
        Then::Succeed => Ok(number),
        Then::Fail => Err(sqlx::Error::RowNotFound),
        Then::Panic => panic!("as the test asked for"),
        Then::BreakCommit => {
            sqlx::query("UPDATE written SET parent = -1 WHERE number = $1")
                .bind(number)
                .execute(c)
                .await?;
            Ok(number)
        }
        Then::EndTransaction => c.execute("ROLLBACK").await.map(|_| number),
    }
}

#[tokio::test]
async fn failures_and_panics_undo_their_own_changes_only() {
    let bench = Bench::new().await;
    let answers = bench
        .run_all(&[
            Then::Succeed,
            Then::Fail,
            Then::Succeed,
            Then::Panic,
            Then::Succeed,
        ])
        .await;
    assert!(matches!(
        answers[..],
        [
            Ok(0),
            Err(WriteError::Failed(_)),
            Ok(2),
            Err(WriteError::Panicked),
            Ok(4)
        ]
    ));
    assert_eq!(bench.written().await, [0, 2, 4]);
}

#[tokio::test]
async fn a_commit_that_fails_is_an_error_for_all_of_its_batch_and_nobody_after() {
    let bench = Bench::new().await;
    let answers = bench
        .run_all(&[Then::Succeed, Then::BreakCommit, Then::Fail])
        .await;
    assert!(matches!(
        answers[..],
        [
            Err(WriteError::Transaction(_)),
            Err(WriteError::Transaction(_)),
            Err(WriteError::Failed(_))
        ]
    ));
    assert!(bench.written().await.is_empty());
    assert!(bench.run(7, Then::Succeed).await.is_ok());
    assert_eq!(bench.written().await, [7]);
}

#[tokio::test]
async fn those_after_a_broken_transaction_get_one_each() {
    let bench = Bench::new().await;
    let answers = bench
        .run_all(&[
            Then::Succeed,
            Then::EndTransaction,
            Then::Succeed,
            Then::BreakCommit,
            Then::Succeed,
        ])
        .await;
    assert!(matches!(
        answers[..],
        [
            Err(WriteError::Transaction(_)),
            Err(WriteError::Transaction(_)),
            Ok(2),
            Err(WriteError::Transaction(_)),
            Ok(4)
        ]
    ));
    assert_eq!(bench.written().await, [2, 4]);
}

#[tokio::test]
async fn closing_finishes_what_waits_and_takes_no_more() {
    let bench = Bench::new().await;
    let thens = [Then::Succeed; 200];
    let all = join_all(
        (0..)
            .zip(thens)
            .map(|(number, then)| bench.run(number, then)),
    );
    let (answers, ()) = tokio::join!(all, bench.writer.close());
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(bench.written().await.len(), 200);
    assert!(matches!(
        bench.run(200, Then::Succeed).await,
        Err(WriteError::Closed)
    ));
}

#[tokio::test]
async fn more_than_the_queue_holds_wait_for_a_place() {
    let bench = Bench::new().await;
    let answers = bench.run_all(&[Then::Succeed; super::WAITING + 100]).await;
    assert!(answers.iter().all(Result::is_ok));
}

#[tokio::test]
async fn who_has_no_haste_is_committed_with_others_or_alone() {
    let bench = Bench::new().await;
    let soon = |number, then| {
        let operation = bench
            .writer
            .run(Haste::Soon, move |c| Box::pin(write(c, number, then)));
        operation.boxed()
    };
    let now = bench.run(3, Then::BreakCommit).boxed();
    let answers = join_all([soon(1, Then::Succeed), soon(2, Then::Fail), now]).await;
    assert!(
        matches!(answers[0], Err(WriteError::Transaction(_))),
        "it shared the commit that broke"
    );
    assert!(matches!(soon(4, Then::Succeed).await, Ok(4)));
    let (left, ()) = tokio::join!(soon(5, Then::Succeed), bench.writer.close());
    assert!(matches!(left, Ok(5)), "closing finishes it");
    assert_eq!(bench.written().await, [4, 5]);
}
