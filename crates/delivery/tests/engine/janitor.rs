//! What is too old goes, and nothing else.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::{Janitor, Shutdown};
use hato_domain::PageRequest;
use hato_service::ports::Clock;
use hato_testkit::push_service::Answer;

use crate::world::World;

const DAY: Duration = Duration::from_hours(24);

fn janitor(world: &World) -> Janitor {
    let clock: Arc<dyn Clock> = Arc::clone(&world.clock) as _;
    Janitor::new(Arc::clone(&world.store), clock, &world.settings)
}

async fn sends(world: &World) -> usize {
    let page = PageRequest::parse(None, None, None).expect("the default page");
    let sends = world.store.sends_of(&world.app.id, &page).await;
    sends.expect("read").len()
}

#[tokio::test]
async fn sends_and_their_dead_letters_are_kept_for_as_long_as_was_asked() {
    let mut world = World::new().await;
    world.settings.retention_days = 3;
    world.service.answer_by_default(Answer::Status(413));
    world.subscribe(5).await;
    world.deliver().await;
    for (turn, kept) in [(DAY * 3, 1), (Duration::from_millis(1), 0)] {
        world.turn_clock(turn);
        janitor(&world).sweep().await;
        assert_eq!(sends(&world).await, kept);
        assert_eq!(world.dead_letters().await.len(), kept * 5);
    }
}

#[tokio::test]
async fn a_send_that_is_not_finished_is_kept_however_old() {
    let world = World::new().await;
    world.service.answer_by_default(Answer::Status(500));
    world.subscribe(1).await;
    world.deliver().await;
    world.turn_clock(DAY * 1_000);
    janitor(&world).sweep().await;
    assert_eq!(sends(&world).await, 1);
}

#[tokio::test]
async fn it_stops_when_asked() {
    let world = World::new().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(janitor(&world).run(shutdown.clone()));
    shutdown.drain();
    running.await.expect("no panic");
}
