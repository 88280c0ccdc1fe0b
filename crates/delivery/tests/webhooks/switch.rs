//! When events are posted at all: with a URL, on the plan that takes, and until the receiver is gone or fails for days.

use std::time::Duration;

use hato_domain::{DisabledReason, Plan};
use hato_service::ports::{Clock as _, Settled, Settlement, WebhookEnabled, WebhookSet};
use hato_testkit::webhook_receiver::Reaction;

use crate::world::{DAY, World, reached};

/// Settles a send to one subscriber; whether events tell of it.
async fn settle(world: &World) -> bool {
    world.send(&world.app).await;
    let (page, recipients) = world.claim().await;
    let settlement = Settlement {
        sent: reached(&recipients),
        ..Settlement::default()
    };
    match world.settle(&page, settlement).await {
        Settled::Announced { results } => results.is_some(),
        Settled::Recorded => false,
        Settled::LeaseLost => panic!("the lease was held"),
    }
}

async fn enable(world: &World) -> WebhookEnabled {
    let enabled = world.store.enable_webhook(&world.app).await;
    enabled.expect("stored")
}

#[tokio::test]
async fn a_410_switches_it_off_until_it_is_switched_on() {
    let world = World::new().await;
    world.subscribe(&world.app, 1).await;
    world.receiver.script([Reaction::Status(410)]);
    settle(&world).await;
    world.post().await;
    assert_eq!(world.webhook().await.disabled, Some(DisabledReason::Gone));
    let seen = world.receiver.seen().len();
    assert!(!settle(&world).await, "no event is written");
    world.turn_clock(DAY);
    world.post().await;
    assert_eq!(world.receiver.seen().len(), seen, "nothing is posted");

    assert_eq!(enable(&world).await, WebhookEnabled::Done);
    assert_eq!(world.webhook().await.disabled, None);
    assert!(settle(&world).await);
    world.post().await;
    assert_eq!(world.receiver.seen().len(), seen + 2);
}

#[tokio::test]
async fn what_waits_at_a_410_is_dropped() {
    let world = World::new().await;
    let widening = vec![Reaction::Status(200); 20];
    world.receiver.script(widening);
    world.receiver.react(Reaction::Status(410));
    for _ in 0..100 {
        world.announce().await;
    }
    world.post().await;
    let seen = world.receiver.seen().len();
    assert!(seen < 100, "{seen} were posted");
    assert_eq!(enable(&world).await, WebhookEnabled::Done);
    world.turn_clock(DAY);
    world.post().await;
    assert_eq!(world.receiver.seen().len(), seen, "the others are dropped");
}

#[tokio::test]
async fn five_days_without_success_switch_it_off() {
    let world = World::new().await;
    let short_of_five_days = Duration::from_secs(5 * 24 * 3_600 - 1);
    world.receiver.react(Reaction::Status(500));
    world.announce().await;
    world.post().await;
    world.turn_clock(short_of_five_days);
    world.receiver.script([Reaction::Status(200)]);
    world.announce().await;
    world.post().await;
    assert_eq!(world.webhook().await.disabled, None, "something succeeded");
    world.announce().await;
    world.post().await;
    world.turn_clock(short_of_five_days);
    world.announce().await;
    world.post().await;
    assert_eq!(world.webhook().await.disabled, None);
    world.turn_clock(Duration::from_secs(1));
    world.announce().await;
    world.post().await;
    assert_eq!(
        world.webhook().await.disabled,
        Some(DisabledReason::Failing)
    );
}

#[tokio::test]
async fn another_url_starts_afresh_and_the_same_does_not() {
    let world = World::new().await;
    world.receiver.script([Reaction::Status(410)]);
    world.announce().await;
    world.post().await;
    world.point(&world.app, world.receiver.url()).await;
    assert_eq!(world.webhook().await.disabled, Some(DisabledReason::Gone));
    let other = format!("{}&v=2", world.receiver.url());
    world.point(&world.app, &other).await;
    assert_eq!(world.webhook().await.disabled, None);
}

#[tokio::test]
async fn a_downgrade_stops_events_and_keeps_the_url() {
    let world = World::new().await;
    world.subscribe(&world.app, 1).await;
    world.receiver.script([Reaction::Status(500)]);
    settle(&world).await;
    world.post().await;
    let seen = world.receiver.seen().len();
    world.set_plan(Plan::Free).await;
    assert!(!settle(&world).await);
    world.turn_clock(DAY);
    world.post().await;
    assert_eq!(world.receiver.seen().len(), seen);
    let webhook = world.webhook().await;
    assert_eq!(webhook.url, world.receiver.url());
    assert_eq!(webhook.disabled, Some(DisabledReason::PlanRequired));
    assert_eq!(enable(&world).await, WebhookEnabled::PlanRequired);

    world.set_plan(Plan::Pro).await;
    assert!(settle(&world).await);
    world.post().await;
    assert_eq!(world.receiver.seen().len(), seen + 2);
}

#[tokio::test]
async fn without_a_url_nothing_is_written_and_what_waits_is_dropped() {
    let world = World::new().await;
    world.subscribe(&world.app, 1).await;
    settle(&world).await;
    let cleared = world.store.set_webhook(&world.app, None).await;
    assert_eq!(cleared.expect("stored"), WebhookSet::Done);
    assert!(!settle(&world).await);
    assert_eq!(enable(&world).await, WebhookEnabled::NoWebhook);
    let webhook = world.store.webhook(&world.app, world.clock.now()).await;
    assert!(webhook.expect("read").is_none());
    world.post().await;
    world.point(&world.app, world.receiver.url()).await;
    world.post().await;
    assert!(world.receiver.seen().is_empty());
}

#[tokio::test]
async fn a_deleted_app_posts_no_more() {
    let world = World::new().await;
    world.announce().await;
    world.receiver.script([Reaction::Status(500)]);
    world.post().await;
    let now = world.clock.now();
    assert!(
        world
            .store
            .delete_app(&world.app, now)
            .await
            .expect("stored")
    );
    while world.store.purge_deleted_apps(1).await.expect("stored") {}
    world.turn_clock(DAY);
    world.post().await;
    assert_eq!(world.receiver.seen().len(), 1);
}
