//! The sender's loop: woken, stopped, interrupted, restarted, and never losing an event.

use std::collections::BTreeSet;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::AppId;
use hato_service::ports::{Clock as _, LaneClaim, LaneLease, NextLane};
use hato_testkit::webhook_receiver::{Event, Reaction};

use crate::world::World;

/// Queues a test event of the app, rings for it and waits until it has come.
async fn announce_and_see(world: &World, app: &AppId) {
    let count = world.receiver.seen().len() + 1;
    world.announce_to(app).await;
    world.wake.ring_for_event(app);
    world.receiver.wait_until(|seen| seen.len() == count).await;
}

#[tokio::test]
async fn a_ring_starts_it_and_a_drain_ends_it() {
    let mut world = World::new().await;
    world.settings.poll_interval = Duration::from_hours(1);
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.sender().run(shutdown.clone()));
    for _ in 1..=3 {
        announce_and_see(&world, &world.app).await;
    }
    shutdown.drain();
    running.await.expect("no panic");
    assert_eq!(world.attempts().await.len(), 3);
}

#[tokio::test]
async fn an_event_does_not_wait_for_the_answer_to_the_one_before() {
    let mut world = World::new().await;
    world.settings.poll_interval = Duration::from_hours(1);
    world.receiver.script([Reaction::Hang]);
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.sender().run(shutdown.clone()));
    for _ in 1..=3 {
        announce_and_see(&world, &world.app).await;
    }
    shutdown.abort();
    running.await.expect("no panic");
}

#[tokio::test]
async fn a_lane_that_is_held_for_its_next_event_keeps_nobody_waiting() {
    let mut world = World::new().await;
    world.settings.poll_interval = Duration::from_hours(1);
    world.settings.linger = Duration::from_hours(1);
    let other = world.new_app().await;
    world.point(&other, world.receiver.url()).await;
    for at_once in [1, 2] {
        world.settings.at_once = at_once;
        let shutdown = Shutdown::new();
        let running = tokio::spawn(world.sender().run(shutdown.clone()));
        for app in [&world.app, &other, &world.app] {
            announce_and_see(&world, app).await;
        }
        shutdown.drain();
        running.await.expect("no panic");
    }
}

#[tokio::test]
async fn draining_records_what_is_in_flight_and_posts_no_more() {
    let mut world = World::new().await;
    world.settings.per_app = 1;
    world.settings.answer_timeout = Duration::from_secs(1);
    world.receiver.react(Reaction::Hang);
    world.announce().await;
    world.announce().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.sender().run(shutdown.clone()));
    world.receiver.wait_until(|seen| seen.len() == 1).await;
    shutdown.drain();
    running.await.expect("no panic");
    assert_eq!(world.attempts().await.len(), 1);
    assert_eq!(world.receiver.seen().len(), 1);
}

#[tokio::test]
async fn what_an_abort_leaves_unknown_is_posted_again_under_its_id() {
    let world = World::new().await;
    world.receiver.script([Reaction::Hang]);
    world.announce().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.sender().run(shutdown.clone()));
    world.receiver.wait_until(|seen| seen.len() == 1).await;
    shutdown.abort();
    running.await.expect("no panic");
    assert!(world.attempts().await.is_empty());
    world.post().await;
    let ids: BTreeSet<_> = world.receiver.seen().iter().map(Event::id).collect();
    assert_eq!((ids.len(), world.receiver.seen().len()), (1, 2));
}

async fn next_lane(world: &World) -> NextLane {
    let claim = LaneClaim {
        now: world.clock.now(),
        lease: world.settings.lease,
        slow_too: true,
    };
    world.store.claim_lane(claim).await.expect("asked")
}

async fn claim(world: &World) -> Option<LaneLease> {
    match next_lane(world).await {
        NextLane::Claimed(lane) => Some(lane),
        NextLane::Idle { .. } => None,
    }
}

#[tokio::test]
async fn a_lane_of_a_dead_process_is_taken_up_when_its_lease_ends() {
    let world = World::new().await;
    world.announce().await;
    let dead = claim(&world).await.expect("a lane");
    world.post().await;
    assert!(world.receiver.seen().is_empty(), "it is somebody else's");
    world.turn_clock(world.settings.lease);
    world.post().await;
    assert_eq!(world.receiver.seen().len(), 1);
    let until = world.clock.now();
    let renewed = world.store.renew_lane(&dead, until).await;
    assert!(!renewed.expect("asked"), "the lease was lost");
}

#[tokio::test]
async fn a_lease_is_renewed_while_its_lane_is_looked_after() {
    let mut world = World::new().await;
    world.settings.lease = Duration::from_millis(30);
    let most_of_it = Duration::from_millis(29);
    world.receiver.react(Reaction::Hang);
    world.announce().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.sender().run(shutdown.clone()));
    world.receiver.wait_until(|seen| !seen.is_empty()).await;
    for _ in 0..5 {
        world.turn_clock(most_of_it);
        until_renewed(&world).await;
    }
    assert_eq!(world.receiver.seen().len(), 1);
    shutdown.abort();
    running.await.expect("no panic");
}

/// Resolves when the lane is due in a whole lease from now.
async fn until_renewed(world: &World) {
    let (now, lease) = (world.clock.now(), world.settings.lease);
    loop {
        match next_lane(world).await {
            NextLane::Claimed(_) => panic!("the lease has ended"),
            NextLane::Idle { next_due } if next_due == Some(now.plus(lease)) => return,
            NextLane::Idle { .. } => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn a_clock_that_was_set_back_stops_nothing() {
    let world = World::new().await;
    world.receiver.script([Reaction::Status(500)]);
    world.announce().await;
    world.post().await;
    world.announce().await;
    claim(&world).await.expect("a lane");
    world.turn_clock_back(Duration::from_hours(48));
    for turned in [Duration::ZERO, world.settings.lease] {
        world.turn_clock(turned);
        world.post().await;
    }
    assert_eq!(world.receiver.seen().len(), 3, "one of them twice");
}

#[tokio::test]
async fn without_the_encryption_key_events_wait() {
    let world = World::new().await;
    world.announce().await;
    let posted = world.sender_with_key(None).run_until_idle().await;
    posted.expect("the store answers");
    assert!(world.receiver.seen().is_empty());
    world.turn_clock(Duration::from_mins(1));
    world.post().await;
    assert_eq!(world.receiver.seen().len(), 1);
}
