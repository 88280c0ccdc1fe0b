//! Who is refused by their push service again and again is deactivated (CONTRACT 7).

use std::time::Duration;

use hato_domain::{AppId, FailureReason, UnixMillis};
use hato_service::ports::{
    DeactivationReason, ExpiredRecipient, NewDeadLetter, RecipientId, SettleOutcome, Settlement,
    SubscriptionFilter,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, endpoint, ids, page, sent_to};

use FailureReason::{BlockedAddress, KeyMismatch, Refused, Throttled, Unavailable};

/// A reason of a dead letter with its status.
type FailureAndStatus = (FailureReason, Option<u16>);

const REFUSED: FailureAndStatus = (Refused, Some(403));
const MISMATCH: FailureAndStatus = (KeyMismatch, Some(401));

/// What becomes of a message.
#[derive(Clone, Copy)]
enum PushResult {
    Sent,
    Failed(FailureAndStatus),
}

fn settlement(recipients: &[RecipientId], result: PushResult) -> Settlement {
    match result {
        PushResult::Sent => Settlement {
            sent: sent_to(recipients),
            ..Settlement::default()
        },
        PushResult::Failed((reason, http_status)) => {
            let dead = |recipient: &RecipientId| NewDeadLetter {
                recipient: *recipient,
                reason,
                http_status,
                attempts: 1,
                detail: None,
            };
            Settlement {
                dead_letters: recipients.iter().map(dead).collect(),
                ..Settlement::default()
            }
        }
    }
}

fn on_day(day: u64) -> UnixMillis {
    START.plus(Duration::from_hours(24 * day))
}

/// Sends to everybody on this day, with this result for all.
async fn send(test: &TestStore, app: &AppId, day: u64, result: PushResult) {
    let now = on_day(day);
    test.broadcast(app, now).await;
    while let Some(page) = test.try_claim(now, 100).await {
        let recipients = ids(&test.recipients(&page).await);
        let settled = test
            .store
            .settle(&page, settlement(&recipients, result), now);
        assert_eq!(settled.await.expect("settled"), SettleOutcome::Recorded);
    }
}

/// Sends once on each of these days.
async fn fail_on(test: &TestStore, app: &AppId, days: &[u64], failure: FailureAndStatus) {
    for day in days {
        send(test, app, *day, PushResult::Failed(failure)).await;
    }
}

async fn active(test: &TestStore, app: &AppId) -> i64 {
    test.record(app).await.active_subscriptions
}

/// Why the first of the list who is deactivated is; the order of those that registered together is not known.
async fn reason(test: &TestStore, app: &AppId) -> Option<DeactivationReason> {
    let everything = SubscriptionFilter::default();
    let newest = page(100, None);
    let list = test.store.subscriptions_of(app, &everything, &newest);
    let items = list.await.expect("listed").items;
    let deactivated = items.iter().find_map(|item| item.deactivated.as_ref());
    deactivated.map(|it| it.reason)
}

/// A store with an app that has so many subscribers.
async fn with_subscribers(database: TestDatabase, count: usize) -> (TestStore, AppId) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, count).await;
    (test, app)
}

#[on_each_database]
async fn five_refusals_in_a_row_on_three_days_deactivate(database: TestDatabase) {
    let (test, app) = with_subscribers(database, 3).await;
    fail_on(&test, &app, &[0, 0, 1, 2], REFUSED).await;
    assert_eq!(active(&test, &app).await, 3);
    fail_on(&test, &app, &[2], REFUSED).await;
    assert_eq!(active(&test, &app).await, 0);
    assert_eq!(reason(&test, &app).await, Some(DeactivationReason::Refused));
    let queued = test.broadcast(&app, on_day(2)).await;
    assert_eq!(test.send(&app, &queued).await.recipients, 0);
}

#[on_each_database]
async fn many_refusals_on_two_days_do_not(database: TestDatabase) {
    let (test, app) = with_subscribers(database, 1).await;
    fail_on(&test, &app, &[0, 0, 0, 0, 1, 1, 1, 1], REFUSED).await;
    // The clock was set back: no third day.
    fail_on(&test, &app, &[0, 1], REFUSED).await;
    assert_eq!(active(&test, &app).await, 1);
    fail_on(&test, &app, &[2], REFUSED).await;
    assert_eq!(active(&test, &app).await, 0);
}

