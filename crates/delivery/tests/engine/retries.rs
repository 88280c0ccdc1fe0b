//! Who is tried again, how often, and with what is left of the TTL.

use std::time::Duration;

use hato_domain::{PushOptions, Ttl};
use hato_service::ports::{Clock as _, SendStatus};
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{TestEngine, run};

fn ttl(seconds: i64) -> PushOptions {
    PushOptions {
        ttl: Ttl::parse(seconds).expect("a TTL"),
        ..PushOptions::default()
    }
}

#[on_each_database]
async fn a_retry_goes_to_those_that_failed(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    let subscriptions = test.subscribe(10).await;
    let engine = test.engine();
    let fail = |index: usize, statuses: &[u16]| {
        let answers = statuses.iter().copied().map(ScriptedResponse::Status);
        test.service.script(&subscriptions[index], answers);
    };
    fail(3, &[500]);
    fail(7, &[502, 503]);
    let send = test.send().await;
    for wait in [0, 5, 60] {
        test.advance_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 10));
    test.service.seen(|seen| {
        for (subscription, asked) in subscriptions.iter().zip([1, 1, 1, 2, 1, 1, 1, 3, 1, 1]) {
            let counts = seen.counts(&subscription.id);
            assert_eq!((counts.requests, counts.created), (asked, 1));
        }
    });
}

#[on_each_database]
async fn nothing_is_retried_before_its_time(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let engine = test.engine();
    test.service
        .script_any([ScriptedResponse::RetryAfter(429, "30".into())]);
    test.send().await;
    for (wait, asked) in [(0, 1), (29_999, 1), (1, 2)] {
        test.advance_clock(Duration::from_millis(wait));
        run(&engine).await;
        assert_eq!(test.service.seen(|seen| seen.total.requests), asked);
    }
}

#[on_each_database]
async fn the_third_retry_is_the_last(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let engine = test.engine();
    test.service
        .respond_by_default(ScriptedResponse::Status(500));
    let send = test.send().await;
    for wait in [0, 5, 60, 600] {
        test.advance_clock(Duration::from_secs(wait));
        assert_eq!(test.dead_letters().await, []);
        run(&engine).await;
    }
    let unavailable = ("unavailable".to_owned(), Some(500), 4);
    assert_eq!(test.dead_letters().await, [unavailable]);
    let record = test.record(&test.app, &send).await;
    assert_eq!(
        (record.status, record.counts.failed_other),
        (SendStatus::Done, 1)
    );
    assert_eq!(test.service.seen(|seen| seen.total.requests), 4);
}

#[on_each_database]
async fn a_retry_carries_what_is_left_of_the_ttl_until_nothing_is(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let engine = test.engine();
    test.service
        .respond_by_default(ScriptedResponse::Status(500));
    test.send_with(ttl(65)).await;
    for wait in [0, 5, 60] {
        test.advance_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    let ttls: Vec<_> = test
        .service
        .seen(|seen| seen.messages.iter().map(|message| message.ttl).collect());
    assert_eq!(ttls, [65, 60]);
    let out_of_time = ("out_of_time".to_owned(), None, 2);
    assert_eq!(test.dead_letters().await, [out_of_time]);
    let tallies = test.queue.log().settlements[2].tallies.clone();
    assert_eq!(tallies[0].reason, "out_of_time");
}

#[on_each_database]
async fn a_ttl_of_0_is_retried_as_it_is(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    let engine = test.engine();
    test.service.script_any([ScriptedResponse::Status(500)]);
    test.subscribe(1).await;
    test.send_with(ttl(0)).await;
    for wait in [0, 5] {
        test.advance_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    assert_eq!(test.queue.log().sent(), 1);
    let ttls = |seen: &hato_testkit::push_service::SeenTraffic| {
        seen.messages.iter().all(|message| message.ttl == 0)
    };
    assert!(test.service.seen(ttls));
}

#[on_each_database]
async fn without_the_private_key_the_page_waits(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    let send = test.send().await;
    for key in [None, Some([8; 32])] {
        let due_at = test.clock.now().plus(Duration::from_mins(1));
        run(&test.engine_with_key(key)).await;
        assert_eq!(test.queue.log().releases.last(), Some(&due_at));
        test.advance_clock(Duration::from_mins(1));
    }
    test.run_until_idle().await;
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 3);
}
