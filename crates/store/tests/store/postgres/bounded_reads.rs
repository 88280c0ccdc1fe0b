//! Reads whose cost grows with what a tenant has stored.

use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::AudienceFilter;
use hato_service::ports::Audience;
use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;
use sqlx::{Executor as _, PgConnection};
use tokio::time::{sleep, timeout};

use super::{COUNT_WAITING, connect, is_true, until_so_many_wait};
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

/// Makes the call of this number until a client would have hung up. The first two find a place, and wait for a lock in the database; no
/// more than two ever do.
async fn abandon<T>(number: i64, call: impl Future<Output = T>, other: &mut PgConnection) {
    let hanging_up = async {
        if number < 2 {
            until_so_many_wait(other, number + 1).await;
        } else {
            sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::select! {
        _ = call => panic!("it waits for the table"),
        () = hanging_up => {}
    }
    let more_wait = format!("SELECT ({COUNT_WAITING}) > 2");
    assert!(!is_true(other, &more_wait).await);
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
    for number in 0..5 {
        let reading = test.store.failures_of(app, &send, 10);
        abandon(number, reading, &mut other).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn selections_that_nobody_waits_for_any_more_keep_their_places() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let mut other = connect(&test).await;
    let apps = join_all((0..5).map(|_| test.app())).await;
    let locked = other.execute("BEGIN; LOCK TABLE subscriptions IN ACCESS EXCLUSIVE MODE");
    locked.await.expect("locked");
    for (number, app) in (0..).zip(&apps) {
        let filter = AudienceFilter::parse(None, Some("!plan:pro")).expect("a condition");
        let send = test.new_send(app, Audience::Matching(filter), START);
        abandon(number, test.store.accept_send(send), &mut other).await;
    }
}
