//! What is too old goes, a few rows at a time; what counts stays.

use std::time::Duration;

use hato_domain::{
    AppId, FailureReason, OutboundPolicy, PageRequest, Plan, SendId, TimeZoneOffsets, UnixMillis,
    WebhookUrl,
};
use hato_service::ports::{
    AcceptSendOutcome, AppChange, Audience, DeactivationCursor, FailureTally, IdempotencyEntry,
    LocalDayCounts, NewDeadLetter, OverviewPeriod, PendingLogin, QueueTestOutcome, RegisterOutcome,
    Settlement, StatsPeriod,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, ids, new_session};

/// A finished send of `app` whose recipients all became dead letters.
async fn failed_send(test: &TestStore, app: &AppId, now: UnixMillis) -> SendId {
    let send = test.broadcast(app, now).await;
    let page = test.claim(now, 1_000).await;
    let recipients = ids(&test.recipients(&page).await);
    let count = i64::try_from(recipients.len()).expect("few");
    let dead = |recipient| NewDeadLetter {
        recipient,
        reason: FailureReason::Refused,
        http_status: Some(400),
        attempts: 1,
        detail: None,
    };
    let settlement = Settlement {
        dead_letters: recipients.into_iter().map(dead).collect(),
        tallies: vec![FailureTally {
            host: "push.example".into(),
            reason: "refused",
            recipients: count,
        }],
        ..Settlement::default()
    };
    test.settle(&page, settlement).await;
    send
}

async fn dead_letters(test: &TestStore, app: &AppId) -> usize {
    let page = PageRequest::parse(Some("100"), None, None).expect("a page");
    let letters = test.store.dead_letters_of(app, None, &page, None).await;
    letters.expect("listed").len()
}

/// Purges until nothing is left to purge, and returns the number of steps.
async fn purge_sends(test: &TestStore, before: UnixMillis, limit: u32) -> usize {
    let mut steps = 1;
    while test.store.purge_sends(before, limit).await.expect("purged") {
        steps += 1;
    }
    steps
}

#[on_each_database]
async fn sends_go_with_their_dead_letters_when_they_are_old(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    failed_send(&test, &app, START).await;
    failed_send(&test, &app, at(1_000)).await;
    purge_sends(&test, START, 100).await;
    assert_eq!(test.history(&app).await.len(), 2, "none is older");
    purge_sends(&test, at(1_000), 100).await;
    assert_eq!(test.history(&app).await.len(), 1);
    assert_eq!(dead_letters(&test, &app).await, 3);
}

#[on_each_database]
async fn a_send_that_is_not_finished_stays(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    test.broadcast(&app, START).await;
    let page = test.claim(START, 1).await;
    test.deliver(&page).await;
    purge_sends(&test, at(1_000_000), 100).await;
    assert_eq!(test.history(&app).await.len(), 1);
    assert_eq!(test.deliver_all(START, 10).await.len(), 2);
    purge_sends(&test, at(1_000_000), 100).await;
    assert_eq!(test.history(&app).await.len(), 0);
}

#[on_each_database]
async fn each_step_is_small(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 10).await;
    for _ in 0..3 {
        failed_send(&test, &app, START).await;
    }
    assert!(test.store.purge_sends(at(1), 4).await.expect("purged"));
    assert_eq!(dead_letters(&test, &app).await, 26);
    assert_eq!(test.history(&app).await.len(), 3);
    assert!(purge_sends(&test, at(1), 4).await >= 7);
    assert_eq!(dead_letters(&test, &app).await, 0);
    assert_eq!(test.history(&app).await.len(), 0);
}

#[on_each_database]
async fn totals_and_key_events_stay(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.store
        .create_key(test.new_key(&app, [1; 32]))
        .await
        .expect("created");
    test.subscribe_all(&app, 3).await;
    failed_send(&test, &app, START).await;
    let period = StatsPeriod {
        first_day: START.day_number(),
        month: START.month(),
    };
    let stats = async || test.store.stats(&app, period).await.expect("read");
    let before = stats().await.expect("the app");
    purge_sends(&test, at(1), 100).await;
    let after = stats().await.expect("the app");
    assert_eq!(after.total_failed, 3);
    assert_eq!(after.month_recipients, before.month_recipients);
    assert_eq!(after.days, before.days);
    let page = PageRequest::parse(None, None, None).expect("a page");
    let events = test.store.key_events_of(&app, &page).await;
    assert_eq!(events.expect("listed").len(), 1);
}

#[on_each_database]
async fn what_was_counted_by_quarter_of_an_hour_goes_and_totals_stay(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    let later = START.plus(Duration::from_mins(15));
    failed_send(&test, &app, START).await;
    failed_send(&test, &app, later).await;
    let period = OverviewPeriod {
        first_day: START.day_number(),
        zone: TimeZoneOffsets::UTC,
        month: START.month(),
    };
    let counted = async || {
        let stats = test.store.overview(&app, period).await.expect("read");
        let stats = stats.expect("the app");
        let sum = |count: fn(&LocalDayCounts) -> i64| stats.days.iter().map(count).sum::<i64>();
        let recent = (sum(|day| day.failed), sum(|day| day.gained));
        (stats.total_failed, recent)
    };
    let purge = async |before| {
        let purged = test.store.purge_recent_counts(before, 1).await;
        purged.expect("purged")
    };
    assert!(!purge(START).await, "none is older");
    assert_eq!(counted().await, (2, (2, 1)));
    assert!(purge(later).await);
    assert_eq!(counted().await, (2, (1, 1)));
    assert!(purge(later).await);
    assert_eq!(counted().await, (2, (1, 0)));
    assert!(!purge(later).await);
}

