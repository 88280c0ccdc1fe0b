//! A clock that is set back makes nobody wait for it.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_service::ports::SendStatus;
use hato_testkit::push_service::Answer;

use crate::world::{World, many, run};

#[tokio::test]
async fn what_was_accepted_in_what_is_the_future_is_delivered() {
    let world = World::new().await;
    world.subscribe(3).await;
    let send = world.send().await;
    world.turn_clock_back(Duration::from_mins(30));
    world.run_until_idle().await;
    assert_eq!(world.record(&world.app, &send).await.counts.sent, 3);
}

#[tokio::test]
async fn a_running_engine_notices_that_the_clock_was_set_back() {
    let world = World::new().await;
    world.subscribe(3).await;
    world.service.script_any([Answer::Status(500)]);
    let engine = world.engine();
    let first = world.send().await;
    run(&engine).await;
    let second = world.send().await;
    world.turn_clock_back(Duration::from_hours(5));
    run(&engine).await;
    for send in [first, second] {
        let record = world.record(&world.app, &send).await;
        assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 3));
    }
    world.service.assert_no_violations();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_steps_back_during_a_large_send_costs_nobody_anything() {
    const RECIPIENTS: usize = 5_000;
    let world = World::with(many()).await;
    world.service.answer_by_number(|number| match number % 20 {
        7 => Answer::Status(500),
        _ => Answer::Created,
    });
    let subscriptions = world.subscribe(RECIPIENTS).await;
    let send = world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    for answers in [1, 1_000, 2_000, 3_000, 4_000] {
        world
            .service
            .wait_until(|seen| seen.total.requests >= answers)
            .await;
        world.turn_clock_back(Duration::from_mins(4));
    }
    world
        .service
        .wait_until(|seen| seen.total.requests >= RECIPIENTS as u64)
        .await;
    shutdown.drain();
    running.await.expect("no panic");
    for _ in 0..3 {
        world.turn_clock(Duration::from_mins(30));
        world.run_until_idle().await;
    }
    let record = world.record(&world.app, &send).await;
    assert_eq!(
        (record.status, record.counts.sent),
        (SendStatus::Done, 5_000)
    );
    for subscription in subscriptions {
        let created = world
            .service
            .seen(|seen| seen.counts(&subscription.id).created);
        assert_eq!(created, 1, "each got the message, once");
    }
}

#[tokio::test]
async fn a_lease_from_the_future_ends_soon() {
    let world = World::new().await;
    world.subscribe(1).await;
    let send = world.send().await;
    let claim = hato_service::ports::Claim {
        now: world.after(0),
        lease: world.settings.lease,
        max_recipients: 10,
        passing_over: Vec::new(),
    };
    world.store.claim_page(claim).await.expect("asked");
    world.turn_clock_back(Duration::from_hours(2));
    let engine = world.engine();
    run(&engine).await;
    assert_eq!(world.queue.ledger().claims, 0, "its holder may be alive");
    world.turn_clock(world.settings.lease);
    run(&engine).await;
    assert_eq!(world.record(&world.app, &send).await.counts.sent, 1);
}
