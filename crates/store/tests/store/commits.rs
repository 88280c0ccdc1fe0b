//! Many writers at once: everything that was answered is stored, and a failure hurts nobody else.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use hato_domain::{AccountId, SubscriptionId};
use hato_service::ports::{AcceptSendOutcome, Audience};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::test_store::{START, TestStore, at, new_session};

#[on_each_database(flavor = "multi_thread")]
async fn many_concurrent_accepts_are_all_stored_and_survive(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let callers = (0..500).map(|_| {
        let (store, send) = (
            test.store.clone(),
            test.new_send(&app, Audience::Everyone, START),
        );
        tokio::spawn(async move { store.accept_send(send).await })
    });
    for answer in join_all(callers).await {
        let answer = answer.expect("no panic").expect("judged");
        assert_eq!(answer, AcceptSendOutcome::Queued { recipients: 1 });
    }
    let test = test.reopened().await;
    assert_eq!(test.deliver_all(START, 10).await.len(), 500);
}

#[on_each_database]
async fn errors_among_concurrent_writes_undo_their_own_changes_only(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let nobody = AccountId::from_uuid(Uuid::from_u128(u128::MAX));
    let taken = test.new_subscription(&app, 0);
    let clash = taken.id.clone();
    test.store
        .register_subscription(taken)
        .await
        .expect("registered");
    let writes = (1..100_usize).map(|number| {
        let (test, app, nobody, clash) = (&test, &app, &nobody, &clash);
        async move {
            match number % 3 {
                0 => fails_on_a_foreign_key(test, nobody, number).await,
                1 => fails_half_way(test, app, clash, number).await,
                _ => {
                    test.subscribe(app, number).await;
                    true
                }
            }
        }
    });
    assert_eq!(
        join_all(writes)
            .await
            .into_iter()
            .filter(|done| *done)
            .count(),
        33
    );
    assert_eq!(test.record(&app).await.active_subscriptions, 34);
    test.broadcast(&app, START).await;
    assert_eq!(test.deliver_all(START, 7).await.len(), 34);
}

async fn fails_on_a_foreign_key(test: &TestStore, nobody: &AccountId, number: usize) -> bool {
    let token = [u8::try_from(number).expect("small"); 32];
    test.store
        .create_session(new_session(token, nobody.clone(), at(1), None))
        .await
        .is_ok()
}

/// The app's counters are changed before the public id clashes.
async fn fails_half_way(
    test: &TestStore,
    app: &hato_domain::AppId,
    clash: &SubscriptionId,
    number: usize,
) -> bool {
    let mut subscription = test.new_subscription(app, number);
    subscription.id = clash.clone();
    test.store.register_subscription(subscription).await.is_ok()
}

#[on_each_database]
async fn a_transaction_outlives_the_runtime_of_whoever_asked_for_it(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let subscription = test.new_subscription(&app, 1);
    let send = test.new_send(&app, Audience::Everyone, START);
    let store = Arc::clone(&test.store);
    let elsewhere = spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let registering = store.register_subscription(subscription);
            assert!(registering.now_or_never().is_none());
            assert!(store.accept_send(send).now_or_never().is_none());
        });
    });
    elsewhere.await.expect("no panic");
    test.store.close().await;
    let test = test.reopened().await;
    assert_eq!(test.record(&app).await.active_subscriptions, 2);
    assert_eq!(test.history(&app).await.len(), 1);
}

#[on_each_database]
async fn a_caller_that_goes_away_harms_nobody(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    for number in 0..50 {
        let subscription = test.new_subscription(&app, number);
        let registering = test.store.register_subscription(subscription);
        assert!(registering.now_or_never().is_none());
    }
    test.subscribe(&app, 50).await;
    test.store.close().await;
    let test = test.reopened().await;
    assert_eq!(test.record(&app).await.active_subscriptions, 51);
}
