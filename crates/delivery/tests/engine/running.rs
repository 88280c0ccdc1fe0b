//! The engine's loop: woken, stopped, interrupted, and never losing what it knows.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_service::ports::{Clock as _, SendStatus};
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::{TestDatabase, on_each_database};
use tokio::time::timeout;

use crate::test_engine::TestEngine;

/// Far longer than an engine needs that has nothing to wait for.
const END_TIMEOUT: Duration = Duration::from_mins(1);

#[on_each_database]
async fn a_ring_starts_a_delivery_and_a_drain_ends_the_loop(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.poll_interval = Duration::from_hours(1);
    test.settings.page_size = 10;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.subscribe(95).await;
    let send = test.send().await;
    test.notifier.notify();
    test.queue.wait_until(|log| log.sent() == 95).await;
    shutdown.drain();
    running.await.expect("no panic");
    assert_eq!(test.queue.log().settlements.len(), 10);
    let record = test.record(&test.app, &send).await;
    assert_eq!(record.status, SendStatus::Done);
}

#[on_each_database]
async fn draining_finishes_what_is_in_flight_and_claims_no_more(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.pages_in_flight = 1;
    test.settings.page_size = 2;
    test.settings.max_parked_recipients = 0;
    test.subscribe(4).await;
    // Whoever registered first: those who do so together come in any order.
    test.service.respond_by_number(|number| match number {
        0 => ScriptedResponse::Hang,
        _ => ScriptedResponse::Created,
    });
    test.settings.response_timeout = Duration::from_secs(2);
    let send = test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.service
        .wait_until(|seen| seen.total.requests == 2)
        .await;
    shutdown.drain();
    running.await.expect("no panic");
    {
        let log = test.queue.log();
        assert_eq!((log.claims, log.sent()), (1, 1));
        assert_eq!(log.retries(), [(1, test.after(5), 1)]);
    }
    test.advance_clock(Duration::from_secs(5));
    test.run_until_idle().await;
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 4);
}

#[on_each_database]
async fn aborting_settles_what_is_known_and_gives_back_the_rest(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    let subscriptions = test.subscribe(3).await;
    test.service
        .script(&subscriptions[1], [ScriptedResponse::Hang]);
    let send = test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.service
        .wait_until(|seen| seen.total.requests == 3)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
    let known = test.record(&test.app, &send).await.counts.sent;
    assert!(known <= 2);
    test.run_until_idle().await;
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 3));
}

#[on_each_database]
async fn aborting_before_anything_is_known_gives_back_the_page(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.subscribe(3).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.service
        .wait_until(|seen| seen.total.requests == 3)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
    let log = test.queue.log();
    assert!(log.settlements.is_empty());
    // A claim that was on its way may find the page that has just been given back, and gives it back too.
    assert!(!log.releases.is_empty());
    assert!(log.releases.iter().all(|due| *due == test.clock.now()));
}

#[on_each_database]
async fn a_lease_is_renewed_while_its_page_is_in_flight(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.lease = Duration::from_secs(1);
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.subscribe(1).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.queue.wait_until(|log| log.renewals >= 5).await;
    let (claims, releases) = {
        let log = test.queue.log();
        (log.claims, log.releases.len())
    };
    shutdown.abort();
    running.await.expect("no panic");
    // A claim whose answer comes after its lease is given back and made again.
    assert_eq!(claims, 1 + releases);
}

#[on_each_database]
async fn a_page_in_work_that_is_due_again_goes_on_under_its_new_lease(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.response_timeout = Duration::from_secs(2);
    let subscriptions = test.subscribe(3).await;
    test.service
        .script(&subscriptions[1], [ScriptedResponse::Hang]);
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.service
        .wait_until(|seen| seen.total.requests == 3)
        .await;
    test.advance_clock(test.settings.lease * 2);
    test.notifier.notify();
    test.queue
        .wait_until(|log| !log.settlements.is_empty())
        .await;
    shutdown.drain();
    running.await.expect("no panic");
    {
        let log = test.queue.log();
        assert_eq!((log.claims, log.sent()), (2, 2));
        assert_eq!(log.retries().len(), 1);
    }
    assert_eq!(test.service.seen(|seen| seen.total.requests), 3);
}

#[on_each_database]
async fn who_has_lost_a_page_to_another_process_leaves_the_rest_of_it_to_that(
    database: TestDatabase,
) {
    let mut test = TestEngine::new(database).await;
    test.settings.lease = Duration::from_secs(1);
    test.settings.response_timeout = Duration::from_hours(1);
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.subscribe(3).await;
    test.send().await;
    let engine = test.engine();
    let running = tokio::spawn(async move { engine.run_until_idle().await });
    test.service
        .wait_until(|seen| seen.total.requests == 3)
        .await;
    let ended = timeout(END_TIMEOUT, async {
        test.lose_page_to_another().await;
        running.await
    });
    let ended = ended.await.expect("it ends");
    ended.expect("no panic").expect("the store answers");
    let log = test.queue.log();
    assert!(log.settlements.is_empty() && log.renewals > 0);
}

#[on_each_database]
async fn who_hears_of_a_claim_when_its_lease_has_ended_sends_nothing(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.lease = Duration::from_secs(1);
    test.subscribe(5).await;
    let send = test.send().await;
    test.queue.log().late_claims = 1;
    let late = test.engine();
    let late = tokio::spawn(async move { late.run_until_idle().await });
    test.queue.wait_until(|log| log.claims == 1).await;
    test.advance_clock(test.settings.lease);
    test.run_until_idle().await;
    late.await.expect("no panic").expect("the store answers");
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 5);
    assert_eq!(test.service.seen(|seen| seen.total.requests), 5);
}

#[on_each_database]
async fn a_store_that_fails_is_asked_again_until_it_has_recorded(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.lease = Duration::from_millis(30);
    test.queue.log().failing_settlements = 4;
    test.subscribe(5).await;
    assert_eq!(test.deliver().await.counts.sent, 5);
    assert_eq!(test.queue.log().settlements.len(), 1);
    assert_eq!(test.service.seen(|seen| seen.total.requests), 5);
}
