//! Settling: counters, deactivations, retries, dead letters and the end of a send.

use hato_domain::FailureReason;
use hato_service::ports::{
    ExpiredRecipient, FailureTally, NewDeadLetter, PageRange, RecipientId, RetryJob, SendCounts,
    SendFailure, SendStatus, SettleOutcome, Settlement,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, ids, sent_to};

pub fn expired(recipient: RecipientId) -> ExpiredRecipient {
    ExpiredRecipient {
        recipient,
        http_status: 410,
    }
}

pub fn dead(recipient: RecipientId) -> NewDeadLetter {
    NewDeadLetter {
        recipient,
        reason: FailureReason::Refused,
        http_status: Some(400),
        attempts: 1,
        detail: None,
    }
}

pub fn retry(recipients: &[RecipientId], attempt: u8, millis: i64) -> RetryJob {
    RetryJob {
        recipients: recipients.to_vec(),
        attempt,
        due_at: at(millis),
    }
}

#[on_each_database]
async fn every_outcome_is_counted_once_and_adds_up(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 10).await;
    let send = test.broadcast(&app, START).await;
    test.unsubscribe(&app, 9).await;
    let page = test.claim(START, 100).await;
    let all = ids(&test.recipients(&page).await);
    let settlement = Settlement {
        sent: sent_to(&all[..3]),
        expired: all[3..5].iter().copied().map(expired).collect(),
        dead_letters: all[5..6].iter().copied().map(dead).collect(),
        retries: vec![retry(&all[6..8], 1, 10), retry(&all[8..9], 1, 20)],
        ..Settlement::default()
    };
    assert_eq!(
        test.settle(&page, settlement).await,
        SettleOutcome::Recorded
    );
    let sending = test.send(&app, &send).await;
    assert_eq!(
        (sending.status, sending.counts.skipped),
        (SendStatus::Sending, 0)
    );
    assert_eq!(test.record(&app).await.active_subscriptions, 7);
    assert_eq!(test.next_due(START).await, Some(at(10)));
    assert_eq!(test.deliver_all(at(20), 100).await.len(), 3);
    let done = test.send(&app, &send).await;
    let counts = SendCounts {
        sent: 6,
        failed_expired: 2,
        failed_other: 1,
        skipped: 1,
        cancelled: 0,
    };
    assert_eq!(
        (done.status, done.recipients, done.counts),
        (SendStatus::Done, 10, counts)
    );
}

#[on_each_database]
async fn a_retry_goes_to_those_that_failed_at_its_time_and_with_its_attempt(
    database: TestDatabase,
) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 5).await;
    let send = test.broadcast(&app, START).await;
    let mut page = test.claim(START, 100).await;
    let all = ids(&test.recipients(&page).await);
    let failing = all[1..3].to_vec();
    let mut reached = vec![all[0], all[3], all[4]];
    for attempt in 1..=3 {
        let retries = vec![retry(&failing, attempt, i64::from(attempt) * 100)];
        test.settle(
            &page,
            Settlement {
                sent: sent_to(&reached),
                retries,
                ..Settlement::default()
            },
        )
        .await;
        let due = at(i64::from(attempt) * 100);
        assert_eq!(
            test.next_due(at(i64::from(attempt) * 100 - 1)).await,
            Some(due)
        );
        page = test.claim(due, 100).await;
        assert_eq!(
            (page.attempt, &page.range),
            (attempt, &PageRange::List(failing.clone()))
        );
        assert_eq!(ids(&test.recipients(&page).await), failing);
        reached = Vec::new();
    }
    let dead_letters = failing.iter().copied().map(dead).collect();
    test.settle(
        &page,
        Settlement {
            dead_letters,
            ..Settlement::default()
        },
    )
    .await;
    let done = test.send(&app, &send).await;
    assert_eq!(
        (done.status, done.counts.sent, done.counts.failed_other),
        (SendStatus::Done, 3, 2)
    );
    assert_eq!(test.record(&app).await.active_subscriptions, 5);
}

#[on_each_database]
async fn whoever_leaves_before_the_retry_is_skipped(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let retries = vec![retry(&ids(&test.recipients(&page).await), 1, 10)];
    test.settle(
        &page,
        Settlement {
            retries,
            ..Settlement::default()
        },
    )
    .await;
    test.unsubscribe(&app, 1).await;
    assert_eq!(test.deliver_all(at(10), 100).await.len(), 1);
    let counts = test.send(&app, &send).await.counts;
    assert_eq!((counts.sent, counts.skipped), (1, 1));
}

