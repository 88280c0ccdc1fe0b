//! Reads whose cost grows with what a tenant has stored.

use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::AudienceFilter;
use hato_service::ports::Audience;
use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;
use sqlx::{Executor as _, PgConnection};
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

/// Calls until a client would have hung up.
async fn abandon<T>(call: impl Future<Output = T>) {
    let ended = timeout(Duration::from_millis(100), call).await;
    assert!(ended.is_err(), "it waits for the table");
}

async fn count_waiting(connection: &mut PgConnection) -> i64 {
    let waiting = sqlx::query_scalar(
        "SELECT COUNT(*) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    waiting.fetch_one(connection).await.expect("asked")
}

/// PostgreSQL goes on with what nobody waits for any more, on connections that others need.
#[tokio::test(flavor = "multi_thread")]
async fn reads_that_nobody_waits_for_any_more_keep_their_places() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    // All at once, so that connections are open already.
    let apps = join_all((0..5).map(|_| test.app())).await;
    let app = &apps[0];
    let send = test.broadcast(app, START).await;
    let mut other = connect(&test).await;
    let locked = other.execute("BEGIN; LOCK TABLE send_failures IN ACCESS EXCLUSIVE MODE");
    locked.await.expect("locked");
    for _ in &apps {
        abandon(test.store.failures_of(app, &send, 10)).await;
        assert!(count_waiting(&mut other).await <= 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn selections_that_nobody_waits_for_any_more_keep_their_places() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let mut other = connect(&test).await;
    let apps = join_all((0..5).map(|_| test.app())).await;
    let locked = other.execute("BEGIN; LOCK TABLE subscriptions IN ACCESS EXCLUSIVE MODE");
    locked.await.expect("locked");
    for app in &apps {
        let filter = AudienceFilter::parse(None, Some("!plan:pro")).expect("a condition");
        let send = test.new_send(app, Audience::Matching(filter), START);
        abandon(test.store.accept_send(send)).await;
        assert!(count_waiting(&mut other).await <= 2);
    }
}