#[on_each_database]
async fn the_reason_is_the_key_when_it_was_the_key_every_time(database: TestDatabase) {
    for (first, expected) in [
        (MISMATCH, DeactivationReason::KeyMismatch),
        (REFUSED, DeactivationReason::Refused),
    ] {
        let (test, app) = with_subscribers(database.another().await, 1).await;
        fail_on(&test, &app, &[0], first).await;
        fail_on(&test, &app, &[1, 2, 3, 4], MISMATCH).await;
        assert_eq!(reason(&test, &app).await, Some(expected));
    }
}

#[on_each_database]
async fn any_other_outcome_begins_anew(database: TestDatabase) {
    let others = [
        PushResult::Sent,
        PushResult::Failed((Throttled, Some(429))),
        PushResult::Failed((Unavailable, Some(503))),
        PushResult::Failed((BlockedAddress, None)),
        PushResult::Failed((Refused, None)),
        PushResult::Failed((Refused, Some(301))),
    ];
    for other in others {
        let (test, app) = with_subscribers(database.another().await, 2).await;
        fail_on(&test, &app, &[0, 1, 2, 3], REFUSED).await;
        send(&test, &app, 4, other).await;
        fail_on(&test, &app, &[5, 6, 7, 8], REFUSED).await;
        assert_eq!(active(&test, &app).await, 2);
        fail_on(&test, &app, &[9], REFUSED).await;
        assert_eq!(active(&test, &app).await, 0);
    }
}

#[on_each_database]
async fn only_who_was_refused_is_deactivated(database: TestDatabase) {
    let (test, app) = with_subscribers(database, 3).await;
    for day in 0..5 {
        let now = on_day(day);
        test.broadcast(&app, now).await;
        let page = test.claim(now, 100).await;
        let all = ids(&test.recipients(&page).await);
        // The second is reached once.
        let (sent, failed) = all.split_at(if day == 2 { 2 } else { 1 });
        let settled = Settlement {
            sent: sent_to(sent),
            ..settlement(failed, PushResult::Failed(REFUSED))
        };
        let settled = test.store.settle(&page, settled, now).await;
        settled.expect("settled");
    }
    assert_eq!(active(&test, &app).await, 2);
    assert_eq!(reason(&test, &app).await, Some(DeactivationReason::Refused));
}

#[on_each_database]
async fn who_comes_back_begins_anew(database: TestDatabase) {
    let (test, app) = with_subscribers(database, 1).await;
    for day in [0, 10] {
        fail_on(&test, &app, &[day, day + 1, day + 2, day + 3], REFUSED).await;
        let first = endpoint(0);
        let left = test.store.unsubscribe(&app, &first, on_day(day)).await;
        left.expect("unsubscribed");
        test.subscribe(&app, 0).await;
    }
    fail_on(&test, &app, &[20, 21, 22, 23], REFUSED).await;
    let now = on_day(24);
    test.broadcast(&app, now).await;
    let page = test.claim(now, 100).await;
    let expired = ids(&test.recipients(&page).await);
    let expired = expired.into_iter().map(|recipient| ExpiredRecipient {
        recipient,
        http_status: 410,
    });
    let settled = Settlement {
        expired: expired.collect(),
        ..Settlement::default()
    };
    test.store
        .settle(&page, settled, now)
        .await
        .expect("settled");
    assert_eq!(reason(&test, &app).await, Some(DeactivationReason::Expired));
    test.subscribe(&app, 0).await;
    fail_on(&test, &app, &[25], REFUSED).await;
    assert_eq!(active(&test, &app).await, 1);
    fail_on(&test, &app, &[26, 27, 28, 29], REFUSED).await;
    assert_eq!(active(&test, &app).await, 0);
    // Deactivated for refusals, and back once more.
    test.subscribe(&app, 0).await;
    fail_on(&test, &app, &[30, 31, 32, 33], REFUSED).await;
    assert_eq!(active(&test, &app).await, 1);
}

#[on_each_database]
async fn a_settlement_that_is_not_recorded_counts_for_nothing(database: TestDatabase) {
    let (test, app) = with_subscribers(database, 1).await;
    fail_on(&test, &app, &[0, 1, 2, 3], REFUSED).await;
    let now = on_day(4);
    test.broadcast(&app, now).await;
    let lost = test.claim(now, 100).await;
    let recipients = ids(&test.recipients(&lost).await);
    let released = test.store.release(lost.lease, now, Duration::ZERO).await;
    released.expect("released");
    let settled = test.store.settle(
        &lost,
        settlement(&recipients, PushResult::Failed(REFUSED)),
        now,
    );
    assert_eq!(settled.await.expect("judged"), SettleOutcome::LeaseLost);
    assert_eq!(active(&test, &app).await, 1);
}
