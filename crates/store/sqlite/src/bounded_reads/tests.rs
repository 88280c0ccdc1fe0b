//! Reads that would never end, on a real file.

use futures_util::future::join_all;
use hato_domain::AppId;
use hato_service::ports::AppStore as _;
use sqlx::SqliteConnection;
use tempfile::TempDir;

use super::{MAX_CONNECTIONS, is_out_of_time};
use crate::Database;

async fn database() -> (TempDir, Database) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(&folder.path().join("hato.db")).await;
    (folder, database.expect("a new file"))
}

async fn read_forever(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    )
    .fetch_one(connection)
    .await
}

#[tokio::test]
async fn a_read_that_takes_too_long_is_ended_and_the_next_one_has_its_own_time() {
    let (_folder, database) = database().await;
    for _ in 0..2 {
        let mut connection = database.bounded_readers.acquire().await.expect("free");
        let ended = read_forever(&mut connection).await;
        assert!(is_out_of_time(&ended.expect_err("it has no end")));
    }
    let mut connection = database.bounded_readers.acquire().await.expect("free");
    let one = sqlx::query_scalar("SELECT 1").fetch_one(&mut *connection);
    assert_eq!(one.await.ok(), Some(1_i64));
}

#[tokio::test]
async fn others_read_while_every_such_connection_is_taken() {
    let (_folder, database) = database().await;
    let taken = (0..MAX_CONNECTIONS).map(|_| database.bounded_readers.acquire());
    let taken = join_all(taken).await;
    assert!(taken.iter().all(Result::is_ok));
    let app = AppId::trusted("app_1".to_owned());
    assert!(database.app(&app).await.expect("read").is_none());
    let refused = database.bounded_readers.acquire().await;
    assert!(is_out_of_time(&refused.expect_err("none is free")));
}
