//! Webhooks: their secrets, the outbox, and what is kept of attempts.

use std::time::Duration;

use hato_domain::{AppId, WebhookUrl};
use hato_service::ports::{
    AppChange, Attempt, Disposition, FailingRule, MAX_WAITING_TESTS, NextOutbox,
    OutboxClaimRequest, OutboxLease, QueueTestOutcome, RecordAttemptOutcome, SealedSecrets,
    SettleOutcome, Settlement, WebhookEvent, WebhookResponse,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{LEASE, START, TestStore, at, ids, sent_to};

const URL: &str = "https://hooks.example/1";
const FIVE_DAYS: Duration = Duration::from_hours(120);

/// An app whose webhook is active.
pub async fn app_with_webhook(test: &TestStore) -> AppId {
    let app = test.app().await;
    let url = WebhookUrl::parse(URL, &hato_domain::OutboundPolicy::default()).expect("a URL");
    let set = test
        .store
        .change_app(&app, AppChange::from_webhook(Some(url)))
        .await;
    set.expect("stored");
    app
}

/// Writes an event for whoever reads the app's.
pub async fn queue_event(test: &TestStore, app: &AppId) {
    let queued = test.store.queue_test_event(app, START).await;
    assert_eq!(queued.expect("stored"), QueueTestOutcome::Queued);
}

async fn next_outbox(test: &TestStore, millis: i64, include_slow: bool) -> NextOutbox {
    let claim = OutboxClaimRequest {
        now: at(millis),
        lease: LEASE,
        include_slow,
    };
    test.store.claim_outbox(claim).await.expect("asked")
}

async fn claim(test: &TestStore, millis: i64) -> OutboxLease {
    match next_outbox(test, millis, true).await {
        NextOutbox::Claimed(outbox) => outbox,
        NextOutbox::Idle { next_due } => panic!("nothing is due before {next_due:?}"),
    }
}

/// What is due of an outbox.
async fn due(test: &TestStore, outbox: &OutboxLease, in_flight: &[i64]) -> Vec<WebhookEvent> {
    let due_events = test.store.due_events(outbox, in_flight, START, 100).await;
    due_events.expect("read")
}

fn attempt(event: &WebhookEvent, status: u16, disposition: Disposition) -> Attempt {
    Attempt {
        event: event.number,
        earlier: event.attempts + event.resends,
        resend: None,
        url: URL.into(),
        signature: "v1,x".into(),
        response: WebhookResponse::Received {
            status,
            text: String::new(),
        },
        started_at: START,
        duration: Duration::ZERO,
        is_slow: false,
        disposition,
    }
}

async fn record(test: &TestStore, outbox: &OutboxLease, attempt: Attempt) -> RecordAttemptOutcome {
    let failing = FailingRule {
        limit: FIVE_DAYS,
        quiet_time: FIVE_DAYS,
    };
    let recorded = test.store.record_attempt(outbox, attempt, failing, START);
    recorded.await.expect("stored")
}

async fn secrets(test: &TestStore, app: &AppId, millis: i64) -> SealedSecrets {
    let webhook = test.store.webhook(app, at(millis)).await;
    webhook.expect("read").expect("a webhook").secrets
}

#[on_each_database]
async fn the_secret_before_stays_until_it_expires(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = app_with_webhook(&test).await;
    assert_eq!(secrets(&test, &app, 0).await.current, None);
    for sealed in [vec![1], vec![9]] {
        let kept = test.store.keep_first_secret(&app, sealed).await;
        kept.expect("stored");
    }
    assert_eq!(secrets(&test, &app, 0).await.current, Some(vec![1]));
    for (sealed, until) in [(vec![2], 100), (vec![3], 200)] {
        let rotated = test.store.rotate_secret(&app, sealed, at(until)).await;
        rotated.expect("stored");
    }
    let now = secrets(&test, &app, 199).await;
    assert_eq!(
        (now.current, now.previous),
        (Some(vec![3]), Some((vec![2], at(200))))
    );
    assert_eq!(secrets(&test, &app, 200).await.previous, None);
}

#[on_each_database]
async fn an_outbox_has_one_holder_and_fences_the_others_off(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = app_with_webhook(&test).await;
    queue_event(&test, &app).await;
    let old = claim(&test, 0).await;
    let lease = i64::try_from(LEASE.as_millis()).expect("short");
    let new = claim(&test, lease).await;
    let first = due(&test, &new, &[]).await;
    let arrived = || attempt(&first[0], 200, Disposition::Arrived);
    assert_eq!(
        record(&test, &old, arrived()).await,
        RecordAttemptOutcome::LeaseLost
    );
    assert!(due(&test, &old, &[]).await.is_empty(), "the lease was lost");
    let inputs = test.store.attempt_inputs(&old, &first[0], START).await;
    assert!(inputs.expect("read").is_none(), "the lease was lost");
    assert_eq!(
        record(&test, &new, arrived()).await,
        RecordAttemptOutcome::Recorded
    );
    assert!(due(&test, &new, &[]).await.is_empty());
}

#[on_each_database]
async fn an_event_written_while_its_outbox_is_held_is_due_when_it_is_released(
    database: TestDatabase,
) {
    let test = TestStore::new(database).await;
    let app = app_with_webhook(&test).await;
    queue_event(&test, &app).await;
    let outbox = claim(&test, 0).await;
    let first = due(&test, &outbox, &[]).await;
    queue_event(&test, &app).await;
    let next_at = Some(at(500));
    record(
        &test,
        &outbox,
        attempt(&first[0], 500, Disposition::Failed(next_at)),
    )
    .await;
    test.store
        .release_outbox(&outbox, at(10))
        .await
        .expect("stored");
    let idle = next_outbox(&test, 9, true).await;
    assert!(matches!(idle, NextOutbox::Idle { next_due } if next_due == Some(at(10))));
    let outbox = claim(&test, 10).await;
    let first = due(&test, &outbox, &[]).await;
    assert_eq!((first.len(), first[0].attempts), (1, 0));
    let in_flight = due(&test, &outbox, &[first[0].number]).await;
    assert!(in_flight.is_empty());
    record(
        &test,
        &outbox,
        attempt(&first[0], 200, Disposition::Arrived),
    )
    .await;
    test.store
        .release_outbox(&outbox, START)
        .await
        .expect("stored");
    let idle = next_outbox(&test, 0, true).await;
    assert!(matches!(idle, NextOutbox::Idle { next_due } if next_due == next_at));
}

/// Whoever got no answer to a commit asks again.
#[on_each_database]
async fn an_attempt_that_is_on_record_is_not_recorded_again(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = app_with_webhook(&test).await;
    queue_event(&test, &app).await;
    let outbox = claim(&test, 0).await;
    let first = due(&test, &outbox, &[]).await;
    let failed = || attempt(&first[0], 500, Disposition::Failed(Some(START)));
    for _ in 0..2 {
        let recorded = record(&test, &outbox, failed()).await;
        assert_eq!(recorded, RecordAttemptOutcome::Recorded);
    }
    let next = due(&test, &outbox, &[]).await;
    assert_eq!(next[0].attempts, 1);
    record(&test, &outbox, attempt(&next[0], 200, Disposition::Arrived)).await;
    record(&test, &outbox, failed()).await;
    let attempts = test.store.webhook_attempts(&app, 100).await;
    let attempts: Vec<_> = attempts
        .expect("read")
        .iter()
        .map(|it| it.attempt)
        .collect();
    assert_eq!(attempts, [2, 1]);

    while test.store.purge_webhooks(0, 1).await.expect("stored") {}
    let removed = record(&test, &outbox, failed()).await;
    assert_eq!(removed, RecordAttemptOutcome::Recorded);
}

#[on_each_database]
async fn a_410_from_a_url_that_was_changed_meanwhile_changes_nothing(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = app_with_webhook(&test).await;
    queue_event(&test, &app).await;
    let outbox = claim(&test, 0).await;
    let first = due(&test, &outbox, &[]).await;
    let mut gone = attempt(&first[0], 410, Disposition::Gone);
    gone.url = "https://hooks.example/before".into();
    assert_eq!(
        record(&test, &outbox, gone).await,
        RecordAttemptOutcome::Recorded
    );
    let again = due(&test, &outbox, &[]).await;
    let is_due = again.iter().any(|event| event.number == first[0].number);
    assert!(is_due, "it goes to the new URL");
}

#[on_each_database]
async fn the_newest_attempts_are_kept_with_their_events(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let apps = [app_with_webhook(&test).await, app_with_webhook(&test).await];
    for app in &apps {
        for _ in 0..7 {
            queue_event(&test, app).await;
        }
        let outbox = claim(&test, 0).await;
        let first = due(&test, &outbox, &[]).await;
        for event in &first[..6] {
            record(&test, &outbox, attempt(event, 200, Disposition::Arrived)).await;
        }
    }
    let mut steps = 0;
    while test.store.purge_webhooks(4, 1).await.expect("stored") {
        steps += 1;
    }
    assert_eq!(
        steps, 5,
        "two attempts of each app, and each time the event of the one before"
    );
    for app in &apps {
        let attempts = test.store.webhook_attempts(app, 100).await.expect("read");
        assert_eq!(attempts.len(), 4);
        for attempt in attempts {
            let event = test.store.webhook_event(app, &attempt.event_id).await;
            assert!(event.expect("read").is_some());
        }
    }
}

#[on_each_database]
async fn an_event_is_written_if_and_only_if_its_outcome_was_counted(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = app_with_webhook(&test).await;
    test.subscribe_all(&app, 2).await;
    test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let settlement = Settlement {
        sent: sent_to(&ids(&test.recipients(&page).await)),
        ..Settlement::default()
    };
    let settled = test.settle(&page, settlement.clone()).await;
    assert_eq!(settled, SettleOutcome::RecordedWithEvents);
    let again = test.settle(&page, settlement).await;
    assert_eq!(again, SettleOutcome::LeaseLost);
    let outbox = claim(&test, 0).await;
    let first = due(&test, &outbox, &[]).await;
    assert_eq!(first.len(), 2, "results, and the end of the send");
}

#[on_each_database]
async fn a_slow_receivers_outbox_can_be_skipped(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let apps = [app_with_webhook(&test).await, app_with_webhook(&test).await];
    queue_event(&test, &apps[0]).await;
    let outbox = claim(&test, 0).await;
    let first = due(&test, &outbox, &[]).await;
    let mut slow = attempt(&first[0], 200, Disposition::Arrived);
    slow.is_slow = true;
    record(&test, &outbox, slow).await;
    queue_event(&test, &apps[0]).await;
    let released = test.store.release_outbox(&outbox, START).await;
    released.expect("stored");
    let idle = next_outbox(&test, 1, false).await;
    assert!(matches!(idle, NextOutbox::Idle { next_due: None }));
    queue_event(&test, &apps[1]).await;
    let fast = next_outbox(&test, 1, false).await;
    assert!(
        matches!(fast, NextOutbox::Claimed(outbox) if outbox.app_id == apps[1] && !outbox.is_slow)
    );
    let outbox = claim(&test, 1).await;
    assert_eq!((&outbox.app_id, outbox.is_slow), (&apps[0], true));
    let first = due(&test, &outbox, &[]).await;
    record(
        &test,
        &outbox,
        attempt(&first[0], 200, Disposition::Arrived),
    )
    .await;
    queue_event(&test, &apps[0]).await;
    let released = test.store.release_outbox(&outbox, START).await;
    released.expect("stored");
    let again = next_outbox(&test, 1, false).await;
    assert!(
        matches!(again, NextOutbox::Claimed(outbox) if !outbox.is_slow),
        "it is fast again"
    );
}

#[on_each_database]
async fn a_hundred_test_events_of_an_app_wait_at_most(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (app_with_webhook(&test).await, app_with_webhook(&test).await);
    for _ in 0..MAX_WAITING_TESTS {
        queue_event(&test, &app).await;
    }
    let one_more = || test.store.queue_test_event(&app, START);
    assert_eq!(
        one_more().await.expect("judged"),
        QueueTestOutcome::LimitReached
    );
    let outbox = claim(&test, 0).await;
    assert_eq!(due(&test, &outbox, &[]).await.len(), 100);
    queue_event(&test, &other).await;

    let first = due(&test, &outbox, &[]).await;
    let arrived = attempt(&first[0], 200, Disposition::Arrived);
    record(&test, &outbox, arrived).await;
    assert_eq!(one_more().await.expect("judged"), QueueTestOutcome::Queued);
}

/// As a process of a later version writes it that runs beside this one.
#[tokio::test]
async fn an_event_of_an_unknown_type_holds_no_other_up() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = app_with_webhook(&test).await;
    for _ in 0..3 {
        queue_event(&test, &app).await;
    }
    let outbox = claim(&test, 0).await;
    let all = due(&test, &outbox, &[]).await;
    let recorded = record(&test, &outbox, attempt(&all[0], 200, Disposition::Arrived));
    assert_eq!(recorded.await, RecordAttemptOutcome::Recorded);
    let first_two = format!("id IN ({}, {})", all[0].number, all[1].number);
    test.database.execute(&format!(
        "UPDATE webhook_events SET type = 'pigeon.landed' WHERE {first_two}"
    ));
    let numbers = |events: Vec<WebhookEvent>| events.iter().map(|it| it.number).collect::<Vec<_>>();
    assert_eq!(numbers(due(&test, &outbox, &[]).await), [all[2].number]);
    let recorded = record(&test, &outbox, attempt(&all[2], 200, Disposition::Arrived));
    assert_eq!(recorded.await, RecordAttemptOutcome::Recorded);
    let attempts = test.store.webhook_attempts(&app, 100).await;
    assert_eq!(attempts.expect("read").len(), 1, "of those that are known");
    let by_id = test.store.webhook_event(&app, &all[0].id).await;
    assert!(by_id.expect("read").is_none(), "nor can it be shown");

    // Somebody who knows it finds it, and who does not is not busy with it.
    let released = test.store.release_outbox(&outbox, START).await;
    released.expect("released");
    let next = next_outbox(&test, 0, true).await;
    let NextOutbox::Idle {
        next_due: Some(next_due),
    } = next
    else {
        panic!("it rests: {next:?}");
    };
    assert!(next_due > START && next_due < at(60_000), "{next_due:?}");
}
