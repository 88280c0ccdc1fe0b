//! Push services that want less: only their own subscribers wait, and waiting is no attempt.

use std::time::{Duration, Instant};

use hato_delivery::OriginLimits;
use hato_domain::{PushOptions, Ttl, UnixMillis};
use hato_service::ports::SendStatus;
use hato_testkit::push_service::{PushService, PushServiceOptions, ScriptedResponse};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{TestEngine, many};

async fn two_services(database: TestDatabase, requests: usize) -> (TestEngine, PushService) {
    let mut test = TestEngine::with(database, many()).await;
    let other = PushService::start_with(many()).await;
    let other = other.expect("a free port");
    test.settings.outbound_ca = Some(test.service.ca_pem() + &other.ca_pem());
    test.settings.per_origin = OriginLimits {
        requests,
        ..OriginLimits::default()
    };
    test.subscribe(200).await;
    test.subscribe_at(&other, &test.app, 200).await;
    (test, other)
}

/// How many are to be tried again in this attempt.
fn queued_again(test: &TestEngine, attempt: u8) -> usize {
    let jobs = test.queue.log().retries();
    let jobs = jobs.into_iter().filter(|(own, ..)| *own == attempt);
    jobs.map(|(_, _, recipients)| recipients).sum()
}

/// When those who were not tried are due again, in the order of their pages.
fn due_times(test: &TestEngine) -> Vec<UnixMillis> {
    let log = test.queue.log();
    let jobs = log.settlements.iter().flat_map(|it| &it.retries);
    jobs.filter(|job| job.attempt == 0)
        .map(|job| job.due_at)
        .collect()
}

#[on_each_database]
async fn a_push_service_that_throttles_slows_only_its_own_subscribers(database: TestDatabase) {
    let (test, other) = two_services(database, 40).await;
    test.service
        .respond_by_default(ScriptedResponse::RetryAfter(429, "60".into()));
    let send = test.send().await;
    let begun = Instant::now();
    test.run_until_idle().await;
    // The limiter's pause passes with real time.
    let passed = begun.elapsed();
    let tried = test.service.seen(|seen| seen.total.requests);
    assert!(tried < 80, "{tried} of 200 were sent to it");
    assert_eq!(other.seen(|seen| seen.total.created), 200);
    let tried = usize::try_from(tried).expect("a small number");
    assert_eq!(queued_again(&test, 1), tried);
    assert_eq!(queued_again(&test, 0), 200 - tried, "they were not tried");
    for (attempt, due_at, _) in test.queue.log().retries() {
        assert!(due_at.plus(passed) >= test.after(60), "attempt {attempt}");
    }

    test.service.respond_by_default(ScriptedResponse::Created);
    test.advance_clock(Duration::from_mins(10));
    test.run_until_idle().await;
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 400));
}

#[on_each_database]
async fn who_is_deferred_for_longer_than_the_message_is_good_for_has_failed(
    database: TestDatabase,
) {
    let (test, _other) = two_services(database, 40).await;
    test.service
        .respond_by_default(ScriptedResponse::RetryAfter(429, "3600".into()));
    let options = PushOptions {
        ttl: Ttl::parse(600).expect("ten minutes"),
        ..PushOptions::default()
    };
    let send = test.send_with(options).await;
    test.run_until_idle().await;
    let tried = test.service.seen(|seen| seen.total.requests);
    assert!(tried < 80, "{tried} of 200 were sent to it");
    let failed = test.record(&test.app, &send).await.counts.failed_other;
    assert_eq!(failed, 200 - i64::try_from(tried).expect("a small number"));
    let letters = test.dead_letters().await;
    let held_back = ("throttled".to_owned(), None, 0);
    assert!(letters.iter().all(|letter| *letter == held_back));
    assert!(!letters.is_empty());
}

#[on_each_database]
async fn without_a_time_to_wait_for_everybody_is_tried_though_fewer_at_a_time(
    database: TestDatabase,
) {
    let (test, other) = two_services(database, 64).await;
    test.service
        .respond_by_default(ScriptedResponse::Status(503));
    test.deliver().await;
    assert_eq!(test.service.seen(|seen| seen.total.requests), 200);
    assert_eq!(queued_again(&test, 1), 200);
    assert_eq!(other.seen(|seen| seen.total.created), 200);
}

#[on_each_database]
async fn who_waits_for_an_unresponsive_push_service_fails_like_those_it_does_not_answer(
    database: TestDatabase,
) {
    let (mut test, other) = two_services(database, 32).await;
    test.settings.response_timeout = Duration::from_secs(1);
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.deliver().await;
    let tried = test.service.seen(|seen| seen.total.requests);
    assert!(tried < 100, "{tried} of 200 were sent to it");
    assert_eq!(queued_again(&test, 1), 200, "it was tried on their behalf");
    assert_eq!(other.seen(|seen| seen.total.created), 200);
}

#[on_each_database]
async fn who_waits_too_long_for_a_permit_is_deferred(database: TestDatabase) {
    let mut test = TestEngine::with(database, many()).await;
    test.settings.per_origin.requests = 8;
    test.settings.permit_timeout = Duration::from_millis(100);
    test.settings.response_timeout = Duration::from_secs(2);
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.subscribe(200).await;
    let send = test.send().await;
    test.run_until_idle().await;
    assert_eq!(queued_again(&test, 0) + queued_again(&test, 1), 200);
    assert!(queued_again(&test, 0) >= 100, "most were not tried");

    test.service.respond_by_default(ScriptedResponse::Created);
    test.settings.permit_timeout = Duration::from_mins(1);
    test.settings.response_timeout = Duration::from_mins(1);
    test.advance_clock(Duration::from_mins(10));
    test.run_until_idle().await;
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 200);
}

#[on_each_database]
async fn a_slow_push_service_gets_each_message_once(database: TestDatabase) {
    let options = PushServiceOptions {
        requests_per_second: Some(250),
        ..many()
    };
    let mut test = TestEngine::with(database, options).await;
    test.settings.response_timeout = Duration::from_secs(1);
    let subscriptions = test.subscribe(500).await;
    let record = test.deliver().await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 500));
    test.service.seen(|seen| {
        for subscription in &subscriptions {
            assert_eq!(seen.counts(&subscription.id).requests, 1);
        }
    });
}

#[on_each_database]
async fn who_is_deferred_at_a_slow_push_service_comes_back_in_turn(database: TestDatabase) {
    let options = PushServiceOptions {
        requests_per_second: Some(25),
        ..many()
    };
    let mut test = TestEngine::with(database, options).await;
    test.settings.permit_timeout = Duration::from_millis(300);
    test.settings.page_size = 400;
    test.subscribe(1_200).await;
    test.send().await;
    test.run_until_idle().await;
    let due = due_times(&test);
    assert!(due[0] < due[1] && due[1] < due[2], "{due:?}");
    assert!(due[2] < test.after(60), "{due:?}");
    let tried = test.service.seen(|seen| seen.total.requests);
    assert_eq!(test.queue.log().sent() as u64, tried, "no attempt was lost");
}
