//! First attempts of a paced send leave the queue in pages, each when it is their time (CONTRACT 14).

use std::time::Duration;

use hato_domain::{AppId, Pace, Schedule, SendId, UnixMillis};
use hato_service::ports::{Audience, NewSend, RetryJob, SendStatus, SettleOutcome, Settlement};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{LEASE, START, TestStore, at, endpoint, ids, sent_to};

const PER_MINUTE: i64 = 60;

/// Accepts a paced send of this app.
async fn paced(test: &TestStore, app: &AppId, audience: Audience, per_minute: i64) -> SendId {
    let send = NewSend {
        schedule: Schedule::parse(None, None, Some(per_minute)).expect("a schedule"),
        ..test.new_send(app, audience, START)
    };
    let id = send.id.clone();
    test.accept(send).await;
    id
}

fn interval(per_minute: i64, max: u32) -> Duration {
    let pace = Pace::parse(per_minute).expect("a pace");
    pace.pages(max).interval
}

/// Lets the time pass as quickly as the queue allows, delivers, and returns how many first attempts began when.
async fn deliver_paced(test: &TestStore, max: u32, until: UnixMillis) -> Vec<(UnixMillis, usize)> {
    let (mut now, mut begun) = (START, Vec::new());
    while now < until {
        if let Some(page) = test.try_claim(now, max).await {
            begun.push((now, test.deliver(&page).await.len()));
        } else {
            now = now.plus(Duration::from_millis(100));
        }
    }
    begun
}

/// The most that began in any minute.
fn most_in_a_minute(begun: &[(UnixMillis, usize)]) -> usize {
    let minute = |first: &(UnixMillis, usize)| {
        let within = begun
            .iter()
            .filter(|it| it.0 >= first.0 && it.0.since(first.0) <= Duration::from_mins(1));
        within.map(|it| it.1).sum::<usize>()
    };
    begun.iter().map(minute).max().unwrap_or_default()
}

#[on_each_database]
async fn no_minute_has_more_and_everybody_has_a_turn(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 150).await;
    for (audience, recipients) in [
        (Audience::Everyone, 150),
        (Audience::Listed((0..90).map(endpoint).collect()), 90),
    ] {
        let send = paced(&test, &app, audience, PER_MINUTE).await;
        let begun = deliver_paced(&test, 500, at(240_000)).await;
        let total: usize = begun.iter().map(|it| it.1).sum();
        assert_eq!(total, recipients);
        assert!(most_in_a_minute(&begun) <= 60, "{begun:?}");
        assert!(most_in_a_minute(&begun) >= 50, "{begun:?}");
        assert_eq!(test.send(&app, &send).await.status, SendStatus::Done);
    }
}

#[on_each_database]
async fn others_do_not_wait_for_it(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 5).await;
    paced(&test, &app, Audience::Everyone, 1).await;
    let first = test.claim(START, 10).await;
    assert_eq!(test.deliver(&first).await.len(), 1);
    let other = test.broadcast(&app, START).await;
    let page = test.claim(at(1), 10).await;
    assert_eq!(page.send_id, other);
    assert_eq!(test.deliver(&page).await.len(), 5);
    let due = START.plus(interval(1, 10));
    assert_eq!(test.next_due(at(2)).await, Some(due));
}

#[on_each_database]
async fn who_comes_back_in_the_first_attempt_waits_for_another_turn(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let send = paced(&test, &app, Audience::Everyone, 1).await;
    let page = test.claim(START, 10).await;
    let deferred = Settlement {
        retries: vec![RetryJob {
            recipients: ids(&test.recipients(&page).await),
            attempt: 0,
            due_at: at(1_000),
        }],
        ..Settlement::default()
    };
    assert_eq!(test.settle(&page, deferred).await, SettleOutcome::Recorded);
    assert!(test.try_claim(at(1_000), 10).await.is_none());
    let begun = deliver_paced(&test, 10, at(400_000)).await;
    assert_eq!(begun.iter().map(|it| it.1).sum::<usize>(), 3);
    assert_eq!(most_in_a_minute(&begun), 1);
    assert!(begun[0].0 >= START.plus(interval(1, 10)), "{begun:?}");
    assert_eq!(test.send(&app, &send).await.counts.sent, 3);
}

