//! Who took what was sent, as finished sends tell.

use hato_domain::{AppId, FailureReason};
use hato_service::ports::{ClaimedPage, NewDeadLetter, RecipientId, RetryJob, Settlement};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, ids, sent_to};

/// More than leave dead letters, in blocks of positions of which none is full.
const RECIPIENTS: usize = 10_600;

fn dead(recipients: &[RecipientId]) -> Vec<NewDeadLetter> {
    let dead = recipients.iter().map(|recipient| NewDeadLetter {
        recipient: *recipient,
        reason: FailureReason::Refused,
        http_status: Some(400),
        attempts: 1,
        detail: None,
    });
    dead.collect()
}

/// The first of the page take it, the last ones are tried again later, and all others fail.
async fn settle(test: &TestStore, page: &ClaimedPage, (sent, retried): (usize, usize)) {
    let all = ids(&test.recipients(page).await);
    let (sent, rest) = all.split_at(sent);
    let (failed, retried) = rest.split_at(rest.len() - retried);
    let settlement = Settlement {
        sent: sent_to(sent),
        dead_letters: dead(failed),
        retries: vec![RetryJob {
            recipients: retried.to_vec(),
            attempt: 1,
            due_at: at(1_000),
        }],
        ..Settlement::default()
    };
    test.settle(page, settlement).await;
}

/// How many took the app's latest send that was for them.
async fn answered(test: &TestStore, app: &AppId) -> i64 {
    while test.store.record_reach(START, 10).await.expect("recorded") {}
    let summary = test.store.audience_of(app, None, START).await;
    let summary = summary.expect("read").expect("in time");
    summary
        .by_age
        .iter()
        .map(|age| age.answered_last_send)
        .sum()
}

#[on_each_database]
async fn a_send_that_fails_for_very_many_tells_who_took_it(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, RECIPIENTS).await;
    test.broadcast(&app, START).await;
    let mut took = 0;
    while let Some(page) = test.try_claim(START, 500).await {
        settle(&test, &page, (7, 3)).await;
        took += 7;
    }
    // Who is tried again fails beside others of the same block, or leaves before.
    while let Some(page) = test.try_claim(at(1_000), 500).await {
        if let [_, _, leaving] = &test.recipients(&page).await[..] {
            let left = test.store.unsubscribe(&app, &leaving.endpoint, START);
            left.await.expect("unsubscribed");
        }
        settle(&test, &page, (1, 0)).await;
        took += 1;
    }
    let send = &test.history(&app).await[0];
    assert!(send.counts.omitted_dead_letters() > 0, "{:?}", send.counts);
    assert_eq!(answered(&test, &app).await, took);

    // The next one is for the same, and everybody takes it.
    test.broadcast(&app, START).await;
    let all = test.deliver_all(START, 500).await.len();
    assert_eq!(
        answered(&test, &app).await,
        i64::try_from(all).expect("few")
    );
}