/// One step, and where the next one goes on.
async fn purge_subscriptions(
    test: &TestStore,
    before: UnixMillis,
    after: Option<DeactivationCursor>,
    limit: u32,
) -> Option<DeactivationCursor> {
    let store = &test.store;
    let purged = store.purge_deactivated_subscriptions(before, after, limit);
    purged.await.expect("purged")
}

/// How many deactivated subscriptions the app's statistics tell of.
async fn deactivated(test: &TestStore, app: &AppId) -> i64 {
    let period = StatsPeriod {
        first_day: 0,
        month: START.month(),
    };
    let stats = test.store.stats(app, period).await.expect("read");
    stats.expect("the app").deactivated
}

/// An app whose webhook has an event that waits, since the start.
async fn app_with_waiting_event(test: &TestStore) -> AppId {
    let app = test.app().await;
    let url = WebhookUrl::parse("https://hooks.example/1", &OutboundPolicy::default());
    let set = test
        .store
        .change_app(&app, AppChange::from_webhook(Some(url.expect("a URL"))))
        .await;
    set.expect("stored");
    let queued = test.store.queue_test_event(&app, START).await;
    assert_eq!(queued.expect("stored"), QueueTestOutcome::Queued);
    app
}

#[on_each_database]
async fn subscriptions_that_an_event_may_name_stay_and_hold_up_no_others(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (named, other) = (app_with_waiting_event(&test).await, test.app().await);
    for app in [&named, &other] {
        for number in 0..2 {
            test.subscribe(app, number).await;
            test.unsubscribe(app, number).await;
        }
    }
    let later = at(1_000);
    let next = purge_subscriptions(&test, later, None, 2).await;
    assert!(next.is_some(), "two were looked at, and there are more");
    assert_eq!(deactivated(&test, &named).await, 2);
    purge_subscriptions(&test, later, next, 2).await;
    assert_eq!(deactivated(&test, &other).await, 0);
    assert_eq!(deactivated(&test, &named).await, 2);
    let ended = async |before| {
        let ended = test.store.end_old_events(before, START, 10).await;
        ended.expect("ended")
    };
    assert_eq!(ended(START).await, 0);
    assert_eq!(ended(at(1)).await, 1);
    assert_eq!(ended(at(1)).await, 0);
    purge_subscriptions(&test, later, None, 10).await;
    assert_eq!(deactivated(&test, &named).await, 0);
}

#[on_each_database]
async fn subscriptions_that_left_long_ago_go_and_active_ones_stay(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 5).await;
    for number in 0..3 {
        test.unsubscribe(&app, number).await;
    }
    assert!(purge_subscriptions(&test, START, None, 10).await.is_none());
    assert_eq!(deactivated(&test, &app).await, 3, "none left before");
    let next = purge_subscriptions(&test, at(1), None, 2).await;
    assert!(next.is_some());
    assert!(purge_subscriptions(&test, at(1), next, 2).await.is_none());
    assert_eq!(deactivated(&test, &app).await, 0);
    assert_eq!(test.record(&app).await.active_subscriptions, 2);
    let again = test.new_subscription(&app, 0);
    let id = again.id.clone();
    let registered = test.store.register_subscription(again).await;
    let created = RegisterOutcome::Created(id);
    assert_eq!(registered.expect("judged"), created, "it is new again");
}

#[on_each_database]
async fn sessions_that_ended_go(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    for (token, end) in [([1; 32], 10), ([2; 32], 20)] {
        let made = test
            .store
            .create_session(new_session(token, account.clone(), at(end), None));
        made.await.expect("made");
    }
    assert!(test.store.purge_sessions(at(10), 1).await.expect("purged"));
    assert!(!test.store.purge_sessions(at(10), 1).await.expect("purged"));
    let gone = test.store.session([1; 32], START).await.expect("read");
    assert!(gone.is_none());
    let kept = test.store.session([2; 32], START).await.expect("read");
    assert!(kept.is_some());
}

#[on_each_database]
async fn logins_that_were_not_finished_go(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let login = PendingLogin {
        state_hash: [1; 32],
        browser_hash: [2; 32],
        pkce_verifier: "verifier".into(),
        expires_at: at(10),
    };
    let begun = test.store.begin_github_login(login, START);
    begun.await.expect("kept");
    let purge = async |now| test.store.purge_github_logins(now, 10).await;
    purge(at(9)).await.expect("purged");
    purge(at(10)).await.expect("purged");
    let taken = test
        .store
        .take_github_login([1; 32], [2; 32], START)
        .await
        .expect("read");
    assert_eq!(taken, None);
}

#[on_each_database]
async fn the_names_of_old_requests_go(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 1).await;
    let accept = async || {
        let mut send = test.new_send(&app, Audience::Everyone, START);
        send.idempotency = Some(IdempotencyEntry {
            key: hato_domain::IdempotencyKey::parse(b"once").expect("a key"),
            path: "/notify",
            body_hash: [1; 32],
        });
        test.accept(send).await
    };
    assert!(matches!(accept().await, AcceptSendOutcome::Queued { .. }));
    let purge = async |before| test.store.purge_idempotency_keys(before, 10).await;
    purge(at(-1)).await.expect("purged");
    assert!(matches!(accept().await, AcceptSendOutcome::Replayed { .. }));
    purge(START).await.expect("purged");
    assert!(matches!(accept().await, AcceptSendOutcome::Queued { .. }));
}
