//! Indexes that are built while others use the table (CONTRACT 17).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hato_testkit::TestDatabase;
use sqlx::Executor as _;
use tokio::time::timeout;

use super::{connect, until_so_many_wait};
use crate::test_store::{START, TestStore};

/// A migration that builds an index beside those who use the table, as if it had not been run.
const TAKE_BACK: &str =
    "DROP INDEX subscriptions_by_vapid_key; DELETE FROM _sqlx_migrations WHERE version = 31";

const IS_BUILT: &str = "DO $$ BEGIN
    ASSERT (SELECT indisvalid FROM pg_index
            WHERE indexrelid = 'subscriptions_by_vapid_key'::regclass);
    ASSERT (SELECT success FROM _sqlx_migrations WHERE version = 31);
END $$";

async fn open(database: &TestDatabase) {
    let store = hato_store::open(database.url()).await;
    store.expect("opened").close().await;
}

/// The index is built for as long as somebody looks at the table as it was.
#[tokio::test(flavor = "multi_thread")]
async fn everything_goes_on_while_an_index_is_built() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 20_000).await;
    test.database.execute(TAKE_BACK);
    let mut reader = connect(&test).await;
    let looks =
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM subscriptions LIMIT 1");
    looks.await.expect("read");

    let is_open = AtomicBool::new(false);
    let opening = async {
        tokio::join!(open(&test.database), open(&test.database));
        is_open.store(true, Ordering::Relaxed);
    };
    let working = async {
        until_so_many_wait(&mut connect(&test).await, 1).await;
        test.broadcast(&app, START).await;
        assert_eq!(test.deliver_all(START, 1_000).await.len(), 20_000);
        test.subscribe(&app, 20_001).await;
        test.unsubscribe(&app, 7).await;
        assert!(!is_open.load(Ordering::Relaxed), "it is being built");
        reader.execute("COMMIT").await.expect("done");
    };
    let ((), done) = tokio::join!(opening, timeout(Duration::from_mins(1), working));
    done.expect("nobody waits for the index");
    test.database.execute(IS_BUILT);
}

#[tokio::test]
async fn an_index_that_was_not_completed_is_built_anew() {
    let database = TestDatabase::postgres().await;
    database.execute(
        "CREATE INDEX an_operators ON apps (name);
         UPDATE pg_index SET indisvalid = FALSE
         WHERE indexrelid IN ('subscriptions_by_vapid_key'::regclass, 'an_operators'::regclass);
         DELETE FROM _sqlx_migrations WHERE version = 31",
    );
    open(&database).await;
    database.execute(IS_BUILT);
    // It may be one that somebody is building just now.
    database.execute("DROP INDEX an_operators");
}

/// PostgreSQL completes an index although who asked for it was killed meanwhile.
#[tokio::test]
async fn an_index_that_was_completed_and_not_recorded_is_no_obstacle() {
    let database = TestDatabase::postgres().await;
    database.execute("DELETE FROM _sqlx_migrations WHERE version = 31");
    open(&database).await;
    database.execute(IS_BUILT);
}

#[tokio::test]
async fn a_partitioned_table_gets_its_index_all_the_same() {
    let database = TestDatabase::postgres().await;
    database.execute(TAKE_BACK);
    database.execute(
        "DROP TABLE refusals;
         ALTER TABLE subscriptions RENAME TO whole;
         CREATE TABLE subscriptions (LIKE whole) PARTITION BY HASH (app_id);
         CREATE TABLE subscriptions_0 PARTITION OF subscriptions
             FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
    );
    open(&database).await;
    database.execute(IS_BUILT);
    // As if the process had been killed before it recorded the index.
    database.execute("DELETE FROM _sqlx_migrations WHERE version = 31");
    open(&database).await;
    database.execute(IS_BUILT);
}

/// Who waits for a table for longer than it may is told to come again.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_kept_from_a_table_may_try_again() {
    let settings = hato_store::PostgresSettings {
        lock_timeout: Duration::from_millis(100),
        ..Default::default()
    };
    let test = TestStore::with_settings(TestDatabase::postgres().await, &settings).await;
    let app = test.app().await;
    let mut other = connect(&test).await;
    let locked = other.execute("BEGIN; LOCK TABLE subscriptions IN ACCESS EXCLUSIVE MODE");
    locked.await.expect("locked");
    let subscription = test.new_subscription(&app, 1);
    let refused = test.store.register_subscription(subscription).await;
    let refused = refused.expect_err("the table is locked");
    assert!(refused.is_overload, "{refused}");
}
