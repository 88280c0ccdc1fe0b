//! Statistics of an app.

use hato_domain::{AppId, FailureReason, Plan, UnixMillis};
use hato_service::ports::{
    DayCounts, ExpiredRecipient, NewDeadLetter, Settlement, StatsPeriod, StatsRecord,
};

use crate::world::{START, World, ids, sent_to};

const DAY: i64 = 86_400_000;

/// So many days after the start.
fn days(number: i64) -> UnixMillis {
    UnixMillis(START.0 + number * DAY)
}

/// The statistics as of `now`, told by day from `first` on.
async fn stats(world: &World, app: &AppId, first: UnixMillis, now: UnixMillis) -> StatsRecord {
    let period = StatsPeriod {
        first_day: first.day_number(),
        month: now.month(),
    };
    let stats = world.store.stats(app, period).await;
    stats.expect("read").expect("the app")
}

/// A broadcast at `now` of which one recipient fails, one is gone, and the others are reached.
async fn mixed_send(world: &World, app: &AppId, now: UnixMillis) {
    world.broadcast(app, now).await;
    let page = world.claim(now, 100).await;
    let recipients = world.recipients(&page).await;
    let settlement = Settlement {
        sent: sent_to(&ids(&recipients[2..])),
        expired: vec![ExpiredRecipient {
            recipient: recipients[0].id,
            http_status: 410,
        }],
        dead_letters: vec![NewDeadLetter {
            recipient: recipients[1].id,
            reason: FailureReason::Refused,
            http_status: Some(403),
        }],
        ..Settlement::default()
    };
    world.settle(&page, settlement).await;
}

#[tokio::test]
async fn an_app_that_did_nothing_has_zeros() {
    let world = World::new().await;
    let app = world.app().await;
    let stats = stats(&world, &app, START, START).await;
    assert_eq!((stats.active, stats.deactivated), (0, 0));
    assert_eq!(
        (stats.month_recipients, stats.total_sent, stats.total_failed),
        (0, 0, 0)
    );
    assert!(stats.days.is_empty() && stats.plan == Plan::Pro);
}

#[tokio::test]
async fn an_app_that_is_gone_has_none() {
    let world = World::new().await;
    let app = world.app().await;
    world.store.delete_app(&app, START).await.expect("deleted");
    let period = StatsPeriod {
        first_day: 0,
        month: START.month(),
    };
    let stats = world.store.stats(&app, period).await;
    assert!(stats.expect("read").is_none());
}

#[tokio::test]
async fn sends_are_counted_by_the_day_of_their_acceptance() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe_all(&app, 6).await;
    for day in [0, 1, 1, 3] {
        mixed_send(&world, &app, days(day)).await;
    }
    let stats = stats(&world, &app, days(1), days(3)).await;
    let day = |day, sends, sent, failed| DayCounts {
        day: days(day).day_number(),
        sends,
        sent,
        failed,
    };
    // Each send loses a recipient: 6, 5, 4 and 3 were active.
    assert_eq!(stats.days, [day(1, 2, 5, 4), day(3, 1, 1, 2)]);
    assert_eq!((stats.total_sent, stats.total_failed), (10, 8));
    assert_eq!((stats.active, stats.deactivated), (2, 4));
}

#[tokio::test]
async fn the_last_moment_of_a_day_is_not_the_next_one() {
    let world = World::new().await;
    let app = world.app().await;
    world.broadcast(&app, UnixMillis(days(1).0 - 1)).await;
    world.broadcast(&app, days(1)).await;
    let stats = stats(&world, &app, START, days(1)).await;
    let sends: Vec<_> = stats.days.iter().map(|day| (day.day, day.sends)).collect();
    let first = START.day_number();
    assert_eq!(sends, [(first, 1), (first + 1, 1)]);
}

#[tokio::test]
async fn the_month_is_counted_by_account_and_outlives_an_app() {
    let world = World::new().await;
    let account = world.account(Plan::Pro).await;
    let (app, other) = (world.app_of(&account).await, world.app_of(&account).await);
    let stranger = world.app().await;
    for app in [&app, &other, &stranger] {
        world.subscribe_all(app, 3).await;
        world.broadcast(app, START).await;
    }
    let count = async |now| stats(&world, &app, START, now).await.month_recipients;
    assert_eq!(count(START).await, 6);
    world
        .store
        .delete_app(&other, START)
        .await
        .expect("deleted");
    while world.store.purge_deleted_apps(100).await.expect("removed") {}
    assert_eq!(count(START).await, 6);
    assert_eq!(count(START.month().end()).await, 0);
}

#[tokio::test]
async fn what_a_beginner_has_done_is_known() {
    let world = World::new().await;
    let app = world.app().await;
    let done = async || {
        let stats = stats(&world, &app, days(40), days(40)).await;
        (stats.had_key, stats.had_subscriber, stats.total_sends)
    };
    assert_eq!(done().await, (false, false, 0));
    let key = world.new_key(&app, [1; 32]);
    assert!(world.store.create_key(key).await.expect("made"));
    assert_eq!(done().await, (true, false, 0));
    world.subscribe_all(&app, 1).await;
    world.broadcast(&app, START).await;
    assert_eq!(done().await, (true, true, 1));
}
