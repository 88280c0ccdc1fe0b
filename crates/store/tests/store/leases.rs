//! Leases: they end by themselves, can be renewed and released, and fence off whoever lost one.

use std::time::Duration;

use hato_service::ports::{RecipientId, SettleOutcome, Settlement};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{LEASE, START, TestStore, at, sent_to};

/// Everybody of a page with one recipient was reached.
fn one_sent() -> Settlement {
    Settlement {
        sent: sent_to(&[RecipientId(1)]),
        ..Settlement::default()
    }
}

#[on_each_database]
async fn an_ended_lease_is_claimed_again_and_the_old_token_settles_nothing(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let send = test.broadcast(&app, START).await;
    let old = test.claim(START, 2).await;
    test.deliver(&test.claim(START, 2).await).await;
    let end = START.plus(LEASE);
    assert_eq!(
        test.next_due(end.minus(Duration::from_millis(1))).await,
        Some(end)
    );
    let new = test.claim(end, 2).await;
    assert_eq!((&new.range, new.lease.job), (&old.range, old.lease.job));
    assert_ne!(new.lease.token, old.lease.token);
    assert_eq!(
        test.settle(&old, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(test.send(&app, &send).await.counts.sent, 1);
    assert_eq!(test.deliver(&new).await.len(), 2);
    assert_eq!(test.send(&app, &send).await.counts.sent, 3);
}

#[on_each_database]
async fn a_page_is_settled_once(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 10).await;
    assert_eq!(
        test.settle(&page, one_sent()).await,
        SettleOutcome::Recorded
    );
    assert_eq!(
        test.settle(&page, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(test.send(&app, &send).await.counts.sent, 1);
}

#[on_each_database]
async fn a_lease_never_fits_a_later_job(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, START).await;
    let first = test.claim(START, 10).await;
    test.deliver(&first).await;
    test.broadcast(&app, START).await;
    let second = test.claim(START, 10).await;
    assert_eq!(
        test.settle(&first, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(
        test.settle(&second, one_sent()).await,
        SettleOutcome::Recorded
    );
}

#[on_each_database]
async fn a_renewed_lease_is_not_due_and_a_lost_one_is_not_renewed(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    test.broadcast(&app, START).await;
    let (held, lost) = (test.claim(START, 1).await, test.claim(START, 1).await);
    let end = START.plus(LEASE);
    let renewed = test.store.renew_lease(held.lease, end, LEASE).await;
    assert!(renewed.expect("asked"));
    let again = test.claim(end, 1).await;
    assert_eq!(again.lease.job, lost.lease.job);
    let renewed = test.store.renew_lease(lost.lease, START, LEASE).await;
    assert!(!renewed.expect("asked"), "another claim has it");
    assert_eq!(test.next_due(end).await, Some(end.plus(LEASE)));
    assert_eq!(
        test.settle(&held, one_sent()).await,
        SettleOutcome::Recorded
    );
    let renewed = test.store.renew_lease(held.lease, end, LEASE).await;
    assert!(!renewed.expect("asked"), "it is settled");
}

#[on_each_database]
async fn a_released_page_is_due_when_it_says_and_the_lease_is_over(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 10).await;
    test.store
        .release(page.lease, at(7), Duration::ZERO)
        .await
        .expect("released");
    test.store
        .release(page.lease, at(1), Duration::ZERO)
        .await
        .expect("nothing to do");
    assert_eq!(
        test.settle(&page, one_sent()).await,
        SettleOutcome::LeaseLost
    );
    assert_eq!(test.next_due(at(6)).await, Some(at(7)));
    assert_eq!(test.deliver(&test.claim(at(7), 10).await).await.len(), 1);
    assert_eq!(test.send(&app, &send).await.counts.sent, 1);
}
