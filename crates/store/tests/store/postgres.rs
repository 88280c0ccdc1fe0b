//! What only PostgreSQL has: a server to be reached, connections to be lost, and others who write at the same time.

mod acceptance_groups;
mod app_turns;
mod bounded_reads;
mod checks;
mod clocks;
mod concurrency;
mod connections;
mod connections_for_reads;
mod later_tables;
mod migrations;
mod opening;
mod outboxes;
mod plans;
mod pooler;
mod rate_windows;
mod reach;
mod settlement_groups;
mod silence;
mod sweep_lease;
mod tls;
mod wake_ups;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hato_service::ports::{RegisterOutcome, Store, StoreError};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};

use crate::test_store::TestStore;

/// What `cargo xtask prepare` knows of every statement.
const OFFLINE_DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/postgres/.sqlx");

/// The store's statements.
fn statements() -> Vec<String> {
    let files = fs::read_dir(OFFLINE_DATA).expect("the folder");
    let statement = |path| {
        let text = fs::read(path).expect("a file");
        let data: Value = serde_json::from_slice(&text).expect("JSON");
        data["query"].as_str().expect("a statement").to_owned()
    };
    files
        .map(|file| statement(file.expect("a file").path()))
        .collect()
}

/// Closes the stores and that of the test, and asserts that none of their transactions has locked another one out. What a session has
/// counted is there for others when it has ended.
async fn assert_no_deadlocks(test: &TestStore, stores: &[Arc<dyn Store>]) {
    for store in stores.iter().chain([&test.store]) {
        store.close().await;
    }
    test.database.execute(
        "DO $$ BEGIN ASSERT (SELECT deadlocks FROM pg_stat_database
                             WHERE datname = current_database()) = 0; END $$",
    );
}

/// Each of these registrations has had its turn, and made a subscription.
async fn assert_all_register(registrations: Vec<JoinHandle<Result<RegisterOutcome, StoreError>>>) {
    for registered in join_all(registrations).await {
        let registered = registered.expect("no panic").expect("its turn came");
        assert!(
            matches!(registered, RegisterOutcome::Created(_)),
            "{registered:?}"
        );
    }
}

/// How many wait for somebody's lock.
const COUNT_WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity
                             WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// A connection of somebody else's to the store's database.
async fn connect(test: &TestStore) -> PgConnection {
    let connection = PgConnection::connect(test.database.url()).await;
    connection.expect("a connection")
}

/// Runs statements on a connection of somebody else's.
async fn execute(connection: &mut PgConnection, statements: &str) {
    let executed = sqlx::raw_sql(AssertSqlSafe(statements)).execute(connection);
    executed.await.expect("executed");
}

/// Returns when so many wait for locks in the database of this connection.
pub async fn until_so_many_wait(connection: &mut PgConnection, count: i64) {
    let wait = format!("SELECT ({COUNT_WAITING}) >= {count}");
    until_true(connection, &wait).await;
}

async fn is_true(connection: &mut PgConnection, query: &str) -> bool {
    let asked = sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection);
    asked.await.expect("asked")
}

/// Returns when the query says so, which it does in time.
async fn until_true(connection: &mut PgConnection, query: &str) {
    let waiting = async {
        let mut looks = interval(Duration::from_millis(10));
        loop {
            looks.tick().await;
            // What a transaction sees of other sessions stays as it was at its first look.
            execute(connection, "SELECT pg_stat_clear_snapshot()").await;
            if is_true(connection, query).await {
                return;
            }
        }
    };
    let waiting = timeout(Duration::from_secs(30), waiting).await;
    waiting.expect("it comes true");
}
