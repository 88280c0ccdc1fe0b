//! Subscriptions: one record per app and endpoint.

use futures_util::future::join_all;
use hato_domain::{AppId, Platform};
use hato_service::ports::RegisteredSubscription::{Created, NoApp, Updated};
use uuid::Uuid;

use crate::world::{START, World, endpoint, keys};

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
    assert_eq!(back.expect("registered"), Updated(id));
    assert_eq!(world.record(&app).await.active_subscriptions, 1);
}
