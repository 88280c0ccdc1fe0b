//! Statistics of an app.

use std::time::Duration;

use hato_domain::{AppId, FailureReason, Plan, TimeZoneOffsets, UnixMillis};
use hato_service::ports::{
    DayCounts, ExpiredRecipient, LocalDayCounts, NewDeadLetter, OverviewPeriod, Settlement,
    StateFilter, StatsPeriod, StatsRecord, SubscriptionFilter,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, endpoint, ids, page, sent_to};

const DAY: i64 = 86_400_000;

/// So many days after the start.
fn days(number: i64) -> UnixMillis {
    UnixMillis(START.0 + number * DAY)
}

/// The statistics as of `now`, told by day from `first` on.
async fn stats(test: &TestStore, app: &AppId, first: UnixMillis, now: UnixMillis) -> StatsRecord {
    let period = StatsPeriod {
        first_day: first.day_number(),
        month: now.month(),
    };
    let stats = test.store.stats(app, period).await;
    stats.expect("read").expect("the app")
}

/// The statistics by days of a clock, from the day with the number `first_day` on.
async fn overview(
    test: &TestStore,
    app: &AppId,
    first_day: i64,
    zone: TimeZoneOffsets,
) -> StatsRecord<LocalDayCounts> {
    let period = OverviewPeriod {
        first_day,
        zone,
        month: START.month(),
    };
    let stats = test.store.overview(app, period).await;
    stats.expect("read").expect("the app")
}

/// A broadcast at `now` of which one recipient fails, one is gone, and the others are reached.
async fn mixed_send(test: &TestStore, app: &AppId, now: UnixMillis) {
    test.broadcast(app, now).await;
    let page = test.claim(now, 100).await;
    let recipients = test.recipients(&page).await;
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
            attempts: 1,
            detail: None,
        }],
        ..Settlement::default()
    };
    test.settle(&page, settlement).await;
}

#[on_each_database]
async fn an_app_that_did_nothing_has_zeros(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let stats = stats(&test, &app, START, START).await;
    assert_eq!((stats.active, stats.deactivated), (0, 0));
    assert_eq!(
        (stats.month_recipients, stats.total_sent, stats.total_failed),
        (0, 0, 0)
    );
    assert!(stats.days.is_empty() && stats.plan == Plan::Pro);
}

#[on_each_database]
async fn subscriptions_are_counted_as_they_come_and_go(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let counts = async || {
        let stats = stats(&test, &app, START, START).await;
        (stats.active, stats.deactivated)
    };
    for number in 0..4 {
        test.subscribe(&app, number).await;
    }
    assert_eq!(counts().await, (4, 0));
    for _ in 0..2 {
        test.unsubscribe(&app, 0).await;
        test.unsubscribe(&app, 1).await;
    }
    assert_eq!(counts().await, (2, 2));
    for _ in 0..2 {
        test.subscribe(&app, 0).await;
    }
    assert_eq!(counts().await, (3, 1), "one came back");
    let filter = SubscriptionFilter::default();
    let listed = test
        .store
        .subscriptions_of(&app, &filter, &page(10, None))
        .await;
    for (expected, subscription) in [(2, 1), (1, 1), (1, 0), (0, 0)]
        .into_iter()
        .zip(listed.expect("listed").items)
    {
        let removed = test
            .store
            .remove_subscription(&app, &subscription.id, START)
            .await;
        assert!(removed.expect("done"));
        assert_eq!(counts().await, expected);
    }
}

#[on_each_database]
async fn an_app_that_is_gone_has_none(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.store.delete_app(&app, START).await.expect("deleted");
    let period = StatsPeriod {
        first_day: 0,
        month: START.month(),
    };
    let stats = test.store.stats(&app, period).await;
    assert!(stats.expect("read").is_none());
}

#[on_each_database]
async fn sends_are_counted_by_the_day_of_their_acceptance(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 6).await;
    for day in [0, 1, 1, 3] {
        mixed_send(&test, &app, days(day)).await;
    }
    let stats = stats(&test, &app, days(1), days(3)).await;
    let day = |day, sends, sent, failed| DayCounts {
        day: days(day).day_number(),
        sends,
        sent,
        failed,
        displayed: 0,
        clicked: 0,
        dismissed: 0,
    };
    // Each send loses a recipient: 6, 5, 4 and 3 were active.
    assert_eq!(stats.days, [day(1, 2, 5, 4), day(3, 1, 1, 2)]);
    assert_eq!((stats.total_sent, stats.total_failed), (10, 8));
    assert_eq!((stats.active, stats.deactivated), (2, 4));
}

#[on_each_database]
async fn the_last_moment_of_a_day_is_not_the_next_one(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.broadcast(&app, UnixMillis(days(1).0 - 1)).await;
    test.broadcast(&app, days(1)).await;
    let stats = stats(&test, &app, START, days(1)).await;
    let sends: Vec<_> = stats.days.iter().map(|day| (day.day, day.sends)).collect();
    let first = START.day_number();
    assert_eq!(sends, [(first, 1), (first + 1, 1)]);
}