#[on_each_database]
async fn the_same_subscription_found_gone_by_two_sends_is_counted_off_once(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let sends = [
        test.broadcast(&app, START).await,
        test.broadcast(&app, START).await,
    ];
    let pages = [test.claim(START, 100).await, test.claim(START, 100).await];
    let all = ids(&test.recipients(&pages[0]).await);
    let gone = all[0];
    for page in &pages {
        let expired = vec![expired(gone)];
        test.settle(
            page,
            Settlement {
                sent: sent_to(&all[1..]),
                expired,
                ..Settlement::default()
            },
        )
        .await;
    }
    assert_eq!(test.record(&app).await.active_subscriptions, 2);
    for send in &sends {
        let counts = test.send(&app, send).await.counts;
        assert_eq!(
            (counts.sent, counts.failed_expired, counts.skipped),
            (2, 1, 0)
        );
    }
    test.broadcast(&app, START).await;
    assert!(!test.deliver_all(START, 100).await.contains(&gone));
}

#[on_each_database]
async fn a_late_410_does_not_deactivate_whoever_came_back_since(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let expired = ids(&test.recipients(&page).await)
        .into_iter()
        .map(expired)
        .collect();
    test.unsubscribe(&app, 0).await;
    test.subscribe(&app, 0).await;
    test.settle(
        &page,
        Settlement {
            expired,
            ..Settlement::default()
        },
    )
    .await;
    assert_eq!(test.record(&app).await.active_subscriptions, 1);
    assert_eq!(test.send(&app, &send).await.counts.failed_expired, 1);
}

#[on_each_database]
async fn a_lost_lease_deactivates_and_queues_nothing(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let all = ids(&test.recipients(&page).await);
    test.deliver(&page).await;
    let late = Settlement {
        expired: vec![expired(all[0])],
        dead_letters: vec![dead(all[1])],
        retries: vec![retry(&all[2..], 1, 10)],
        ..Settlement::default()
    };
    assert_eq!(test.settle(&page, late).await, SettleOutcome::LeaseLost);
    assert_eq!(test.record(&app).await.active_subscriptions, 3);
    assert_eq!(test.next_due(at(10)).await, None);
    let counts = test.send(&app, &send).await.counts;
    assert_eq!(
        counts,
        SendCounts {
            sent: 3,
            ..SendCounts::default()
        }
    );
}

#[on_each_database]
async fn the_last_two_pages_settled_at_once_end_the_send(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let send = test.broadcast(&app, START).await;
    let pages = [test.claim(START, 1).await, test.claim(START, 1).await];
    tokio::join!(test.deliver(&pages[0]), test.deliver(&pages[1]));
    let send = test.send(&app, &send).await;
    assert_eq!((send.status, send.counts.sent), (SendStatus::Done, 2));
}

/// Whoever makes up endpoints makes up push services: a row for each recipient of each send would fill the disk.
#[on_each_database]
async fn failures_at_push_services_beyond_a_thousand_are_counted_by_their_reason_alone(
    database: TestDatabase,
) {
    const HOSTS: usize = 1_200;
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2 * HOSTS).await;
    let send = test.broadcast(&app, START).await;
    for _ in 0..4 {
        let page = test
            .claim(START, u32::try_from(HOSTS / 2).expect("small"))
            .await;
        let recipients = ids(&test.recipients(&page).await);
        let expired = recipients.iter().map(|recipient| expired(*recipient));
        let tallies = recipients.iter().map(|recipient| FailureTally {
            host: format!(
                "{}.example",
                recipient.0 % i64::try_from(HOSTS).expect("small")
            ),
            reason: FailureTally::EXPIRED,
            recipients: 1,
        });
        let settlement = Settlement {
            expired: expired.collect(),
            tallies: tallies.collect(),
            ..Settlement::default()
        };
        test.settle(&page, settlement).await;
    }
    let found = test.store.failures_of(&app, &send, 2_000).await;
    let found = found.expect("read").items;
    assert_eq!(found.len(), 1_000);
    assert!(
        found
            .iter()
            .all(|it| it.recipients == 2 && !it.host.is_empty())
    );
    let flaws = test.store.check_failures(START, false).await;
    assert_eq!(
        flaws.expect("checked"),
        [],
        "all others are counted as well"
    );
}

#[on_each_database]
async fn failures_are_told_by_push_service_and_reason_to_their_own_app(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    test.subscribe_all(&app, 3).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let tally = |host: &str, reason, recipients| FailureTally {
        host: host.to_owned(),
        reason,
        recipients,
    };
    let settlement = Settlement {
        tallies: vec![
            tally("a.example", "refused", 1),
            tally("b.example", "expired", 2),
        ],
        ..Settlement::default()
    };
    assert_eq!(
        test.settle(&page, settlement).await,
        SettleOutcome::Recorded
    );
    let failures = async |app, limit| {
        let found = test.store.failures_of(app, &send, limit).await;
        found.expect("read").items
    };
    let failure = |host: &str, reason: &str, recipients| SendFailure {
        host: host.to_owned(),
        reason: reason.to_owned(),
        recipients,
    };
    let most = failure("b.example", "expired", 2);
    let least = failure("a.example", "refused", 1);
    assert_eq!(failures(&app, 10).await, [most.clone(), least]);
    assert_eq!(failures(&app, 1).await, [most]);
    assert_eq!(failures(&other, 10).await, []);
}
