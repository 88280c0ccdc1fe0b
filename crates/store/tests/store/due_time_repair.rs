//! Due times after the clock was set back.

use std::time::Duration;

use hato_domain::UnixMillis;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{LEASE, START, TestStore, at};

const LONGEST_WAIT: Duration = Duration::from_hours(1);
const MINUTE: i64 = 60_000;

async fn repair_due_times(test: &TestStore, now: UnixMillis) {
    let repaired = test.store.repair_due_times(now, LEASE, LONGEST_WAIT).await;
    repaired.expect("done");
}

/// A send accepted at `accepted`, to be tried again at `due_at`.
async fn retry_at(test: &TestStore, accepted: UnixMillis, due_at: UnixMillis) {
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    test.broadcast(&app, accepted).await;
    let page = test.claim(accepted, 10).await;
    let settlement = test.retry_of_all(&page, due_at).await;
    test.settle(&page, settlement).await;
}

#[on_each_database]
async fn what_was_accepted_in_the_future_is_due(database: TestDatabase) {
    let test = TestStore::new(database).await;
    retry_at(&test, at(30 * MINUTE), at(31 * MINUTE)).await;
    assert!(test.try_claim(START, 10).await.is_none());
    repair_due_times(&test, START).await;
    assert!(test.try_claim(START, 10).await.is_some());
}

#[on_each_database]
async fn what_is_due_later_than_anything_can_be_is_due(database: TestDatabase) {
    let test = TestStore::new(database).await;
    retry_at(&test, START, at(60 * MINUTE + 1)).await;
    repair_due_times(&test, START).await;
    assert!(test.try_claim(START, 10).await.is_some());
}

#[on_each_database]
async fn an_ordinary_wait_is_left_alone(database: TestDatabase) {
    let test = TestStore::new(database).await;
    retry_at(&test, START, at(60 * MINUTE)).await;
    repair_due_times(&test, START).await;
    assert_eq!(test.next_due(START).await, Some(at(60 * MINUTE)));
}

#[on_each_database]
async fn a_lease_from_the_future_ends_when_a_new_one_would(database: TestDatabase) {
    for future in [MINUTE / 4, 90 * MINUTE] {
        let test = TestStore::new(database.another().await).await;
        let app = test.app().await;
        test.subscribe(&app, 1).await;
        test.broadcast(&app, START).await;
        let page = test.claim(at(future), 10).await;
        repair_due_times(&test, START).await;
        assert_eq!(test.next_due(START).await, Some(START.plus(LEASE)));
        test.deliver(&page).await;
    }
}

#[on_each_database]
async fn a_lease_of_now_is_left_alone(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    test.broadcast(&app, START).await;
    test.claim(at(1_000), 10).await;
    repair_due_times(&test, START).await;
    let end = at(1_000).plus(LEASE);
    assert_eq!(test.next_due(START).await, Some(end));
}
