//! Requests that are repeated with the same idempotency key.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::{AppId, IdempotencyKey, Plan, UnixMillis};
use hato_service::ports::{AcceptSendOutcome, Audience, IdempotencyEntry, NewSend};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, endpoint};

const DAY: Duration = Duration::from_hours(24);

pub fn idempotent_send(
    test: &TestStore,
    app: &AppId,
    key: &str,
    body: u8,
    now: UnixMillis,
) -> NewSend {
    let mut send = test.new_send(app, Audience::Everyone, now);
    send.idempotency = Some(IdempotencyEntry {
        key: IdempotencyKey::parse(key.as_bytes()).expect("a key"),
        path: "/notify",
        body_hash: [body; 32],
    });
    send
}

#[on_each_database]
async fn the_same_request_gets_the_first_answer_for_a_day(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let first = idempotent_send(&test, &app, "a", 1, START);
    let id = first.id.clone();
    let queued = AcceptSendOutcome::Queued { recipients: 1 };
    assert_eq!(test.accept(first).await, queued);
    test.subscribe(&app, 1).await;
    let replayed = AcceptSendOutcome::Replayed {
        send_id: id,
        recipients: 1,
    };
    let last_moment = START.plus(DAY).minus(Duration::from_millis(1));
    for now in [START, last_moment] {
        let again = idempotent_send(&test, &app, "a", 1, now);
        assert_eq!(test.accept(again).await, replayed);
        let other_body = idempotent_send(&test, &app, "a", 2, now);
        assert_eq!(test.accept(other_body).await, AcceptSendOutcome::Conflict);
    }
    assert_eq!(test.history(&app).await.len(), 1);
    let next_day = idempotent_send(&test, &app, "a", 2, START.plus(DAY));
    assert_eq!(
        test.accept(next_day).await,
        AcceptSendOutcome::Queued { recipients: 2 }
    );
    let its_repetition = idempotent_send(&test, &app, "a", 1, START.plus(DAY));
    assert_eq!(
        test.accept(its_repetition).await,
        AcceptSendOutcome::Conflict
    );
}

#[on_each_database]
async fn key_path_and_app_together_name_a_request(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    let queued = AcceptSendOutcome::Queued { recipients: 0 };
    let long = "a".repeat(IdempotencyKey::MAX_BYTES - 1);
    for send in [
        idempotent_send(&test, &app, "a", 1, START),
        idempotent_send(&test, &app, "b", 2, START),
        idempotent_send(&test, &other, "a", 3, START),
        idempotent_send(&test, &app, &format!("{long}a"), 5, START),
        idempotent_send(&test, &app, &format!("{long}b"), 6, START),
    ] {
        assert_eq!(test.accept(send).await, queued);
    }
    let mut elsewhere = idempotent_send(&test, &app, "a", 4, START);
    elsewhere.idempotency.as_mut().expect("a key").path = "/notify/batch";
    assert_eq!(test.accept(elsewhere).await, queued);
}

#[on_each_database]
async fn a_refused_request_does_not_use_up_its_key(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app_of(&test.account(Plan::Free).await).await;
    let mut to_one = idempotent_send(&test, &app, "a", 1, START);
    to_one.audience = Audience::One(endpoint(0));
    assert_eq!(
        test.accept(to_one.clone()).await,
        AcceptSendOutcome::NotFound
    );
    test.subscribe(&app, 0).await;
    assert_eq!(
        test.accept(to_one).await,
        AcceptSendOutcome::Queued { recipients: 1 }
    );
}

#[on_each_database(flavor = "multi_thread")]
async fn of_sixteen_identical_requests_one_sends(database: TestDatabase) {
    let test = Arc::new(TestStore::new(database).await);
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let requests = (0..16).map(|_| {
        let send = idempotent_send(&test, &app, "a", 1, at(1));
        let store = test.store.clone();
        tokio::spawn(async move { store.accept_send(send).await })
    });
    let answers: Vec<_> = join_all(requests)
        .await
        .into_iter()
        .map(|answer| answer.expect("no panic").expect("judged"))
        .collect();
    let queued = AcceptSendOutcome::Queued { recipients: 1 };
    assert_eq!(answers.iter().filter(|it| **it == queued).count(), 1);
    let sent = &test.history(&app).await;
    assert_eq!(sent.len(), 1);
    let replayed = AcceptSendOutcome::Replayed {
        send_id: sent[0].id.clone(),
        recipients: 1,
    };
    assert_eq!(answers.iter().filter(|it| **it == replayed).count(), 15);
}
