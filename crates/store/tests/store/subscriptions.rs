//! Subscriptions: one record per app and endpoint.

use futures_util::future::join_all;
use hato_domain::{AppId, Plan, Platform};
use hato_service::ports::RegisterOutcome::{
    self, Created, LimitReached, NoApp, Reactivated, Updated,
};
use hato_service::ports::{DeactivationReason, NewSubscription, SubscriptionFilter};
use hato_testkit::{TestDatabase, on_each_database};
use uuid::Uuid;

use crate::test_store::{START, TestStore, endpoint, keys, page};

/// A registration of one endpoint in the place of another.
fn replacing(test: &TestStore, app: &AppId, number: usize, replaced: usize) -> NewSubscription {
    NewSubscription {
        replaces: Some(endpoint(replaced)),
        ..test.new_subscription(app, number)
    }
}

async fn within_limit(test: &TestStore, app: &AppId, number: usize) -> RegisterOutcome {
    let new = test.new_subscription(app, number);
    let registered = test.store.register_within_limit(new).await;
    registered.expect("judged")
}

/// An app of a Free account with so many active subscriptions, numbered from 0.
async fn free_app(test: &TestStore, active: usize) -> AppId {
    let app = test.app_of(&test.account(Plan::Free).await).await;
    test.subscribe_all(&app, active).await;
    app
}

#[on_each_database]
async fn a_known_endpoint_is_updated_and_keeps_its_id(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let first = test.new_subscription(&app, 0);
    let mut again = test.new_subscription(&app, 0);
    again.keys = keys(2);
    let id = first.id.clone();
    let register = |new| test.store.register_subscription(new);
    assert_eq!(
        register(first).await.expect("registered"),
        Created(id.clone())
    );
    assert_eq!(register(again).await.expect("registered"), Updated(id));
    assert_eq!(test.record(&app).await.active_subscriptions, 1);
    test.broadcast(&app, START).await;
    let recipients = test.recipients(&test.claim(START, 10).await).await;
    assert_eq!(recipients.len(), 1);
    assert!(recipients[0].endpoint == endpoint(0) && recipients[0].keys == keys(2));
}

