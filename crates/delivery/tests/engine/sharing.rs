//! Many senders, one engine: none waits for another's troubles.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::PushOptions;
use hato_testkit::push_service::{Answer, PushService};

use crate::world::World;

/// While the first app's subscribers hang at their push service, another app's send goes through.
async fn another_apps_send_goes_through(world: World, subscribers: usize, hanging: u64) {
    let other_service = PushService::start().await;
    let mut world = world;
    world.settings.outbound_ca = Some(world.service.ca_pem() + &other_service.ca_pem());
    world.settings.answer_timeout = Duration::from_hours(1);
    world.service.answer_by_default(Answer::Hang);
    world.subscribe(subscribers).await;
    let other = world.other_app().await;
    world.subscribe_at(&other_service, &other, 1).await;
    world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world
        .service
        .wait_until(|seen| seen.total.requests >= hanging)
        .await;
    world.send_of(&other, PushOptions::default()).await;
    world.wake.ring();
    other_service
        .wait_until(|seen| seen.total.created == 1)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
}

#[tokio::test]
async fn pages_that_only_wait_step_aside() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 1;
    world.settings.page_size = 40;
    world.settings.page_patience = Duration::from_millis(20);
    another_apps_send_goes_through(world, 200, 120).await;
}

#[tokio::test]
async fn a_small_page_steps_aside_as_soon_as_it_only_waits() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 1;
    world.settings.page_patience = Duration::from_hours(1);
    another_apps_send_goes_through(world, 1, 1).await;
}

#[tokio::test]
async fn an_app_that_has_its_share_is_passed_over() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 4;
    world.settings.page_size = 10;
    world.settings.recipients_aside = 0;
    another_apps_send_goes_through(world, 100, 30).await;
}
