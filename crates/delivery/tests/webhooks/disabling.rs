//! When events are posted at all: with a URL, on the plan that takes, and until the receiver is gone or fails for days.

use std::time::Duration;

use hato_domain::{DisabledReason, Plan};
use hato_service::ports::{
    AppChange, ChangeAppOutcome, Clock as _, EnableWebhookOutcome, SettleOutcome, Settlement,
};
use hato_testkit::webhook_receiver::ReceiverResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_webhooks::{DAY, TestWebhooks, reached};

/// Settles a send to one subscriber; whether events tell of it.
async fn settle(test: &TestWebhooks) -> bool {
    test.send(&test.app).await;
    let (page, recipients) = test.claim().await;
    let settlement = Settlement {
        sent: reached(&recipients),
        ..Settlement::default()
    };
    match test.settle(&page, settlement).await {
        SettleOutcome::RecordedWithEvents => true,
        SettleOutcome::Recorded => false,
        SettleOutcome::LeaseLost => panic!("the lease was held"),
    }
}

async fn enable(test: &TestWebhooks) -> EnableWebhookOutcome {
    let enabled = test.store.enable_webhook(&test.app).await;
    enabled.expect("stored")
}

#[on_each_database]
async fn a_410_disables_it_until_it_is_enabled(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.subscribe(&test.app, 1).await;
    test.receiver.script([ReceiverResponse::Status(410)]);
    settle(&test).await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, Some(DisabledReason::Gone));
    let seen = test.receiver.seen().len();
    assert!(!settle(&test).await, "no event is written");
    test.advance_clock(DAY);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), seen, "nothing is posted");

    assert_eq!(enable(&test).await, EnableWebhookOutcome::Done);
    assert_eq!(test.webhook().await.disabled, None);
    assert!(settle(&test).await);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), seen + 2);
}

#[on_each_database]
async fn a_410_disables_it_after_the_clock_was_set_back(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.subscribe(&test.app, 1).await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    settle(&test).await;
    test.post().await;
    test.rewind_clock(DAY);
    test.receiver.respond_with(ReceiverResponse::Status(410));
    settle(&test).await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, Some(DisabledReason::Gone));
}

#[on_each_database]
async fn what_waits_at_a_410_is_discarded(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    let widening = vec![ReceiverResponse::Status(200); 20];
    test.receiver.script(widening);
    test.receiver.respond_with(ReceiverResponse::Status(410));
    for _ in 0..100 {
        test.queue_test_event().await;
    }
    test.post().await;
    let seen = test.receiver.seen().len();
    assert!(seen < 100, "{seen} were posted");
    assert_eq!(enable(&test).await, EnableWebhookOutcome::Done);
    test.advance_clock(DAY);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), seen, "the others are discarded");
}

/// Lets the time pass with an attempt at least every 20 hours.
async fn keep_posting_for(test: &TestWebhooks, mut span: Duration) {
    while span > Duration::ZERO {
        test.queue_test_event().await;
        test.post().await;
        let step = span.min(Duration::from_hours(20));
        test.advance_clock(step);
        span -= step;
    }
}

#[on_each_database]
async fn five_days_without_success_disable_it(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    let short_of_five_days = Duration::from_secs(5 * 24 * 3_600 - 1);
    test.receiver.respond_with(ReceiverResponse::Status(500));
    keep_posting_for(&test, short_of_five_days).await;
    test.receiver.script([ReceiverResponse::Status(200)]);
    test.queue_test_event().await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, None, "something succeeded");
    keep_posting_for(&test, short_of_five_days).await;
    test.queue_test_event().await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, None);
    test.advance_clock(Duration::from_secs(1));
    test.queue_test_event().await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, Some(DisabledReason::Failing));
}

#[on_each_database]
async fn a_quiet_time_between_two_failures_does_not_disable_it(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.respond_with(ReceiverResponse::Status(500));
    for _ in 0..3 {
        test.queue_test_event().await;
        test.post().await;
        assert_eq!(test.webhook().await.disabled, None);
        test.advance_clock(6 * DAY);
    }
    keep_posting_for(&test, 5 * DAY).await;
    test.queue_test_event().await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, Some(DisabledReason::Failing));
}

