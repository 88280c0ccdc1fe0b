//! The lease under which one janitor at a time sweeps.

use std::time::Duration;

use hato_testkit::TestDatabase;

use crate::test_store::{START, TestStore};

const LEASE: Duration = Duration::from_mins(10);

async fn lease(test: &TestStore, holder: i64) -> bool {
    let leased = test.store.lease_sweep(holder, START, LEASE).await;
    leased.expect("asked")
}

/// Moves the end of the lease.
fn move_end(test: &TestStore, by: Duration, sign: char) {
    let millis = by.as_millis();
    let statement = format!("UPDATE sweep_lease SET ends_at = ends_at {sign} {millis}");
    test.database.execute(&statement);
}

#[tokio::test]
async fn it_has_one_holder_until_it_ends() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    assert!(lease(&test, 1).await && !lease(&test, 2).await);
    assert!(lease(&test, 1).await, "renewed");
    test.store.end_sweep(2).await.expect("nothing to end");
    assert!(!lease(&test, 2).await);
    test.store.end_sweep(1).await.expect("ended");
    assert!(lease(&test, 2).await && !lease(&test, 1).await);
    move_end(&test, LEASE, '-');
    assert!(
        lease(&test, 1).await && !lease(&test, 2).await,
        "it was not renewed"
    );
}

#[tokio::test]
async fn one_from_before_the_clock_was_set_back_is_nobodys() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    assert!(lease(&test, 1).await);
    move_end(&test, LEASE / 2, '+');
    assert!(!lease(&test, 2).await);
    move_end(&test, LEASE, '+');
    assert!(lease(&test, 2).await);
}
