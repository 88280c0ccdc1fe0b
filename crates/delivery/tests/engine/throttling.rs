//! Push services that want less: only their own subscribers wait, and waiting is no attempt.

use std::time::Duration;

use hato_delivery::OriginLimits;
use hato_domain::{PushOptions, Ttl};
use hato_service::ports::SendStatus;
use hato_testkit::push_service::{Answer, PushService};

use crate::world::{World, many};

async fn two_services(requests: usize) -> (World, PushService) {
    let mut world = World::with(many()).await;
    let other = PushService::start_with(many()).await;
    let other = other.expect("a free port");
    world.settings.outbound_ca = Some(world.service.ca_pem() + &other.ca_pem());
    world.settings.per_origin = OriginLimits {
        requests,
        ..OriginLimits::default()
    };
    world.subscribe(200).await;
    world.subscribe_at(&other, &world.app, 200).await;
    (world, other)
}

/// How many are to be tried again in this attempt.
fn queued_again(world: &World, attempt: u8) -> usize {
    let jobs = world.queue.ledger().retries();
    let jobs = jobs.into_iter().filter(|(own, ..)| *own == attempt);
    jobs.map(|(_, _, recipients)| recipients).sum()
}

#[tokio::test]
async fn a_push_service_that_throttles_slows_only_its_own_subscribers() {
    let (world, other) = two_services(40).await;
    world
        .service
        .answer_by_default(Answer::RetryAfter(429, "60".into()));
    let send = world.send().await;
    world.run_until_idle().await;
    let tried = world.service.seen(|seen| seen.total.requests);
    assert!(tried < 80, "{tried} of 200 were sent to it");
    assert_eq!(other.seen(|seen| seen.total.created), 200);
    let tried = usize::try_from(tried).expect("a small number");
    assert_eq!(queued_again(&world, 1), tried);
    assert_eq!(queued_again(&world, 0), 200 - tried, "they were not tried");
    for (attempt, due_at, _) in world.queue.ledger().retries() {
        assert!(due_at >= world.after(60), "attempt {attempt}");
    }

    world.service.answer_by_default(Answer::Created);
    world.turn_clock(Duration::from_mins(10));
    world.run_until_idle().await;
    let record = world.record(&world.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 400));
}

#[tokio::test]
async fn who_is_put_off_for_longer_than_the_message_is_good_for_has_failed() {
    let (world, _other) = two_services(40).await;
    world
        .service
        .answer_by_default(Answer::RetryAfter(429, "3600".into()));
    let options = PushOptions {
        ttl: Ttl::parse(600).expect("ten minutes"),
        ..PushOptions::default()
    };
    let send = world.send_with(options).await;
    world.run_until_idle().await;
    let tried = world.service.seen(|seen| seen.total.requests);
    assert!(tried < 80, "{tried} of 200 were sent to it");
    let failed = world.record(&world.app, &send).await.counts.failed_other;
    assert_eq!(failed, 200 - i64::try_from(tried).expect("a small number"));
    let letters = world.dead_letters().await;
    assert!(letters.iter().all(|(reason, ..)| reason == "out_of_time"));
    assert!(!letters.is_empty());
}

#[tokio::test]
async fn without_a_time_to_wait_for_everybody_is_tried_though_fewer_at_a_time() {
    let (world, other) = two_services(64).await;
    world.service.answer_by_default(Answer::Status(503));
    world.deliver().await;
    assert_eq!(world.service.seen(|seen| seen.total.requests), 200);
    assert_eq!(queued_again(&world, 1), 200);
    assert_eq!(other.seen(|seen| seen.total.created), 200);
}

#[tokio::test]
async fn who_waits_for_a_silent_push_service_shares_the_fate_of_those_it_does_not_answer() {
    let (mut world, other) = two_services(32).await;
    world.settings.answer_timeout = Duration::from_secs(1);
    world.service.answer_by_default(Answer::Hang);
    world.deliver().await;
    let tried = world.service.seen(|seen| seen.total.requests);
    assert!(tried < 100, "{tried} of 200 were sent to it");
    assert_eq!(queued_again(&world, 1), 200, "it was tried on their behalf");
    assert_eq!(other.seen(|seen| seen.total.created), 200);
}

#[tokio::test]
async fn who_waits_too_long_for_a_turn_is_put_off() {
    let mut world = World::with(many()).await;
    world.settings.per_origin.requests = 8;
    world.settings.turn_patience = Duration::from_millis(100);
    world.settings.answer_timeout = Duration::from_secs(2);
    world.service.answer_by_default(Answer::Hang);
    world.subscribe(200).await;
    let send = world.send().await;
    world.run_until_idle().await;
    assert_eq!(queued_again(&world, 0) + queued_again(&world, 1), 200);
    assert!(queued_again(&world, 0) >= 100, "most were not tried");

    world.service.answer_by_default(Answer::Created);
    world.settings.turn_patience = Duration::from_mins(1);
    world.turn_clock(Duration::from_mins(10));
    world.run_until_idle().await;
    assert_eq!(world.record(&world.app, &send).await.counts.sent, 200);
}