#[on_each_database]
async fn a_receiver_that_asks_for_the_longest_wait_each_time_is_disabled(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    let a_day_later = DAY + Duration::from_secs(1);
    test.receiver
        .respond_with(ReceiverResponse::RetryAfter(DAY.as_secs()));
    test.queue_test_event().await;
    for attempts in 1..=5 {
        test.post().await;
        assert_eq!(test.receiver.seen().len(), attempts);
        assert_eq!(test.webhook().await.disabled, None);
        test.advance_clock(a_day_later);
    }
    test.queue_test_event().await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, Some(DisabledReason::Failing));
}

#[on_each_database]
async fn a_long_wait_before_a_retry_is_no_quiet_time(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    let hours = |hours: u64| Duration::from_secs(hours * 3_600 + 1);
    test.settings.retry_delays = vec![hours(50); 2];
    test.receiver.respond_with(ReceiverResponse::Status(500));
    test.queue_test_event().await;
    test.post().await;
    // By chance up to a fifth later.
    test.advance_clock(hours(60));
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 2);
    assert_eq!(test.webhook().await.disabled, None);
    test.advance_clock(hours(60));
    test.queue_test_event().await;
    test.post().await;
    assert_eq!(test.webhook().await.disabled, Some(DisabledReason::Failing));
}

#[on_each_database]
async fn another_url_starts_afresh_and_the_same_does_not(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Status(410)]);
    test.queue_test_event().await;
    test.post().await;
    test.set_webhook_url(&test.app, test.receiver.url()).await;
    assert_eq!(test.webhook().await.disabled, Some(DisabledReason::Gone));
    let other = format!("{}&v=2", test.receiver.url());
    test.set_webhook_url(&test.app, &other).await;
    assert_eq!(test.webhook().await.disabled, None);
}

#[on_each_database]
async fn a_downgrade_stops_events_and_keeps_the_url(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.subscribe(&test.app, 1).await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    settle(&test).await;
    test.post().await;
    let seen = test.receiver.seen().len();
    test.set_plan(Plan::Free).await;
    assert!(!settle(&test).await);
    test.advance_clock(DAY);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), seen);
    let webhook = test.webhook().await;
    assert_eq!(webhook.url, test.receiver.url());
    assert_eq!(webhook.disabled, Some(DisabledReason::PlanRequired));
    assert_eq!(enable(&test).await, EnableWebhookOutcome::PlanRequired);

    test.set_plan(Plan::Pro).await;
    assert!(settle(&test).await);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), seen + 2);
}

#[on_each_database]
async fn without_a_url_nothing_is_written_and_what_waits_is_discarded(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.subscribe(&test.app, 1).await;
    settle(&test).await;
    let cleared = test
        .store
        .change_app(&test.app, AppChange::from_webhook(None))
        .await;
    assert!(matches!(
        cleared.expect("stored"),
        ChangeAppOutcome::Changed(_)
    ));
    assert!(!settle(&test).await);
    assert_eq!(enable(&test).await, EnableWebhookOutcome::NoWebhook);
    let webhook = test.store.webhook(&test.app, test.clock.now()).await;
    assert!(webhook.expect("read").is_none());
    test.post().await;
    test.set_webhook_url(&test.app, test.receiver.url()).await;
    test.post().await;
    assert!(test.receiver.seen().is_empty());
}

#[on_each_database]
async fn a_deleted_app_posts_no_more(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.queue_test_event().await;
    test.receiver.script([ReceiverResponse::Status(500)]);
    test.post().await;
    let now = test.clock.now();
    assert!(test.store.delete_app(&test.app, now).await.expect("stored"));
    while test.store.purge_deleted_apps(1).await.expect("stored") {}
    test.advance_clock(DAY);
    test.post().await;
    assert_eq!(test.receiver.seen().len(), 1);
}