#[on_each_database]
async fn the_month_is_counted_by_account_and_outlives_an_app(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Pro).await;
    let (app, other) = (test.app_of(&account).await, test.app_of(&account).await);
    let stranger = test.app().await;
    for app in [&app, &other, &stranger] {
        test.subscribe_all(app, 3).await;
        test.broadcast(app, START).await;
    }
    let count = async |now| stats(&test, &app, START, now).await.month_recipients;
    assert_eq!(count(START).await, 6);
    test.store.delete_app(&other, START).await.expect("deleted");
    while test.store.purge_deleted_apps(100).await.expect("removed") {}
    assert_eq!(count(START).await, 6);
    assert_eq!(count(START.month().end()).await, 0);
}

#[on_each_database]
async fn what_a_beginner_has_done_is_known(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let done = async || {
        let stats = stats(&test, &app, days(40), days(40)).await;
        (stats.had_key, stats.last_position > 0, stats.total_sends)
    };
    assert_eq!(done().await, (false, false, 0));
    let key = test.new_key(&app, [1; 32]);
    test.create_key(key).await;
    assert_eq!(done().await, (true, false, 0));
    test.subscribe_all(&app, 1).await;
    test.broadcast(&app, START).await;
    assert_eq!(done().await, (true, true, 1));
}

#[on_each_database]
async fn what_the_audience_gained_and_lost_is_told_by_day(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let growth = async |first| {
        let first_day = days(first).day_number();
        let stats = overview(&test, &app, first_day, TimeZoneOffsets::UTC).await;
        let grown = stats.days.iter().filter(|it| it.gained + it.lost > 0);
        let grown = grown.map(|it| (it.day - START.day_number(), it.gained, it.lost));
        grown.collect::<Vec<_>>()
    };
    for number in 0..6 {
        test.subscribe(&app, number).await;
    }
    test.unsubscribe(&app, 0).await;
    test.unsubscribe(&app, 0).await;
    assert_eq!(growth(-9).await, [(0, 6, 1)]);
    test.subscribe(&app, 0).await;
    test.subscribe(&app, 1).await;
    assert_eq!(
        growth(-9).await,
        [(0, 7, 1)],
        "one came back, one was there"
    );
    mixed_send(&test, &app, days(2)).await;
    assert_eq!(growth(-9).await, [(0, 7, 2)], "one expired");
    let active = SubscriptionFilter {
        state: StateFilter::Active,
        ..SubscriptionFilter::default()
    };
    let listed = test
        .store
        .subscriptions_of(&app, &active, &page(1, None))
        .await;
    let newest = listed.expect("listed").items.remove(0).id;
    let removed = test.store.remove_subscription(&app, &newest, days(5)).await;
    assert!(removed.expect("done"));
    assert_eq!(growth(5).await, [(5, 0, 1)], "from that day on");
    assert_eq!(growth(6).await, []);
}

#[on_each_database]
async fn the_days_of_a_clock_begin_at_its_midnight(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    // One on each side of midnight in Nepal, and one after a day on which other clocks are set.
    for minutes in [18 * 60 + 14, 18 * 60 + 15, 71 * 60 + 30] {
        let now = START.plus(Duration::from_mins(minutes));
        test.broadcast(&app, now).await;
        test.deliver_all(now, 10).await;
    }
    let second_midnight = days(2).0 / 60_000;
    for (zone, sent) in [
        ("0".to_owned(), &[(0, 2), (2, 1)][..]),
        ("345".to_owned(), &[(0, 1), (1, 1), (3, 1)]),
        ("-360".to_owned(), &[(1, 2), (3, 1)]),
        (format!("0:{second_midnight}:60"), &[(0, 2), (3, 1)]),
        (format!("60:{second_midnight}:0"), &[(0, 2), (2, 1)]),
    ] {
        let offsets = TimeZoneOffsets::parse(&zone).expect("offsets");
        let first_day = offsets.day_number(START);
        let stats = overview(&test, &app, first_day, offsets).await;
        let counted = stats.days.iter().filter(|it| it.sent > 0);
        let counted: Vec<_> = counted.map(|it| (it.day - first_day, it.sent)).collect();
        assert_eq!(counted, sent, "{zone}");
        assert_eq!((stats.total_sent, stats.total_sends), (3, 3), "{zone}");
        assert_eq!(stats.days.iter().map(|it| it.gained).sum::<i64>(), 1);
        let later = overview(&test, &app, first_day + 4, offsets).await;
        assert_eq!((later.days.len(), later.total_sent), (0, 3), "{zone}");
    }
}

#[on_each_database]
async fn devices_are_those_of_active_subscriptions(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    for number in 0..4 {
        test.subscribe(&app, number).await;
    }
    test.unsubscribe(&app, 3).await;
    let sampled = async |active| {
        let sampled = test.store.sampled_devices(&app, active).await;
        let sampled = sampled.expect("read").expect("there was time");
        let endpoints = sampled.into_iter().map(|it| it.endpoint);
        endpoints.collect::<Vec<_>>()
    };
    let all: Vec<_> = [0, 1, 2].map(|it| endpoint(it).as_str().to_owned()).into();
    assert_eq!(sampled(3).await, all);
    // As if they stood for so many: of the four positions every second one is looked at.
    let spread = sampled(2_000).await;
    assert!(spread.iter().all(|it| all.contains(it)), "{spread:?}");
    assert_eq!(spread.len(), 2, "every second position");
}
