//! The sender's loop: woken, stopped, interrupted, restarted, and never losing an event.

use std::collections::BTreeSet;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::AppId;
use hato_service::ports::{Clock as _, NextOutbox, OutboxClaimRequest, OutboxLease};
use hato_testkit::webhook_receiver::{Event, ReceiverResponse};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_webhooks::TestWebhooks;

/// Queues a test event of the app, notifies of it and waits until it has come.
async fn announce_and_see(test: &TestWebhooks, app: &AppId) {
    let count = test.receiver.seen().len() + 1;
    test.queue_test_event_of(app).await;
    test.notifier.notify_event(app);
    test.receiver.wait_until(|seen| seen.len() == count).await;
}

#[on_each_database]
async fn a_ring_starts_it_and_a_drain_ends_it(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.poll_interval = Duration::from_hours(1);
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    for _ in 1..=3 {
        announce_and_see(&test, &test.app).await;
    }
    shutdown.drain();
    running.await.expect("no panic");
    assert_eq!(test.attempts().await.len(), 3);
}

#[on_each_database]
async fn an_event_does_not_wait_for_the_answer_to_the_one_before(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.poll_interval = Duration::from_hours(1);
    test.receiver.script([ReceiverResponse::Hang]);
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    for _ in 1..=3 {
        announce_and_see(&test, &test.app).await;
    }
    shutdown.abort();
    running.await.expect("no panic");
}

#[on_each_database]
async fn every_app_is_heard_with_few_permits(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.poll_interval = Duration::from_hours(1);
    let other = test.new_app().await;
    test.set_webhook_url(&other, test.receiver.url()).await;
    for max_in_flight in [1, 2] {
        test.settings.max_in_flight = max_in_flight;
        let shutdown = Shutdown::new();
        let running = tokio::spawn(test.sender().run(shutdown.clone()));
        for app in [&test.app, &other, &test.app] {
            announce_and_see(&test, app).await;
        }
        shutdown.drain();
        running.await.expect("no panic");
    }
}

#[on_each_database]
async fn draining_records_what_is_in_flight_and_posts_no_more(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.per_app = 1;
    test.settings.response_timeout = Duration::from_secs(1);
    test.receiver.respond_with(ReceiverResponse::Hang);
    test.queue_test_event().await;
    test.queue_test_event().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    test.receiver.wait_until(|seen| seen.len() == 1).await;
    shutdown.drain();
    running.await.expect("no panic");
    assert_eq!(test.attempts().await.len(), 1);
    assert_eq!(test.receiver.seen().len(), 1);
}

#[on_each_database]
async fn what_an_abort_leaves_unknown_is_posted_again_under_its_id(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Hang]);
    test.queue_test_event().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    test.receiver.wait_until(|seen| seen.len() == 1).await;
    shutdown.abort();
    running.await.expect("no panic");
    assert!(test.attempts().await.is_empty());
    test.post().await;
    let ids: BTreeSet<_> = test.receiver.seen().iter().map(Event::id).collect();
    assert_eq!((ids.len(), test.receiver.seen().len()), (1, 2));
}

async fn next_outbox(test: &TestWebhooks) -> NextOutbox {
    let claim = OutboxClaimRequest {
        now: test.clock.now(),
        lease: test.settings.lease,
        include_slow: true,
    };
    test.store.claim_outbox(claim).await.expect("asked")
}

async fn claim(test: &TestWebhooks) -> Option<OutboxLease> {
    match next_outbox(test).await {
        NextOutbox::Claimed(outbox) => Some(outbox),
        NextOutbox::Idle { .. } => None,
    }
}

#[on_each_database]
async fn the_outbox_of_a_dead_process_is_claimed_when_its_lease_ends(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.queue_test_event().await;
    let dead = claim(&test).await.expect("an outbox");
    test.post().await;
    assert!(test.receiver.seen().is_empty(), "it is somebody else's");
    test.advance_clock(test.settings.lease);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 1);
    let (now, lease) = (test.clock.now(), test.settings.lease);
    let renewed = test.store.renew_outbox(&dead, now, lease).await;
    assert!(!renewed.expect("asked"), "the lease was lost");
}

#[on_each_database]
async fn a_lease_is_renewed_while_its_outbox_is_worked_on(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.lease = Duration::from_millis(30);
    let most_of_it = Duration::from_millis(29);
    test.receiver.respond_with(ReceiverResponse::Hang);
    test.queue_test_event().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    test.receiver.wait_until(|seen| !seen.is_empty()).await;
    for _ in 0..5 {
        test.advance_clock(most_of_it);
        until_renewed(&test).await;
    }
    assert_eq!(test.receiver.seen().len(), 1);
    shutdown.abort();
    running.await.expect("no panic");
}

/// Resolves when the outbox is due in a whole lease from now.
async fn until_renewed(test: &TestWebhooks) {
    let (now, lease) = (test.clock.now(), test.settings.lease);
    loop {
        match next_outbox(test).await {
            NextOutbox::Claimed(_) => panic!("the lease has ended"),
            NextOutbox::Idle { next_due } if next_due == Some(now.plus(lease)) => return,
            NextOutbox::Idle { .. } => tokio::task::yield_now().await,
        }
    }
}

#[on_each_database]
async fn a_clock_that_was_set_back_stops_nothing(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    test.queue_test_event().await;
    test.post().await;
    test.queue_test_event().await;
    claim(&test).await.expect("an outbox");
    test.rewind_clock(Duration::from_hours(48));
    for turned in [Duration::ZERO, test.settings.lease] {
        test.advance_clock(turned);
        test.post().await;
    }
    assert_eq!(test.receiver.seen().len(), 3, "one of them twice");
}

#[on_each_database]
async fn without_the_encryption_key_events_wait(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.queue_test_event().await;
    let posted = test.sender_with_key(None).run_until_idle().await;
    posted.expect("the store answers");
    assert!(test.receiver.seen().is_empty());
    test.advance_clock(Duration::from_mins(1));
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 1);
}
