//! Who is tried again, how often, and with what is left of the TTL.

use std::time::Duration;

use hato_domain::{FailureReason, Ttl};
use hato_service::ports::Clock as _;
use hato_testkit::push_service::Answer;

use crate::world::World;

#[tokio::test]
async fn a_retry_goes_to_those_that_failed() {
    let world = World::new().await;
    let subscriptions = world.subscribe(10);
    let engine = world.engine();
    world
        .service
        .script(&subscriptions[3], [Answer::Status(500)]);
    world.service.script(
        &subscriptions[7],
        [Answer::Status(502), Answer::Status(503)],
    );
    world.accept(world.content(), &subscriptions);
    for wait in [0, 5, 60] {
        world.turn_clock(Duration::from_secs(wait));
        engine.run_until_idle().await.expect("the queue answers");
    }
    let ledger = world.queue.ledger();
    assert_eq!(ledger.sent(), 10);
    assert_eq!(ledger.queued(), []);
    world.service.seen(|seen| {
        for (subscription, asked) in subscriptions.iter().zip([1, 1, 1, 2, 1, 1, 1, 3, 1, 1]) {
            let counts = seen.counts(&subscription.id);
            assert_eq!((counts.requests, counts.created), (asked, 1));
        }
    });
}

#[tokio::test]
async fn the_third_retry_is_the_last() {
    let world = World::new().await;
    let subscriptions = world.subscribe(1);
    let engine = world.engine();
    world.service.answer_by_default(Answer::Status(500));
    world.accept(world.content(), &subscriptions);
    for wait in [0, 5, 60, 600] {
        world.turn_clock(Duration::from_secs(wait));
        assert_eq!(world.queue.ledger().dead_letters(), []);
        engine.run_until_idle().await.expect("the queue answers");
    }
    let ledger = world.queue.ledger();
    assert_eq!(
        ledger.dead_letters(),
        [(FailureReason::Unavailable, Some(500))]
    );
    assert_eq!(ledger.queued(), []);
    assert_eq!(world.service.seen(|seen| seen.total.requests), 4);
}

#[tokio::test]
async fn a_retry_carries_what_is_left_of_the_ttl_until_nothing_is() {
    let world = World::new().await;
    let subscriptions = world.subscribe(1);
    let engine = world.engine();
    world.service.answer_by_default(Answer::Status(500));
    let mut send = world.content();
    send.ttl = Ttl::parse(65).expect("a TTL");
    world.accept(send, &subscriptions);
    for wait in [0, 5, 60] {
        world.turn_clock(Duration::from_secs(wait));
        engine.run_until_idle().await.expect("the queue answers");
    }
    let ttls: Vec<_> = world
        .service
        .seen(|seen| seen.messages.iter().map(|message| message.ttl).collect());
    assert_eq!(ttls, [65, 60]);
    assert_eq!(
        world.queue.ledger().dead_letters(),
        [(FailureReason::OutOfTime, None)]
    );
}

#[tokio::test]
async fn a_ttl_of_0_is_retried_as_it_is() {
    let world = World::new().await;
    let engine = world.engine();
    world.service.script_any([Answer::Status(500)]);
    let mut send = world.content();
    send.ttl = Ttl::parse(0).expect("a TTL");
    world.accept(send, &world.subscribe(1));
    for wait in [0, 5] {
        world.turn_clock(Duration::from_secs(wait));
        engine.run_until_idle().await.expect("the queue answers");
    }
    assert_eq!(world.queue.ledger().sent(), 1);
    assert!(
        world
            .service
            .seen(|seen| seen.messages.iter().all(|message| message.ttl == 0))
    );
}

#[tokio::test]
async fn without_the_private_key_the_page_waits() {
    let world = World::new().await;
    world.accept(world.content(), &world.subscribe(3));
    for key in [None, Some([8; 32])] {
        let due_at = world.clock.now().plus(Duration::from_mins(1));
        let engine = world.engine_with_key(key);
        engine.run_until_idle().await.expect("the queue answers");
        assert_eq!(world.queue.ledger().queued(), [(0, due_at, 3)]);
        world.turn_clock(Duration::from_mins(1));
    }
    world
        .engine()
        .run_until_idle()
        .await
        .expect("the queue answers");
    assert_eq!(world.queue.ledger().sent(), 3);
}