#[on_each_database(flavor = "multi_thread")]
async fn of_equal_new_ones_that_take_the_last_place_all_but_one_are_updates(
    database: TestDatabase,
) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    for number in 1..=10 {
        let register = || {
            let mut new = test.new_subscription(&app, number);
            new.max_active = i64::try_from(number).ok();
            test.store.register_subscription(new)
        };
        let outcomes = join_all((0..8).map(|_| register())).await.into_iter();
        let outcomes: Vec<_> = outcomes.map(|it| it.expect("judged")).collect();
        let created: Vec<_> = outcomes
            .iter()
            .filter_map(|it| match it {
                Created(id) => Some(id.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(created.len(), 1, "{outcomes:?}");
        let updated = Updated(created[0].clone());
        let others = outcomes.iter().filter(|it| **it == updated);
        assert_eq!(others.count(), 7, "{outcomes:?}");
    }
}

#[on_each_database]
async fn two_apps_may_hold_the_same_endpoint(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (one, other) = (test.app().await, test.app().await);
    for app in [&one, &other] {
        test.subscribe(app, 0).await;
    }
    test.unsubscribe(&one, 0).await;
    assert_eq!(test.record(&one).await.active_subscriptions, 0);
    assert_eq!(test.record(&other).await.active_subscriptions, 1);
}

#[on_each_database]
async fn an_app_that_is_gone_takes_no_subscription(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    let mut new = test.new_subscription(&app, 0);
    new.platform = Some(Platform::parse("web").expect("a label"));
    assert_eq!(
        test.store.register_subscription(new).await.expect("judged"),
        NoApp
    );
    assert_eq!(within_limit(&test, &app, 0).await, NoApp);
}

#[on_each_database(flavor = "multi_thread")]
async fn one_endpoint_registered_by_sixteen_at_once_is_one_record(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let callers = (0..16).map(|_| {
        let (store, new) = (test.store.clone(), test.new_subscription(&app, 0));
        tokio::spawn(async move { store.register_subscription(new).await })
    });
    let answers: Vec<_> = join_all(callers)
        .await
        .into_iter()
        .map(|answer| answer.expect("no panic").expect("registered"))
        .collect();
    let made: Vec<_> = answers
        .iter()
        .filter_map(|answer| {
            if let Created(id) = answer {
                Some(id)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(made.len(), 1);
    let same = |answer: &_| matches!(answer, Created(id) | Updated(id) if id == made[0]);
    assert!(answers.iter().all(same));
    assert_eq!(test.record(&app).await.active_subscriptions, 1);
}

#[on_each_database]
async fn unsubscribing_is_idempotent_and_coming_back_keeps_the_id(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let first = test.new_subscription(&app, 0);
    let id = first.id.clone();
    test.store
        .register_subscription(first)
        .await
        .expect("registered");
    for _ in 0..2 {
        test.unsubscribe(&app, 0).await;
        test.unsubscribe(&app, 99).await;
        assert_eq!(test.record(&app).await.active_subscriptions, 0);
    }
    let back = test
        .store
        .register_subscription(test.new_subscription(&app, 0))
        .await;
    assert_eq!(back.expect("registered"), Reactivated(id));
    assert_eq!(test.record(&app).await.active_subscriptions, 1);
}

#[on_each_database]
async fn at_the_limit_only_known_endpoints_are_taken(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = free_app(&test, 1_000).await;
    assert_eq!(within_limit(&test, &app, 1_000).await, LimitReached);
    assert!(matches!(within_limit(&test, &app, 7).await, Updated(_)));
    test.unsubscribe(&app, 7).await;
    assert!(matches!(within_limit(&test, &app, 1_000).await, Created(_)));
    assert_eq!(within_limit(&test, &app, 1_001).await, LimitReached);
    assert!(matches!(within_limit(&test, &app, 7).await, Reactivated(_)));
    assert_eq!(test.record(&app).await.active_subscriptions, 1_001);
    test.subscribe(&app, 1_001).await;
    assert_eq!(test.record(&app).await.active_subscriptions, 1_002);
}

#[on_each_database(flavor = "multi_thread")]
async fn sixteen_at_once_fill_the_limit_exactly(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = free_app(&test, 991).await;
    let callers = (0..16).map(|number| {
        let (store, new) = (
            test.store.clone(),
            test.new_subscription(&app, 5_000 + number),
        );
        tokio::spawn(async move { store.register_within_limit(new).await })
    });
    let answers = join_all(callers).await.into_iter();
    let made = answers
        .filter(|answer| matches!(answer, Ok(Ok(Created(_)))))
        .count();
    assert_eq!(made, 9);
    assert_eq!(test.record(&app).await.active_subscriptions, 1_000);
}

#[on_each_database]
async fn the_operators_limit_holds_on_every_plan_and_for_who_returns(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let register = async |number| {
        let mut new = test.new_subscription(&app, number);
        new.max_active = Some(2);
        test.store.register_subscription(new).await.expect("judged")
    };
    assert!(matches!(register(0).await, Created(_)));
    assert!(matches!(register(1).await, Created(_)));
    assert_eq!(register(2).await, LimitReached);
    assert!(matches!(register(1).await, Updated(_)));
    test.unsubscribe(&app, 0).await;
    assert!(matches!(register(2).await, Created(_)));
    assert_eq!(register(0).await, LimitReached);
    test.unsubscribe(&app, 1).await;
    assert!(matches!(register(0).await, Reactivated(_)));
    let mut within_both = test.new_subscription(&app, 3);
    within_both.max_active = Some(2);
    let refused = test.store.register_within_limit(within_both).await;
    assert_eq!(refused.expect("judged"), LimitReached);
    assert_eq!(test.record(&app).await.active_subscriptions, 2);
}

#[on_each_database]
async fn the_operators_limit_takes_what_replaces_an_active_one(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    test.unsubscribe(&app, 2).await;
    let register = async |number, replaced| {
        let mut new = replacing(&test, &app, number, replaced);
        new.max_active = Some(2);
        test.store.register_subscription(new).await.expect("judged")
    };
    // Nothing active leaves for these.
    assert_eq!(register(3, 2).await, LimitReached);
    assert_eq!(register(3, 4).await, LimitReached);
    assert_eq!(register(2, 2).await, LimitReached);
    assert!(matches!(register(3, 0).await, Created(_)));
    assert!(matches!(register(2, 1).await, Reactivated(_)));
    assert_eq!(test.record(&app).await.active_subscriptions, 2);
}

#[on_each_database]
async fn an_endpoint_is_known_to_its_app_whether_active_or_not(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    test.subscribe_all(&app, 2).await;
    test.unsubscribe(&app, 1).await;
    let knows = async |app, number| {
        let known = test.store.knows_endpoint(app, &endpoint(number)).await;
        known.expect("read")
    };
    assert!(knows(&app, 0).await && knows(&app, 1).await);
    assert!(!knows(&app, 2).await && !knows(&other, 0).await);
}

#[on_each_database]
async fn pro_has_no_such_limit(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 1_000).await;
    assert!(matches!(within_limit(&test, &app, 1_000).await, Created(_)));
}

/// Why the app's endpoints are not active, in the order of their registration.
async fn reasons(test: &TestStore, app: &AppId) -> Vec<Option<DeactivationReason>> {
    let everything = SubscriptionFilter::default();
    let newest = page(100, None);
    let list = test.store.subscriptions_of(app, &everything, &newest);
    let items = list.await.expect("listed").items;
    let reason = items
        .iter()
        .rev()
        .map(|it| it.deactivated.map(|it| it.reason));
    reason.collect()
}

#[on_each_database]
async fn a_new_endpoint_takes_the_place_of_another_of_the_same_app(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    for app in [&app, &other] {
        test.subscribe(app, 0).await;
    }
    let replaced = Some(DeactivationReason::Replaced);
    // The second time, the new endpoint is active and the old one deactivated.
    for _ in 0..2 {
        let new = replacing(&test, &app, 1, 0);
        let registered = test.store.register_subscription(new).await;
        registered.expect("registered");
        assert_eq!(reasons(&test, &app).await, [replaced, None]);
        assert_eq!(test.record(&app).await.active_subscriptions, 1);
    }
    assert_eq!(reasons(&test, &other).await, [None]);
    test.broadcast(&app, START).await;
    assert_eq!(test.deliver_all(START, 10).await.len(), 1);
}

#[on_each_database]
async fn an_endpoint_that_replaces_itself_or_a_stranger_stays(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    for replaced in [0, 99] {
        let new = replacing(&test, &app, 0, replaced);
        let registered = test.store.register_subscription(new).await;
        registered.expect("registered");
        assert_eq!(reasons(&test, &app).await, [None], "{replaced}");
    }
    assert_eq!(test.record(&app).await.active_subscriptions, 1);
}

#[on_each_database]
async fn at_the_limit_an_endpoint_is_replaced_and_not_lost(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = free_app(&test, 1_000).await;
    let within_limit = async |number: usize, replaced: usize| {
        let new = replacing(&test, &app, number, replaced);
        let registered = test.store.register_within_limit(new).await;
        registered.expect("judged")
    };
    assert_eq!(within_limit(1_000, 9_999).await, LimitReached);
    assert!(matches!(within_limit(1_000, 7).await, Created(_)));
    assert_eq!(within_limit(1_001, 7).await, LimitReached);
    assert_eq!(test.record(&app).await.active_subscriptions, 1_000);
}
