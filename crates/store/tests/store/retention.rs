//! What is too old goes, a few rows at a time; what counts stays.

use std::time::Duration;

use hato_domain::{AppId, FailureReason, PageRequest, Plan, SendId, UnixMillis};
use hato_service::ports::{
    AcceptSendOutcome, Audience, FailureTally, IdempotencyEntry, NewDeadLetter, PendingLogin,
    RegisterOutcome, Settlement, StatsPeriod,
};

use crate::world::{START, World, at, ids};

/// A finished send of `app` whose recipients all became dead letters.
async fn failed_send(world: &World, app: &AppId, now: UnixMillis) -> SendId {
    let send = world.broadcast(app, now).await;
    let page = world.claim(now, 1_000).await;
    let recipients = ids(&world.recipients(&page).await);
    let count = i64::try_from(recipients.len()).expect("few");
    let dead = |recipient| NewDeadLetter {
        recipient,
        reason: FailureReason::Refused,
        http_status: Some(400),
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
    world.settle(&page, settlement).await;
    send
}

async fn dead_letters(world: &World, app: &AppId) -> usize {
    let page = PageRequest::parse(Some("100"), None, None).expect("a page");
    let letters = world.store.dead_letters_of(app, &page, None).await;
    letters.expect("listed").len()
}

/// Purges until nothing is left to purge, and returns the number of steps.
async fn purge_sends(world: &World, before: UnixMillis, limit: u32) -> usize {
    let mut steps = 1;
    while world
        .store
        .purge_sends(before, limit)
        .await
        .expect("purged")
    {
        steps += 1;
    }
    steps
}

#[tokio::test]
async fn sends_go_with_their_dead_letters_when_they_are_old() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 3).await;
    failed_send(&world, &app, START).await;
    failed_send(&world, &app, at(1_000)).await;
    purge_sends(&world, START, 100).await;
    assert_eq!(world.history(&app).await.len(), 2, "none is older");
    purge_sends(&world, at(1_000), 100).await;
    assert_eq!(world.history(&app).await.len(), 1);
    assert_eq!(dead_letters(&world, &app).await, 3);
}

#[tokio::test]
async fn a_send_that_is_not_finished_stays() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 3).await;
    world.broadcast(&app, START).await;
    let page = world.claim(START, 1).await;
    world.deliver(&page).await;
    purge_sends(&world, at(1_000_000), 100).await;
    assert_eq!(world.history(&app).await.len(), 1);
    assert_eq!(world.deliver_all(START, 10).await.len(), 2);
    purge_sends(&world, at(1_000_000), 100).await;
    assert_eq!(world.history(&app).await.len(), 0);
}

#[tokio::test]
async fn each_step_is_small() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 10).await;
    for _ in 0..3 {
        failed_send(&world, &app, START).await;
    }
    assert!(world.store.purge_sends(at(1), 4).await.expect("purged"));
    assert_eq!(dead_letters(&world, &app).await, 26);
    assert_eq!(world.history(&app).await.len(), 3);
    assert!(purge_sends(&world, at(1), 4).await >= 7);
    assert_eq!(dead_letters(&world, &app).await, 0);
    assert_eq!(world.history(&app).await.len(), 0);
}

#[tokio::test]
async fn totals_and_key_events_stay() {
    let world = World::new().await;
    let app = world.app().await;
    world
        .store
        .create_key(world.new_key(&app, [1; 32]))
        .await
        .expect("created");
    world.subscribe_all(&app, 3).await;
    failed_send(&world, &app, START).await;
    let period = StatsPeriod {
        first_day: START.day_number(),
        month: START.month(),
    };
    let stats = async || world.store.stats(&app, period).await.expect("read");
    let before = stats().await.expect("the app");
    purge_sends(&world, at(1), 100).await;
    let after = stats().await.expect("the app");
    assert_eq!(after.total_failed, 3);
    assert_eq!(after.month_recipients, before.month_recipients);
    assert_eq!(after.days, before.days);
    let page = PageRequest::parse(None, None, None).expect("a page");
    let events = world.store.key_events_of(&app, &page).await;
    assert_eq!(events.expect("listed").len(), 1);
}

#[tokio::test]
async fn subscriptions_that_left_long_ago_go_and_active_ones_stay() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 5).await;
    for number in 0..3 {
        world.unsubscribe(&app, number).await;
    }
    let purge = async |before, limit| {
        let store = &world.store;
        let purged = store.purge_deactivated_subscriptions(before, limit).await;
        purged.expect("purged")
    };
    let deactivated = async || {
        let period = StatsPeriod {
            first_day: 0,
            month: START.month(),
        };
        let stats = world.store.stats(&app, period).await.expect("read");
        stats.expect("the app").deactivated
    };
    assert!(!purge(START, 10).await);
    assert_eq!(deactivated().await, 3, "none left before");
    assert!(purge(at(1), 2).await);
    assert!(!purge(at(1), 2).await);
    assert_eq!(deactivated().await, 0);
    assert_eq!(world.record(&app).await.active_subscriptions, 2);
    let again = world.new_subscription(&app, 0);
    let id = again.id.clone();
    let registered = world.store.register_subscription(again).await;
    let created = RegisterOutcome::Created(id);
    assert_eq!(registered.expect("judged"), created, "it is new again");
}

#[tokio::test]
async fn sessions_that_ended_go() {
    let world = World::new().await;
    let account = world.account(Plan::Free).await;
    for (token, end) in [([1; 32], 10), ([2; 32], 20)] {
        let made = world
            .store
            .create_session(token, account.clone(), START, at(end), None);
        made.await.expect("made");
    }
    assert!(world.store.purge_sessions(at(10), 1).await.expect("purged"));
    assert!(!world.store.purge_sessions(at(10), 1).await.expect("purged"));
    let gone = world.store.session([1; 32], START).await.expect("read");
    assert!(gone.is_none());
    let kept = world.store.session([2; 32], START).await.expect("read");
    assert!(kept.is_some());
}

#[tokio::test]
async fn logins_that_were_not_finished_go() {
    let world = World::new().await;
    let login = PendingLogin {
        state_hash: [1; 32],
        browser_hash: [2; 32],
        pkce_verifier: "verifier".into(),
        expires_at: at(10),
    };
    let begun = world.store.begin_github_login(login, START);
    begun.await.expect("kept");
    let purge = async |now| world.store.purge_github_logins(now, 10).await;
    purge(at(9)).await.expect("purged");
    purge(at(10)).await.expect("purged");
    let taken = world
        .store
        .take_github_login([1; 32], [2; 32], START)
        .await
        .expect("read");
    assert_eq!(taken, None);
}

#[tokio::test]
async fn the_names_of_old_requests_go() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe(&app, 1).await;
    let accept = async || {
        let mut send = world.new_send(&app, Audience::Everyone, START);
        send.idempotency = Some(IdempotencyEntry {
            key: hato_domain::IdempotencyKey::parse(b"once").expect("a key"),
            path: "/notify",
            body_hash: [1; 32],
            since: START.minus(Duration::from_hours(24)),
        });
        world.accept(send).await
    };
    assert!(matches!(accept().await, AcceptSendOutcome::Queued { .. }));
    let purge = async |before| world.store.purge_idempotency_keys(before, 10).await;
    purge(at(-1)).await.expect("purged");
    assert!(matches!(accept().await, AcceptSendOutcome::Replayed { .. }));
    purge(START).await.expect("purged");
    assert!(matches!(accept().await, AcceptSendOutcome::Queued { .. }));
}
