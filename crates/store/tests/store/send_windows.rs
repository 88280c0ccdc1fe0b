//! How often an app sends: windows of a minute.

use futures_util::future::join_all;
use hato_domain::{AppId, IdempotencyKey, Plan, UnixMillis};
use hato_service::ports::{AcceptSendOutcome, Audience, IdempotencyEntry, NewSend};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, endpoint};

const NO_RECIPIENTS: AcceptSendOutcome = AcceptSendOutcome::Queued { recipients: 0 };

/// A send to everyone by an app that may make two a minute.
fn limited(test: &TestStore, app: &AppId, now: UnixMillis) -> NewSend {
    NewSend {
        max_per_minute: Some(2),
        ..test.new_send(app, Audience::Everyone, now)
    }
}

#[on_each_database]
async fn a_window_opens_with_the_first_and_ends_after_a_minute(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    let accepted = async |app, millis| test.accept(limited(&test, app, at(millis))).await;
    assert_eq!(accepted(&app, 0).await, NO_RECIPIENTS);
    assert_eq!(accepted(&app, 59_999).await, NO_RECIPIENTS);
    assert_eq!(
        accepted(&app, 59_999).await,
        AcceptSendOutcome::OverRateLimit
    );
    assert_eq!(accepted(&other, 59_999).await, NO_RECIPIENTS);
    assert_eq!(accepted(&app, 60_000).await, NO_RECIPIENTS);
    assert_eq!(accepted(&app, 60_001).await, NO_RECIPIENTS);
    assert_eq!(
        accepted(&app, 119_999).await,
        AcceptSendOutcome::OverRateLimit
    );
    assert_eq!(test.history(&app).await.len(), 4);
    let unlimited = test.new_send(&app, Audience::Everyone, at(119_999));
    assert_eq!(test.accept(unlimited).await, NO_RECIPIENTS);
}

#[on_each_database]
async fn a_clock_that_was_set_back_stops_nobody_for_long(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let accepted = async |millis| test.accept(limited(&test, &app, at(millis))).await;
    assert_eq!(accepted(0).await, NO_RECIPIENTS);
    assert_eq!(accepted(0).await, NO_RECIPIENTS);
    assert_eq!(accepted(-59_999).await, AcceptSendOutcome::OverRateLimit);
    assert_eq!(accepted(-60_000).await, NO_RECIPIENTS);
}

#[on_each_database]
async fn repeated_and_refused_sends_are_not_counted(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app_of(&test.account(Plan::Free).await).await;
    test.subscribe_all(&app, 1_000).await;
    for _ in 0..29 {
        test.broadcast(&app, START).await;
    }
    let idempotent = || NewSend {
        idempotency: Some(IdempotencyEntry {
            key: IdempotencyKey::parse(b"k").expect("a key"),
            path: "/notify",
            body_hash: [1; 32],
        }),
        ..limited(&test, &app, START)
    };
    let first = idempotent();
    let replayed = AcceptSendOutcome::Replayed {
        send_id: first.id.clone(),
        recipients: 1_000,
    };
    let queued = AcceptSendOutcome::Queued { recipients: 1_000 };
    assert_eq!(test.accept(first).await, queued);
    assert_eq!(test.accept(idempotent()).await, replayed);
    let to = |audience, millis| NewSend {
        audience,
        ..limited(&test, &app, at(millis))
    };
    let unknown = to(Audience::One(endpoint(5_000)), 0);
    assert_eq!(test.accept(unknown).await, AcceptSendOutcome::NotFound);
    let over_the_month = to(Audience::Everyone, 0);
    assert_eq!(
        test.accept(over_the_month).await,
        AcceptSendOutcome::OverMonthlyLimit
    );
    let to_nobody = || to(Audience::Listed(Vec::new()), 1_000);
    assert_eq!(test.accept(to_nobody()).await, NO_RECIPIENTS);
    assert_eq!(
        test.accept(to_nobody()).await,
        AcceptSendOutcome::OverRateLimit
    );
    assert_eq!(
        test.accept(idempotent()).await,
        replayed,
        "in a full window"
    );
}

#[on_each_database]
async fn a_window_opens_with_the_first_that_is_counted(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app_of(&test.account(Plan::Free).await).await;
    test.subscribe_all(&app, 1_000).await;
    for _ in 0..30 {
        test.broadcast(&app, START).await;
    }
    let refused = limited(&test, &app, at(0));
    assert_eq!(
        test.accept(refused).await,
        AcceptSendOutcome::OverMonthlyLimit
    );
    let to_nobody = |millis| NewSend {
        audience: Audience::Listed(Vec::new()),
        ..limited(&test, &app, at(millis))
    };
    assert_eq!(test.accept(to_nobody(30_000)).await, NO_RECIPIENTS);
    assert_eq!(test.accept(to_nobody(60_000)).await, NO_RECIPIENTS);
    assert_eq!(
        test.accept(to_nobody(89_999)).await,
        AcceptSendOutcome::OverRateLimit
    );
}

#[on_each_database(flavor = "multi_thread")]
async fn of_sixteen_at_once_two_are_accepted(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let callers = (0..16).map(|_| {
        let (store, send) = (test.store.clone(), limited(&test, &app, START));
        tokio::spawn(async move { store.accept_send(send).await })
    });
    let answers = join_all(callers).await.into_iter();
    let accepted =
        answers.filter(|answer| matches!(answer, Ok(Ok(outcome)) if *outcome == NO_RECIPIENTS));
    assert_eq!(accepted.count(), 2);
}