#[on_each_database]
async fn retries_are_not_paced(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    paced(&test, &app, Audience::Everyone, 1).await;
    let page = test.claim(START, 10).await;
    let retry = test.retry_of_all(&page, at(500)).await;
    test.settle(&page, retry).await;
    let again = test.claim(at(500), 10).await;
    assert_eq!((again.attempt, again.is_paced()), (1, false));
}

#[on_each_database]
async fn a_page_whose_process_died_passes_the_gate_again(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let send = paced(&test, &app, Audience::Everyone, 1).await;
    let lost = test.claim(START, 10).await;
    let after_lease = START.plus(LEASE);
    assert!(
        test.try_claim(after_lease, 10).await.is_none(),
        "its attempt may have begun less than a minute ago"
    );
    let begun = deliver_paced(&test, 10, at(300_000)).await;
    assert_eq!(begun.iter().map(|it| it.1).sum::<usize>(), 2);
    assert_eq!(most_in_a_minute(&begun), 1);
    let settled = test.settle(&lost, Settlement::default()).await;
    assert_eq!(settled, SettleOutcome::LeaseLost);
    assert_eq!(test.send(&app, &send).await.counts.sent, 2);
}

#[on_each_database]
async fn a_page_that_is_put_back_belongs_to_who_has_it_in_work(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let send = paced(&test, &app, Audience::Everyone, 1).await;
    let page = test.claim(START, 10).await;
    let after_lease = START.plus(LEASE);
    assert!(test.try_claim(after_lease, 10).await.is_none(), "too early");
    test.deliver(&page).await;
    assert_eq!(test.send(&app, &send).await.counts.sent, 1);
    assert!(test.try_claim(at(300_000), 10).await.is_none(), "once");
}

#[on_each_database]
async fn a_clock_that_is_set_back_stops_it_for_a_minute_at_most(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    paced(&test, &app, Audience::Everyone, 1).await;
    let day_later = at(86_400_000);
    let page = test.claim(day_later, 10).await;
    test.deliver(&page).await;
    let repair = test
        .store
        .repair_due_times(START, LEASE, Duration::from_hours(2));
    repair.await.expect("repaired");
    let begun = deliver_paced(&test, 10, at(120_000)).await;
    assert_eq!(begun.len(), 1);
    assert!(begun[0].0 >= at(60_000), "{begun:?}");
}

#[on_each_database]
async fn what_is_over_does_not_wait(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 20).await;
    let send = NewSend {
        schedule: Schedule::parse(None, Some(at(30_000).0), Some(1)).expect("a schedule"),
        ..test.new_send(&app, Audience::Everyone, START)
    };
    test.accept(send).await;
    let first = test.claim(START, 10).await;
    assert_eq!(test.deliver(&first).await.len(), 1);
    let page = test.claim(at(66_000), 10).await;
    assert_eq!(test.recipients(&page).await.len(), 10);
    let rest = test.claim(at(66_000), 10).await;
    assert_eq!(test.recipients(&rest).await.len(), 9);
}

#[on_each_database]
async fn a_paced_send_is_cancelled_exactly(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 10).await;
    let send = paced(&test, &app, Audience::Everyone, PER_MINUTE).await;
    let page = test.claim(START, 500).await;
    let in_flight = ids(&test.recipients(&page).await);
    let cancelled = test.store.cancel_send(&app, &send, at(1)).await;
    assert_eq!(cancelled.expect("done"), Some(8));
    let settlement = Settlement {
        sent: sent_to(&in_flight),
        ..Settlement::default()
    };
    test.settle(&page, settlement).await;
    let record = test.send(&app, &send).await;
    assert_eq!(
        (record.status, record.counts.sent, record.counts.cancelled),
        (SendStatus::Cancelled, 2, 8)
    );
}
