//! A clock that is set back makes nobody wait for it.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_service::ports::SendStatus;
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{TestEngine, many, run};
use crate::test_log;

#[on_each_database]
async fn what_was_accepted_in_what_is_the_future_is_delivered(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    let send = test.send().await;
    test.rewind_clock(Duration::from_mins(30));
    test.run_until_idle().await;
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 3);
}

#[on_each_database]
async fn a_running_engine_notices_that_the_clock_was_set_back(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    test.service.script_any([ScriptedResponse::Status(500)]);
    let engine = test.engine();
    let first = test.send().await;
    run(&engine).await;
    let second = test.send().await;
    test.rewind_clock(Duration::from_hours(5));
    run(&engine).await;
    for send in [first, second] {
        let record = test.record(&test.app, &send).await;
        assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 3));
    }
    test.service.assert_no_violations();
    assert_eq!(
        test_log::lines("the clock"),
        ["the clock was set back: what was due later was brought forward step=18000s"]
    );
}

#[on_each_database(flavor = "multi_thread")]
async fn a_clock_that_steps_back_during_a_large_send_costs_nobody_anything(database: TestDatabase) {
    const RECIPIENTS: usize = 5_000;
    let test = TestEngine::with(database, many()).await;
    test.service.respond_by_number(|number| match number % 20 {
        7 => ScriptedResponse::Status(500),
        _ => ScriptedResponse::Created,
    });
    let subscriptions = test.subscribe(RECIPIENTS).await;
    let send = test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    for answers in [1, 1_000, 2_000, 3_000, 4_000] {
        test.service
            .wait_until(|seen| seen.total.requests >= answers)
            .await;
        test.rewind_clock(Duration::from_mins(4));
    }
    test.service
        .wait_until(|seen| seen.total.requests >= RECIPIENTS as u64)
        .await;
    shutdown.drain();
    running.await.expect("no panic");
    for _ in 0..3 {
        test.advance_clock(Duration::from_mins(30));
        test.run_until_idle().await;
    }
    let record = test.record(&test.app, &send).await;
    assert_eq!(
        (record.status, record.counts.sent),
        (SendStatus::Done, 5_000)
    );
    for subscription in subscriptions {
        let created = test
            .service
            .seen(|seen| seen.counts(&subscription.id).created);
        assert_eq!(created, 1, "each got the message, once");
    }
}

#[on_each_database]
async fn a_lease_from_the_future_ends_soon(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let send = test.send().await;
    let claim = hato_service::ports::PageClaimRequest {
        now: test.after(0),
        lease: test.settings.lease,
        max_recipients: 10,
        excluded_apps: Vec::new(),
        splits_rest: false,
    };
    test.store.claim_page(claim).await.expect("asked");
    test.rewind_clock(Duration::from_hours(2));
    let engine = test.engine();
    run(&engine).await;
    assert_eq!(test.queue.log().claims, 0, "its holder may be alive");
    test.advance_clock(test.settings.lease);
    run(&engine).await;
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 1);
}
