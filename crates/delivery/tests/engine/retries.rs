//! Who is tried again, how often, and with what is left of the TTL.

use std::time::Duration;

use hato_domain::{PushOptions, Ttl};
use hato_service::ports::{Clock as _, SendStatus};
use hato_testkit::push_service::Answer;

use crate::world::{World, run};

fn ttl(seconds: i64) -> PushOptions {
    PushOptions {
        ttl: Ttl::parse(seconds).expect("a TTL"),
        ..PushOptions::default()
    }
}

#[tokio::test]
async fn a_retry_goes_to_those_that_failed() {
    let world = World::new().await;
    let subscriptions = world.subscribe(10).await;
    let engine = world.engine();
    let fail = |index: usize, statuses: &[u16]| {
        let answers = statuses.iter().copied().map(Answer::Status);
        world.service.script(&subscriptions[index], answers);
    };
    fail(3, &[500]);
    fail(7, &[502, 503]);
    let send = world.send().await;
    for wait in [0, 5, 60] {
        world.turn_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    let record = world.record(&world.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 10));
    world.service.seen(|seen| {
        for (subscription, asked) in subscriptions.iter().zip([1, 1, 1, 2, 1, 1, 1, 3, 1, 1]) {
            let counts = seen.counts(&subscription.id);
            assert_eq!((counts.requests, counts.created), (asked, 1));
        }
    });
}

#[tokio::test]
async fn nothing_is_retried_before_its_time() {
    let world = World::new().await;
    world.subscribe(1).await;
    let engine = world.engine();
    world
        .service
        .script_any([Answer::RetryAfter(429, "30".into())]);
    world.send().await;
    for (wait, asked) in [(0, 1), (29_999, 1), (1, 2)] {
        world.turn_clock(Duration::from_millis(wait));
        run(&engine).await;
        assert_eq!(world.service.seen(|seen| seen.total.requests), asked);
    }
}

#[tokio::test]
async fn the_third_retry_is_the_last() {
    let world = World::new().await;
    world.subscribe(1).await;
    let engine = world.engine();
    world.service.answer_by_default(Answer::Status(500));
    let send = world.send().await;
    for wait in [0, 5, 60, 600] {
        world.turn_clock(Duration::from_secs(wait));
        assert_eq!(world.dead_letters().await, []);
        run(&engine).await;
    }
    let unavailable = ("unavailable".to_owned(), Some(500), 4);
    assert_eq!(world.dead_letters().await, [unavailable]);
    let record = world.record(&world.app, &send).await;
    assert_eq!(
        (record.status, record.counts.failed_other),
        (SendStatus::Done, 1)
    );
    assert_eq!(world.service.seen(|seen| seen.total.requests), 4);
}

#[tokio::test]
async fn a_retry_carries_what_is_left_of_the_ttl_until_nothing_is() {
    let world = World::new().await;
    world.subscribe(1).await;
    let engine = world.engine();
    world.service.answer_by_default(Answer::Status(500));
    world.send_with(ttl(65)).await;
    for wait in [0, 5, 60] {
        world.turn_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    let ttls: Vec<_> = world
        .service
        .seen(|seen| seen.messages.iter().map(|message| message.ttl).collect());
    assert_eq!(ttls, [65, 60]);
    let out_of_time = ("out_of_time".to_owned(), None, 2);
    assert_eq!(world.dead_letters().await, [out_of_time]);
    let tallies = world.queue.ledger().settlements[2].tallies.clone();
    assert_eq!(tallies[0].reason, "out_of_time");
}

#[tokio::test]
async fn a_ttl_of_0_is_retried_as_it_is() {
    let world = World::new().await;
    let engine = world.engine();
    world.service.script_any([Answer::Status(500)]);
    world.subscribe(1).await;
    world.send_with(ttl(0)).await;
    for wait in [0, 5] {
        world.turn_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    assert_eq!(world.queue.ledger().sent(), 1);
    let ttls = |seen: &hato_testkit::push_service::Seen| {
        seen.messages.iter().all(|message| message.ttl == 0)
    };
    assert!(world.service.seen(ttls));
}

#[tokio::test]
async fn without_the_private_key_the_page_waits() {
    let world = World::new().await;
    world.subscribe(3).await;
    let send = world.send().await;
    for key in [None, Some([8; 32])] {
        let due_at = world.clock.now().plus(Duration::from_mins(1));
        run(&world.engine_with_key(key)).await;
        assert_eq!(world.queue.ledger().releases.last(), Some(&due_at));
        world.turn_clock(Duration::from_mins(1));
    }
    world.run_until_idle().await;
    assert_eq!(world.record(&world.app, &send).await.counts.sent, 3);
}
