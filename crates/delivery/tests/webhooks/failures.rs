//! What does not arrive is posted again, under the same id, until the waits are used up.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hato_delivery::{DeliverySettings, Janitor, Shutdown};
use hato_domain::{NoResponseReason, WebhookEventId};
use hato_service::ports::{Clock, WebhookResponse};
use hato_testkit::webhook_receiver::{Event, ReceiverResponse};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::sync::Semaphore;

use crate::test_webhooks::{DAY, TestWebhooks};

fn answer(status: u16, text: &str) -> WebhookResponse {
    WebhookResponse::Received {
        status,
        text: text.to_owned(),
    }
}

/// Asks for the event of the newest attempt to be posted once more.
async fn resend(test: &TestWebhooks) -> WebhookEventId {
    let id = test.attempts().await[0].event_id.clone();
    let now = test.clock.now();
    let queued = test.store.resend_event(&test.app, &id, now).await;
    assert!(queued.expect("stored"));
    test.notifier.notify_event(&test.app);
    id
}

#[on_each_database]
async fn an_event_is_posted_again_under_its_id_until_the_waits_are_used_up(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.retry_delays = vec![Duration::from_secs(10), Duration::from_mins(10)];
    test.receiver
        .respond_with(ReceiverResponse::Text(500, "broken".into()));
    test.queue_test_event().await;
    for (wait, attempts) in [(0, 1), (7, 1), (5, 2), (470, 2), (250, 3), (100_000, 3)] {
        test.advance_clock(Duration::from_secs(wait));
        test.post().await;
        assert_eq!(test.receiver.seen().len(), attempts, "after {wait} s");
    }
    let events = test.receiver.seen();
    let ids: BTreeSet<_> = events.iter().map(Event::id).collect();
    let bodies: BTreeSet<_> = events.iter().map(|event| event.body.clone()).collect();
    assert_eq!((ids.len(), bodies.len()), (1, 1));
    let attempts = test.attempts().await;
    let shown: Vec<_> = attempts
        .iter()
        .map(|it| (it.attempt, &it.response))
        .collect();
    let broken = answer(500, "broken");
    assert_eq!(shown, [(3, &broken), (2, &broken), (1, &broken)]);
    assert!(attempts.iter().all(|attempt| attempt.next_at.is_none()));
}

#[on_each_database]
async fn a_signature_is_as_old_as_its_attempt(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    test.queue_test_event().await;
    test.post().await;
    test.advance_clock(Duration::from_mins(1));
    test.post().await;
    let seen = test.receiver.seen();
    let times: Vec<i64> = seen
        .iter()
        .map(|event| event.header("webhook-timestamp").parse().expect("a number"))
        .collect();
    assert_eq!(times[1] - times[0], 60);
    assert_ne!(
        seen[0].header("webhook-signature"),
        seen[1].header("webhook-signature")
    );
}

#[on_each_database]
async fn retry_after_is_waited_for(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::RetryAfter(90)]);
    test.queue_test_event().await;
    test.post().await;
    let next = test.attempts().await[0].next_at.expect("a retry");
    assert_eq!(next.since(test.clock.now()), Duration::from_secs(90));
    test.advance_clock(Duration::from_secs(89));
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 1);
    test.advance_clock(Duration::from_secs(1));
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 2);
}

#[on_each_database]
async fn an_event_that_waits_for_its_retry_holds_nothing_back(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.subscribe(&test.app, 1).await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    test.deliver(&test.app).await;
    test.deliver(&test.app).await;
    test.post().await;
    let first: Vec<_> = test.receiver.seen().iter().map(Event::id).collect();
    assert_eq!(first.len(), 4);
    test.receiver.take();
    test.advance_clock(Duration::from_mins(1));
    test.post().await;
    let again: Vec<_> = test.receiver.seen().iter().map(Event::id).collect();
    assert_eq!(again, first[..1]);
}

#[on_each_database]
async fn a_redirect_is_not_followed(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    let there = format!("{}&elsewhere", test.receiver.url());
    test.receiver.script([ReceiverResponse::Redirect(there)]);
    test.queue_test_event().await;
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 1);
    assert_eq!(test.attempts().await[0].response, answer(307, ""));
}

#[on_each_database]
async fn a_receiver_that_closes_or_is_not_there_is_tried_again(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Close]);
    test.queue_test_event().await;
    test.post().await;
    test.set_webhook_url(&test.app, "https://127.0.0.1:1/")
        .await;
    test.advance_clock(Duration::from_mins(1));
    test.post().await;
    test.set_webhook_url(&test.app, test.receiver.url()).await;
    test.advance_clock(Duration::from_mins(10));
    test.post().await;
    let replies: Vec<_> = test
        .attempts()
        .await
        .into_iter()
        .map(|it| (it.attempt, it.response))
        .collect();
    let unreachable = || WebhookResponse::NotReceived(NoResponseReason::Unreachable);
    assert_eq!(
        replies,
        [(3, answer(204, "")), (2, unreachable()), (1, unreachable())]
    );
}

