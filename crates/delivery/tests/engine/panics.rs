//! Work that panics is put off, and in the end given up; the rest goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::UnixMillis;
use hato_service::ports::{Clock, SendStatus};

use crate::world::{ENCRYPTION_KEY, TurnedClock, World, run};

#[tokio::test]
async fn a_panic_in_one_page_does_not_stop_the_others() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 1;
    world.settings.page_size = 1;
    world.settings.poll_interval = Duration::from_millis(10);
    world.queue.ledger().panics = 1;
    world.subscribe(2).await;
    world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world.queue.wait_until(|ledger| ledger.sent() == 1).await;
    world.turn_clock(Duration::from_secs(5));
    world.queue.wait_until(|ledger| ledger.sent() == 2).await;
    shutdown.drain();
    running.await.expect("no panic");
}

#[tokio::test]
async fn a_page_that_panics_each_time_is_given_up_after_the_retries() {
    let world = World::new().await;
    world.queue.ledger().panics = 4;
    world.subscribe(2).await;
    let send = world.send().await;
    let engine = world.engine();
    for wait in [0, 5, 60, 600] {
        world.turn_clock(Duration::from_secs(wait));
        assert_eq!(world.dead_letters().await, []);
        run(&engine).await;
    }
    let unreachable = ("unreachable".to_owned(), None, 1);
    assert_eq!(
        world.dead_letters().await,
        [unreachable.clone(), unreachable]
    );
    let record = world.record(&world.app, &send).await;
    assert_eq!(record.status, SendStatus::Done);
}

#[tokio::test]
async fn a_page_that_cannot_even_be_given_up_stays_in_the_queue() {
    let world = World::new().await;
    world.queue.ledger().panics = 5;
    world.subscribe(1).await;
    let send = world.send().await;
    let engine = world.engine();
    for wait in [0, 5, 60, 600] {
        world.turn_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    assert_eq!(
        world.queue.ledger().releases.last(),
        Some(&world.after(3_600))
    );
    world.turn_clock(Duration::from_hours(1));
    run(&engine).await;
    let record = world.record(&world.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 1));
}

/// A clock that panics once, when it is asked for the so-manieth time since it was armed.
struct TreacherousClock {
    clock: Arc<TurnedClock>,
    left: AtomicUsize,
}

impl Clock for TreacherousClock {
    fn now(&self) -> UnixMillis {
        assert_ne!(
            self.left.fetch_sub(1, Ordering::SeqCst),
            1,
            "asked to panic"
        );
        self.clock.now()
    }
}

#[tokio::test]
async fn a_panic_over_one_recipient_is_that_recipients_failed_attempt() {
    let world = World::new().await;
    world.subscribe(3).await;
    let send = world.send().await;
    // The claim, the TTL and the token ask first, then each answer when it is judged.
    let clock = Arc::new(TreacherousClock {
        clock: Arc::clone(&world.clock),
        left: AtomicUsize::new(5),
    });
    let engine = world.engine_by(clock, Some(ENCRYPTION_KEY));
    run(&engine).await;
    assert_eq!(world.record(&world.app, &send).await.counts.sent, 2);
    assert_eq!(world.queue.ledger().retries(), [(1, world.after(5), 1)]);
    world.turn_clock(Duration::from_secs(5));
    run(&engine).await;
    assert_eq!(world.record(&world.app, &send).await.counts.sent, 3);
}
