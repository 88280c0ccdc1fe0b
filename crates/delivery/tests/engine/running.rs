//! The engine's loop: woken, stopped, interrupted, and never losing what it knows.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_service::ports::{Clock as _, SendStatus};
use hato_testkit::push_service::Answer;

use crate::world::World;

#[tokio::test]
async fn a_ring_starts_a_delivery_and_a_drain_ends_the_loop() {
    let mut world = World::new().await;
    world.settings.poll_interval = Duration::from_hours(1);
    world.settings.page_size = 10;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world.subscribe(95).await;
    let send = world.send().await;
    world.wake.ring();
    world.queue.wait_until(|ledger| ledger.sent() == 95).await;
    shutdown.drain();
    running.await.expect("no panic");
    assert_eq!(world.queue.ledger().settlements.len(), 10);
    let record = world.record(&world.app, &send).await;
    assert_eq!(record.status, SendStatus::Done);
}

#[tokio::test]
async fn draining_finishes_what_is_in_flight_and_claims_no_more() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 1;
    world.settings.page_size = 2;
    world.settings.recipients_aside = 0;
    let subscriptions = world.subscribe(4).await;
    world.service.script(&subscriptions[0], [Answer::Hang]);
    world.settings.answer_timeout = Duration::from_secs(2);
    let send = world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world
        .service
        .wait_until(|seen| seen.total.requests == 2)
        .await;
    shutdown.drain();
    running.await.expect("no panic");
    {
        let ledger = world.queue.ledger();
        assert_eq!((ledger.claims, ledger.sent()), (1, 1));
        assert_eq!(ledger.retries(), [(1, world.after(5), 1)]);
    }
    world.turn_clock(Duration::from_secs(5));
    world.run_until_idle().await;
    assert_eq!(world.record(&world.app, &send).await.counts.sent, 4);
}

#[tokio::test]
async fn aborting_settles_what_is_known_and_gives_back_the_rest() {
    let world = World::new().await;
    let subscriptions = world.subscribe(3).await;
    world.service.script(&subscriptions[1], [Answer::Hang]);
    let send = world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world
        .service
        .wait_until(|seen| seen.total.requests == 3)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
    let known = world.record(&world.app, &send).await.counts.sent;
    assert!(known <= 2);
    world.run_until_idle().await;
    let record = world.record(&world.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 3));
}

#[tokio::test]
async fn aborting_before_anything_is_known_gives_back_the_page() {
    let world = World::new().await;
    world.service.answer_by_default(Answer::Hang);
    world.subscribe(3).await;
    world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world
        .service
        .wait_until(|seen| seen.total.requests == 3)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
    let ledger = world.queue.ledger();
    assert!(ledger.settlements.is_empty());
    assert_eq!(ledger.releases, [world.clock.now()]);
}

#[tokio::test]
async fn a_lease_is_renewed_while_its_page_is_in_flight() {
    let mut world = World::new().await;
    world.settings.lease = Duration::from_millis(30);
    world.service.answer_by_default(Answer::Hang);
    world.subscribe(1).await;
    world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world.queue.wait_until(|ledger| ledger.renewals >= 5).await;
    shutdown.abort();
    running.await.expect("no panic");
    assert_eq!(world.queue.ledger().claims, 1);
}

#[tokio::test]
async fn a_page_in_work_that_is_due_again_goes_on_under_its_new_lease() {
    let mut world = World::new().await;
    world.settings.answer_timeout = Duration::from_secs(2);
    let subscriptions = world.subscribe(3).await;
    world.service.script(&subscriptions[1], [Answer::Hang]);
    world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world
        .service
        .wait_until(|seen| seen.total.requests == 3)
        .await;
    world.turn_clock(world.settings.lease * 2);
    world.wake.ring();
    world
        .queue
        .wait_until(|ledger| !ledger.settlements.is_empty())
        .await;
    shutdown.drain();
    running.await.expect("no panic");
    {
        let ledger = world.queue.ledger();
        assert_eq!((ledger.claims, ledger.sent()), (2, 2));
        assert_eq!(ledger.retries().len(), 1);
    }
    assert_eq!(world.service.seen(|seen| seen.total.requests), 3);
}

#[tokio::test]
async fn a_store_that_fails_is_asked_again_until_it_has_recorded() {
    let mut world = World::new().await;
    world.settings.lease = Duration::from_millis(30);
    world.queue.ledger().failing_settlements = 4;
    world.subscribe(5).await;
    assert_eq!(world.deliver().await.counts.sent, 5);
    assert_eq!(world.queue.ledger().settlements.len(), 1);
    assert_eq!(world.service.seen(|seen| seen.total.requests), 5);
}