#[on_each_database]
async fn an_event_older_than_five_days_is_dropped(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    test.queue_test_event().await;
    test.post().await;
    test.queue_test_event().await;
    test.advance_clock(Duration::from_hours(5 * 24) + Duration::from_millis(1));
    test.queue_test_event().await;
    test.post().await;
    let ids: Vec<_> = test.receiver.seen().iter().map(Event::id).collect();
    assert_eq!(ids.len(), 2, "one that was tried, and the new one");
    assert_ne!(ids[0], ids[1]);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 2);
    assert!(test.attempts().await[1].next_at.is_none());
}

/// On PostgreSQL no events are claimed by a clock that is not the database's.
#[tokio::test]
async fn by_a_clock_that_was_set_far_ahead_no_event_is_dropped() {
    let test = TestWebhooks::new(TestDatabase::sqlite().await).await;
    let sender = test.sender();
    test.queue_test_event().await;
    test.advance_clock(DAY * 6);
    sender.run_until_idle().await.expect("the store answers");
    assert_eq!(test.receiver.seen().len(), 1);
}

#[on_each_database]
async fn an_event_that_nobody_posts_ends_after_five_days(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.queue_test_event().await;
    let settings = DeliverySettings::new(String::new(), [Duration::ZERO; 3], 90);
    for (turn, waits) in [(DAY * 5, true), (Duration::from_millis(1), false)] {
        test.advance_clock(turn);
        let clock: Arc<dyn Clock> = Arc::clone(&test.clock) as _;
        let janitor = Janitor::new(Arc::clone(&test.store), clock, &settings);
        assert!(janitor.sweep().await);
        let oldest = test.store.oldest_event().await.expect("read");
        assert_eq!(oldest.is_some(), waits);
    }
}

#[on_each_database]
async fn an_event_can_be_posted_once_more(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.queue_test_event().await;
    test.post().await;
    let id = resend(&test).await;
    test.post().await;
    let ids: Vec<_> = test.receiver.seen().iter().map(Event::id).collect();
    assert_eq!(ids, [id.as_str(), id.as_str()]);
    let (other, now) = (test.new_app().await, test.clock.now());
    let queued = test.store.resend_event(&other, &id, now).await;
    assert!(!queued.expect("stored"), "it is another app's");
}

#[on_each_database]
async fn a_resend_that_fails_uses_up_no_retry(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.retry_delays = vec![Duration::from_secs(10), Duration::from_mins(10)];
    test.receiver.respond_with(ReceiverResponse::Status(500));
    test.queue_test_event().await;
    test.post().await;
    let next_at = test.attempts().await[0].next_at;
    resend(&test).await;
    test.post().await;
    let attempts = test.attempts().await;
    let shown: Vec<_> = attempts.iter().map(|it| (it.attempt, it.next_at)).collect();
    assert_eq!(shown, [(2, next_at), (1, None)]);
    for (wait, attempts) in [(12, 3), (1, 3), (720, 4), (100_000, 4)] {
        test.advance_clock(Duration::from_secs(wait));
        test.post().await;
        assert_eq!(test.receiver.seen().len(), attempts, "after {wait} s");
    }
}

#[on_each_database]
async fn a_resend_that_arrives_ends_the_retries(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    test.queue_test_event().await;
    test.post().await;
    resend(&test).await;
    test.post().await;
    test.advance_clock(Duration::from_hours(48));
    test.post().await;
    let replies: Vec<_> = test
        .attempts()
        .await
        .into_iter()
        .map(|it| (it.attempt, it.response, it.next_at))
        .collect();
    assert_eq!(
        replies,
        [(2, answer(204, ""), None), (1, answer(500, ""), None)]
    );
}

#[on_each_database]
async fn a_resend_during_an_attempt_follows_it(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.poll_interval = Duration::from_hours(1);
    let answers = Arc::new(Semaphore::new(0));
    let held = ReceiverResponse::When(Arc::clone(&answers));
    test.receiver.script([ReceiverResponse::Status(500), held]);
    test.queue_test_event().await;
    test.post().await;
    test.advance_clock(Duration::from_mins(1));
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    test.receiver.wait_until(|seen| seen.len() == 2).await;
    let id = resend(&test).await;
    answers.add_permits(1);
    test.receiver.wait_until(|seen| seen.len() == 3).await;
    shutdown.drain();
    running.await.expect("no panic");
    let seen = test.receiver.seen();
    assert!(seen.iter().all(|event| event.id() == id.as_str()));
    let attempts: Vec<_> = test.attempts().await.iter().map(|it| it.attempt).collect();
    assert_eq!(attempts, [3, 2, 1]);
}
