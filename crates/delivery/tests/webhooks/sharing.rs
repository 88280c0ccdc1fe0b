//! Apps share the places for requests: however many receivers are slow, and however much waits for one, the others' events
//! leave.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::AppId;
use hato_testkit::webhook_receiver::{Event, Reaction, WebhookReceiver};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::world::World;

/// Slow apps: three times as many as there are places for the prompt.
const SLOW: usize = 12;
const AT_ONCE: usize = 4;

/// Apps with some events each whose receiver never answers.
async fn slow_apps(world: &World) {
    world.receiver.react(Reaction::Hang);
    for _ in 0..SLOW {
        let app = world.new_app().await;
        world.point(&app, world.receiver.url()).await;
        for _ in 0..2 {
            world.announce_to(&app).await;
        }
    }
}

async fn prompt_app(world: &World) -> (AppId, WebhookReceiver) {
    let receiver = WebhookReceiver::start(&world.authority).await;
    let app = world.new_app().await;
    world.point(&app, receiver.url()).await;
    (app, receiver)
}

fn run(world: &World, shutdown: &Shutdown) -> JoinHandle<()> {
    tokio::spawn(world.sender().run(shutdown.clone()))
}

async fn stop(shutdown: Shutdown, running: JoinHandle<()>) {
    shutdown.abort();
    running.await.expect("no panic");
}

/// Announces some events to an app, and waits until they have come.
async fn exchange(world: &World, app: &AppId, receiver: &WebhookReceiver) {
    for _ in 0..20 {
        world.announce_to(app).await;
        world.wake.ring_for_event(app);
    }
    receiver.wait_until(|seen| seen.len() == 20).await;
}

#[tokio::test]
async fn receivers_that_begin_to_hang_step_aside() {
    let mut world = World::new().await;
    world.settings.at_once = AT_ONCE;
    world.settings.slow_at_once = 8 * SLOW;
    world.settings.prompt = Duration::from_millis(20);
    slow_apps(&world).await;
    let (app, receiver) = prompt_app(&world).await;
    let shutdown = Shutdown::new();
    let running = run(&world, &shutdown);
    world.receiver.wait_until(|seen| seen.len() >= SLOW).await;
    exchange(&world, &app, &receiver).await;
    let most = SLOW * world.settings.per_app;
    assert!(world.receiver.seen().len() <= most, "bounded per app");
    stop(shutdown, running).await;
}

#[tokio::test]
async fn receivers_that_are_known_to_hang_delay_nobody() {
    let mut world = World::new().await;
    world.settings.at_once = AT_ONCE;
    world.settings.slow_at_once = 2;
    world.settings.prompt = Duration::from_millis(10);
    world.settings.answer_timeout = Duration::from_millis(50);
    slow_apps(&world).await;
    world.post().await;
    world.receiver.take();

    world.turn_clock(Duration::from_mins(1));
    world.settings.answer_timeout = Duration::from_hours(1);
    let (app, receiver) = prompt_app(&world).await;
    let shutdown = Shutdown::new();
    let running = run(&world, &shutdown);
    world.receiver.wait_until(|seen| seen.len() == 2).await;
    exchange(&world, &app, &receiver).await;
    assert_eq!(world.receiver.seen().len(), 2, "the places for the slow");
    stop(shutdown, running).await;
}

#[tokio::test]
async fn a_backlog_takes_turns_with_the_others() {
    let mut world = World::new().await;
    world.settings.at_once = 1;
    world.settings.turn_events = 10;
    for _ in 0..50 {
        world.announce().await;
    }
    world.turn_clock(Duration::from_secs(1));
    let (app, receiver) = prompt_app(&world).await;
    world.announce_to(&app).await;
    world.turn_clock(Duration::from_secs(1));
    let shutdown = Shutdown::new();
    let running = run(&world, &shutdown);
    receiver.wait_until(|seen| seen.len() == 1).await;
    let before = world.receiver.seen().len();
    assert!((10..=20).contains(&before), "{before}");
    world.receiver.wait_until(|seen| seen.len() == 50).await;
    stop(shutdown, running).await;
    let mut ids: Vec<_> = world.receiver.seen().iter().map(Event::id).collect();
    let came = ids.clone();
    ids.sort_unstable();
    assert_eq!(came, ids, "in the order of settlement through all turns");
}

#[tokio::test]
async fn no_more_requests_are_in_flight_than_there_are_places() {
    let mut world = World::new().await;
    world.settings.at_once = AT_ONCE;
    world.settings.slow_at_once = 0;
    let answers = Arc::new(Semaphore::new(0));
    let held = Reaction::When(Arc::clone(&answers));
    world.receiver.react(held);
    for _ in 0..SLOW {
        let app = world.new_app().await;
        world.point(&app, world.receiver.url()).await;
        world.announce_to(&app).await;
    }
    let shutdown = Shutdown::new();
    let running = run(&world, &shutdown);
    for answered in 0..=SLOW - AT_ONCE {
        let expected = AT_ONCE + answered;
        let came = |seen: &[Event]| seen.len() >= expected;
        world.receiver.wait_until(came).await;
        assert_eq!(world.receiver.seen().len(), expected);
        answers.add_permits(1);
    }
    stop(shutdown, running).await;
}
