//! Reads whose cost grows with what a tenant has stored.

use std::time::Duration;

use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;
use sqlx::Executor as _;
use tokio::time::timeout;

use super::connect;
use crate::test_store::{START, TestStore};

/// It is given up by a bound of its own: what other statements may take and wait for would last for an hour.
#[tokio::test(flavor = "multi_thread")]
async fn a_heavy_read_ends_long_before_a_statement_has_to() {
    let hour = Duration::from_hours(1);
    let settings = PostgresSettings {
        statement_timeout: hour,
        lock_timeout: hour,
        ..PostgresSettings::default()
    };
    let test = TestStore::with_settings(TestDatabase::postgres().await, &settings).await;
    let app = test.app().await;
    let send = test.broadcast(&app, START).await;
    let mut other = connect(&test).await;
    let locked = other.execute("BEGIN; LOCK TABLE send_failures IN ACCESS EXCLUSIVE MODE");
    locked.await.expect("locked");
    let reading = test.store.failures_of(&app, &send, 10);
    let read = timeout(Duration::from_mins(1), reading).await;
    let failures = read.expect("it ends").expect("it is no error");
    assert!(failures.is_cut_short && failures.items.is_empty());
}
