//! The VAPID keys of apps: how many there may be, and what registrations rely on (CONTRACT 16).

use futures_util::future::join_all;
use hato_domain::VapidPublicKey;
use hato_service::ports::{
    AddVapidKeyOutcome, MAX_VAPID_KEYS, NewSubscription, NewVapidKey, RegisterOutcome,
    VapidKeyNumber, VapidKeyOutcome,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::TestStore;

/// 65 bytes of 5, as clients name them.
fn named() -> VapidPublicKey {
    let text = format!("{}BQU", "BQUF".repeat(21));
    VapidPublicKey::parse(&text).expect("65 bytes")
}

#[on_each_database]
async fn no_app_has_more_than_it_may(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    for number in 1..MAX_VAPID_KEYS {
        let mut key = [5; 65];
        key[1] = u8::try_from(number).expect("a byte");
        test.add_vapid_key(&app, key).await;
    }
    let key = NewVapidKey {
        public_key: vec![6; 65],
        sealed_private_key: vec![8; 60],
        is_imported: false,
    };
    let refused = test.store.add_vapid_key(key, test.vapid_act(&app)).await;
    assert_eq!(refused.expect("judged"), AddVapidKeyOutcome::LimitReached);
    test.add_vapid_key(&other, [6; 65]).await;
}

#[on_each_database(flavor = "multi_thread")]
async fn a_key_is_not_deleted_from_under_who_registers_with_it(database: TestDatabase) {
    for round in 0..8 {
        let test = TestStore::new(database.another().await).await;
        let app = test.app().await;
        test.add_vapid_key(&app, [5; 65]).await;
        test.subscribe(&app, 1).await;
        let registrations = (1..8).map(|number| {
            let (store, new) = (test.store.clone(), test.new_subscription(&app, number));
            let new = NewSubscription {
                vapid_public_key: Some(named()),
                ..new
            };
            tokio::spawn(async move { store.register_subscription(new).await })
        });
        let registrations = registrations.collect::<Vec<_>>();
        let key = VapidKeyNumber(1);
        let deleted = test.store.delete_vapid_key(key, test.vapid_act(&app)).await;
        let registered = join_all(registrations).await.into_iter();
        let taken = registered
            .map(|outcome| outcome.expect("no panic").expect("judged"))
            .filter(|outcome| *outcome != RegisterOutcome::UnknownVapidKey)
            .count();
        let keys = test.store.vapid_key_uses(&app).await.expect("listed");
        match deleted.expect("judged") {
            VapidKeyOutcome::Done => assert_eq!((taken, keys.len()), (0, 1), "round {round}"),
            VapidKeyOutcome::InUse => {
                assert_eq!(taken, 7);
                assert_eq!(keys[1].active_subscriptions, 7);
            }
            other => panic!("{other:?}"),
        }
    }
}
