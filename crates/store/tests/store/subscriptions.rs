//! Subscriptions: one record per app and endpoint.

use futures_util::future::join_all;
use hato_domain::{AppId, Plan, Platform};
use hato_service::ports::RegisterOutcome::{
    self, Created, LimitReached, NoApp, Reactivated, Updated,
};
use uuid::Uuid;

use crate::world::{START, World, endpoint, keys};

async fn within_limit(world: &World, app: &AppId, number: usize) -> RegisterOutcome {
    let new = world.new_subscription(app, number);
    let registered = world.store.register_within_limit(new).await;
    registered.expect("judged")
}

/// An app of a Free account with so many active subscriptions, numbered from 0.
async fn free_app(world: &World, active: usize) -> AppId {
    let app = world.app_of(&world.account(Plan::Free).await).await;
    world.subscribe_all(&app, active).await;
    app
}

#[tokio::test]
async fn a_known_endpoint_is_updated_and_keeps_its_id() {
    let world = World::new().await;
    let app = world.app().await;
    let first = world.new_subscription(&app, 0);
    let mut again = world.new_subscription(&app, 0);
    again.keys = keys(2);
    let id = first.id.clone();
    let register = |new| world.store.register_subscription(new);
    assert_eq!(
        register(first).await.expect("registered"),
        Created(id.clone())
    );
    assert_eq!(register(again).await.expect("registered"), Updated(id));
    assert_eq!(world.record(&app).await.active_subscriptions, 1);
    world.broadcast(&app, START).await;
    let recipients = world.recipients(&world.claim(START, 10).await).await;
    assert_eq!(recipients.len(), 1);
    assert!(recipients[0].endpoint == endpoint(0) && recipients[0].keys == keys(2));
}

#[tokio::test]
async fn two_apps_may_hold_the_same_endpoint() {
    let world = World::new().await;
    let (one, other) = (world.app().await, world.app().await);
    for app in [&one, &other] {
        world.subscribe(app, 0).await;
    }
    world.unsubscribe(&one, 0).await;
    assert_eq!(world.record(&one).await.active_subscriptions, 0);
    assert_eq!(world.record(&other).await.active_subscriptions, 1);
}

#[tokio::test]
async fn an_app_that_is_gone_takes_no_subscription() {
    let world = World::new().await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    let mut new = world.new_subscription(&app, 0);
    new.platform = Some(Platform::parse("web").expect("a label"));
    assert_eq!(
        world
            .store
            .register_subscription(new)
            .await
            .expect("judged"),
        NoApp
    );
    assert_eq!(within_limit(&world, &app, 0).await, NoApp);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_endpoint_registered_by_sixteen_at_once_is_one_record() {
    let world = World::new().await;
    let app = world.app().await;
    let callers = (0..16).map(|_| {
        let (store, new) = (world.store.clone(), world.new_subscription(&app, 0));
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
    assert_eq!(world.record(&app).await.active_subscriptions, 1);
}

#[tokio::test]
async fn unsubscribing_is_idempotent_and_coming_back_keeps_the_id() {
    let world = World::new().await;
    let app = world.app().await;
    let first = world.new_subscription(&app, 0);
    let id = first.id.clone();
    world
        .store
        .register_subscription(first)
        .await
        .expect("registered");
    for _ in 0..2 {
        world.unsubscribe(&app, 0).await;
        world.unsubscribe(&app, 99).await;
        assert_eq!(world.record(&app).await.active_subscriptions, 0);
    }
    let back = world
        .store
        .register_subscription(world.new_subscription(&app, 0))
        .await;
    assert_eq!(back.expect("registered"), Reactivated(id));
    assert_eq!(world.record(&app).await.active_subscriptions, 1);
}

#[tokio::test]
async fn at_the_limit_only_known_endpoints_are_taken() {
    let world = World::new().await;
    let app = free_app(&world, 1_000).await;
    assert_eq!(within_limit(&world, &app, 1_000).await, LimitReached);
    assert!(matches!(within_limit(&world, &app, 7).await, Updated(_)));
    world.unsubscribe(&app, 7).await;
    assert!(matches!(
        within_limit(&world, &app, 1_000).await,
        Created(_)
    ));
    assert_eq!(within_limit(&world, &app, 1_001).await, LimitReached);
    assert!(matches!(
        within_limit(&world, &app, 7).await,
        Reactivated(_)
    ));
    assert_eq!(world.record(&app).await.active_subscriptions, 1_001);
    world.subscribe(&app, 1_001).await;
    assert_eq!(world.record(&app).await.active_subscriptions, 1_002);
}

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_at_once_fill_the_limit_exactly() {
    let world = World::new().await;
    let app = free_app(&world, 991).await;
    let callers = (0..16).map(|number| {
        let (store, new) = (
            world.store.clone(),
            world.new_subscription(&app, 5_000 + number),
        );
        tokio::spawn(async move { store.register_within_limit(new).await })
    });
    let answers = join_all(callers).await.into_iter();
    let made = answers
        .filter(|answer| matches!(answer, Ok(Ok(Created(_)))))
        .count();
    assert_eq!(made, 9);
    assert_eq!(world.record(&app).await.active_subscriptions, 1_000);
}

#[tokio::test]
async fn pro_has_no_such_limit() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 1_000).await;
    assert!(matches!(
        within_limit(&world, &app, 1_000).await,
        Created(_)
    ));
}
