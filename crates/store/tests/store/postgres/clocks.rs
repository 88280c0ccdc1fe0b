//! Processes whose clocks differ from the database's.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::{AppId, Plan, Schedule, UnixMillis};
use hato_service::ports::{
    AcceptSendOutcome, Audience, ClaimedPage, Clock, NewSend, NextOutbox, NextPage,
    OutboxClaimRequest, PageClaimRequest, PageLease, Settlement, StartSendOutcome, Store,
    SystemClock,
};
use hato_testkit::TestDatabase;

use super::outboxes;
use crate::idempotency::idempotent_send;
use crate::test_store::{TestStore, ids, sent_to};

const LEASE: Duration = Duration::from_secs(20);

/// A clock that is this much ahead of the machine's, ms.
struct ShiftedClock(i64);

impl Clock for ShiftedClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(SystemClock.now().0 + self.0)
    }
}

/// A process whose clock is this much ahead, and which has compared it.
async fn process(test: &TestStore, ahead: i64) -> Arc<dyn Store> {
    let store = hato_store::open(test.database.url()).await.expect("opened");
    let compared = store.compare_clock(&ShiftedClock(ahead)).await;
    compared.expect("compared");
    store
}

/// A process that has not compared its clock, and takes it for right.
async fn uncompared_process(test: &TestStore) -> Arc<dyn Store> {
    let store = hato_store::open(test.database.url()).await;
    store.expect("opened")
}

async fn claim(store: &Arc<dyn Store>, ahead: i64) -> Option<PageLease> {
    Some(claim_page(store, ahead).await?.lease)
}

async fn claim_page(store: &Arc<dyn Store>, ahead: i64) -> Option<ClaimedPage> {
    match next_page(store, ahead).await {
        NextPage::Claimed(page) => Some(*page),
        NextPage::Idle { .. } => None,
        NextPage::Unreadable { error, .. } => panic!("{error}"),
    }
}

async fn next_page(store: &Arc<dyn Store>, ahead: i64) -> NextPage {
    let claim = PageClaimRequest {
        now: ShiftedClock(ahead).now(),
        lease: LEASE,
        max_recipients: 500,
        excluded_apps: Vec::new(),
        splits_rest: false,
    };
    store.claim_page(claim).await.expect("asked")
}

async fn claim_outbox(store: &Arc<dyn Store>, ahead: i64) -> Option<AppId> {
    let claim = OutboxClaimRequest {
        now: ShiftedClock(ahead).now(),
        lease: LEASE,
        include_slow: true,
    };
    match store.claim_outbox(claim).await.expect("asked") {
        NextOutbox::Claimed(outbox) => Some(outbox.app_id),
        NextOutbox::Idle { .. } => None,
    }
}

#[tokio::test]
async fn whoever_is_too_far_ahead_takes_nobodys_page_and_goes_on_when_it_is_right() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, SystemClock.now()).await;
    let (right, ahead) = (process(&test, 0).await, process(&test, 25_000).await);
    let leased = claim(&right, 5_000).await.expect("less does not matter");
    assert_eq!(
        claim(&ahead, 30_000).await,
        None,
        "its lease would have ended"
    );
    let renewed = right
        .renew_lease(leased, SystemClock.now(), Duration::ZERO)
        .await;
    renewed.expect("given up");
    assert_eq!(claim(&ahead, 30_000).await, None);
    let again = claim(&ahead, 0).await.expect("its clock was set");
    assert_eq!(again.job, leased.job);
}

#[tokio::test]
async fn whoever_is_too_far_behind_claims_nothing_and_brings_no_lease_forward() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, UnixMillis(SystemClock.now().0 - 60_000))
        .await;
    let behind = process(&test, -40_000).await;
    assert_eq!(claim(&behind, -40_000).await, None);
    let right = process(&test, 0).await;
    assert!(claim(&right, 0).await.is_some());
    let now = ShiftedClock(-40_000).now();
    let repaired = behind.repair_due_times(now, LEASE, LEASE).await;
    repaired.expect("left to others");
    assert_eq!(claim(&right, 5_000).await, None, "the lease holds");
}

/// As it is a moment before it is renewed, which is when a third of it has passed.
#[tokio::test]
async fn two_clocks_that_are_right_enough_leave_a_lease_to_who_holds_it() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, UnixMillis(SystemClock.now().0 - 60_000))
        .await;
    let (behind, ahead) = (process(&test, 0).await, process(&test, 0).await);
    assert_eq!(claim(&behind, -7_000).await, None, "it is too far off");
    let leased = claim(&behind, -5_900).await.expect("a page");
    let now = ShiftedClock(-5_900).now();
    let left = behind.renew_lease(leased, now, LEASE * 2 / 3).await;
    left.expect("renewed");
    assert_eq!(claim(&ahead, 5_900).await, None, "the lease holds");
}

/// By its clock the one that is ahead has its turn at once: more than an interval of this pace lies between them.
#[tokio::test]
async fn two_clocks_that_are_right_enough_keep_a_pace_together() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 4).await;
    let send = NewSend {
        schedule: Schedule::parse(None, None, Some(8)).expect("a schedule"),
        ..test.new_send(&app, Audience::Everyone, ShiftedClock(-60_000).now())
    };
    test.accept(send).await;
    let (behind, ahead) = (process(&test, -5_900).await, process(&test, 5_900).await);
    assert!(claim(&behind, -5_900).await.is_some());
    assert_eq!(claim(&ahead, 5_900).await, None, "too early");
}

#[tokio::test]
async fn what_is_accepted_by_a_clock_that_is_off_is_due_and_counted_by_the_others() {
    for off in [3_600_000, 5_900, -3_600_000] {
        let test = TestStore::new(TestDatabase::postgres().await).await;
        let app = test.app().await;
        test.subscribe(&app, 0).await;
        let (right, wrong) = (process(&test, 0).await, process(&test, off).await);
        let send_at = |now| NewSend {
            max_per_minute: Some(1),
            ..test.new_send(&app, Audience::Everyone, now)
        };
        let accepted = wrong.accept_send(send_at(ShiftedClock(off).now())).await;
        let accepted = accepted.expect("judged");
        assert!(matches!(accepted, AcceptSendOutcome::Queued { .. }));
        let next = right.accept_send(send_at(SystemClock.now())).await;
        let next = next.expect("judged");
        assert!(matches!(next, AcceptSendOutcome::OverRateLimit), "{off}");
        let other = uncompared_process(&test).await;
        assert!(claim(&other, 1_000).await.is_some(), "{off}");
    }
}

#[tokio::test]
async fn a_repeated_request_is_known_by_a_clock_that_is_days_off_and_counts_in_the_right_month() {
    for off in [40 * 24 * 3_600_000, -40 * 24 * 3_600_000] {
        let test = TestStore::new(TestDatabase::postgres().await).await;
        let account = test.account(Plan::Pro).await;
        let app = test.app_of(&account).await;
        test.subscribe(&app, 0).await;
        let (right, wrong) = (process(&test, 0).await, process(&test, off).await);
        let send_at = |now| idempotent_send(&test, &app, "a", 1, now);
        let accepted = wrong.accept_send(send_at(ShiftedClock(off).now())).await;
        let accepted = accepted.expect("judged");
        assert!(matches!(accepted, AcceptSendOutcome::Queued { .. }));
        for (store, off) in [(&wrong, off), (&right, 0)] {
            let again = store.accept_send(send_at(ShiftedClock(off).now())).await;
            let again = again.expect("judged");
            assert!(matches!(again, AcceptSendOutcome::Replayed { .. }), "{off}");
        }
        let month = SystemClock.now().month();
        let usage = test.store.monthly_usage(&account, month).await;
        assert_eq!(usage.expect("read").recipients, 1, "{off}");
    }
}

#[tokio::test]
async fn whose_clock_was_set_far_ahead_in_the_midst_of_a_page_holds_it_no_longer_than_others() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, SystemClock.now()).await;
    let (right, other) = (process(&test, 0).await, uncompared_process(&test).await);
    let leased = claim(&right, 0).await.expect("a page");
    let an_hour_ahead = ShiftedClock(3_600_000).now();
    let renewed = right.renew_lease(leased, an_hour_ahead, LEASE).await;
    renewed.expect("renewed");
    assert_eq!(claim(&other, 5_000).await, None, "the lease holds");
    let ended = right
        .renew_lease(leased, an_hour_ahead, Duration::ZERO)
        .await;
    ended.expect("renewed");
    assert!(claim(&other, 5_000).await.is_some(), "it is over");
}

#[tokio::test]
async fn whoever_is_too_far_off_posts_to_no_webhook() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = outboxes::app_with_event(&test).await;
    let store = process(&test, 0).await;
    for ahead in [-13_000, 13_000] {
        assert_eq!(claim_outbox(&store, ahead).await, None);
    }
    assert_eq!(claim_outbox(&store, 0).await, Some(app));
}

#[tokio::test]
async fn whoever_is_too_far_off_removes_nothing_for_its_age_and_starts_no_scheduled_send() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let due_at = ShiftedClock(3_600_000).now();
    let send = NewSend {
        schedule: Schedule::parse(Some(due_at.0), None, None).expect("a schedule"),
        ..test.new_send(&app, Audience::Everyone, SystemClock.now())
    };
    let id = send.id.clone();
    test.accept(send).await;
    let ahead = process(&test, 0).await;
    let later = UnixMillis(due_at.0 + 1);
    let started = ahead.start_send(&id, later).await.expect("judged");
    assert!(
        matches!(started, StartSendOutcome::NotWaiting),
        "{started:?}"
    );
    let leased = ahead.lease_sweep(1, later, LEASE).await;
    assert!(!leased.expect("asked"));
    let leased = ahead.lease_sweep(1, SystemClock.now(), LEASE).await;
    assert!(leased.expect("asked"), "its clock was set");
}

#[tokio::test]
async fn whoever_is_a_little_ahead_starts_no_scheduled_send_early() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let (early, right) = (process(&test, 5_000).await, process(&test, 0).await);
    for (ahead, is_started) in [(4_000, false), (-1_000, true)] {
        let due_at = ShiftedClock(ahead).now();
        let send = NewSend {
            schedule: Schedule::parse(Some(due_at.0), None, None).expect("a schedule"),
            ..test.new_send(&app, Audience::Everyone, ShiftedClock(-60_000).now())
        };
        let id = send.id.clone();
        test.accept(send).await;
        for (store, shift) in [(&early, 5_000), (&right, 0)] {
            let now = ShiftedClock(shift).now();
            let started = store.start_send(&id, now).await.expect("judged");
            let is_queued = matches!(started, StartSendOutcome::Queued);
            assert_eq!(is_queued, is_started && shift == 5_000, "{started:?}");
        }
    }
}

#[tokio::test]
async fn whoever_is_a_little_behind_starts_scheduled_sends_in_time() {
    const BEHIND: i64 = -5_900;
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let late = process(&test, BEHIND).await;
    for (ahead, is_due) in [(4_000, false), (-1_000, true)] {
        let due_at = ShiftedClock(ahead).now();
        let send = NewSend {
            schedule: Schedule::parse(Some(due_at.0), None, None).expect("a schedule"),
            ..test.new_send(&app, Audience::Everyone, ShiftedClock(-60_000).now())
        };
        let id = send.id.clone();
        test.accept(send).await;
        let now = ShiftedClock(BEHIND).now();
        let waiting = late.scheduled_sends(now, 10).await.expect("listed");
        let found = waiting.iter().find(|send| send.id == id);
        assert_eq!(found.expect("it waits").due_at <= now, is_due);
        let in_turns = late.due_sends_in_turns(now, 10).await.expect("listed");
        assert_eq!(in_turns.contains(&id), is_due);
        let started = late.start_send(&id, now).await.expect("judged");
        let is_queued = matches!(started, StartSendOutcome::Queued);
        assert_eq!(is_queued, is_due, "{started:?}");
    }
    assert!(claim(&late, BEHIND).await.is_some(), "it is delivered");
}

#[tokio::test]
async fn whoever_is_a_little_behind_claims_what_is_due_and_holds_it_like_others() {
    const BEHIND: i64 = -5_900;
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, ShiftedClock(-1_000).now()).await;
    let (late, right) = (process(&test, BEHIND).await, process(&test, 0).await);
    let leased = claim(&late, BEHIND).await.expect("a page");
    for (store, ahead) in [(&late, BEHIND), (&right, 0)] {
        let now = ShiftedClock(ahead).now();
        let repaired = store.repair_due_times(now, LEASE, LEASE).await;
        repaired.expect("asked");
        let by_its_end = claim(&right, 5_900).await;
        assert_eq!(by_its_end, None, "the lease holds");
    }
    let now = ShiftedClock(BEHIND).now();
    assert!(late.renew_lease(leased, now, LEASE).await.expect("asked"));
}

/// The wait that it is told is measured by its clock.
#[tokio::test]
async fn whoever_is_a_little_off_asks_again_when_something_is_due() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let due_at = ShiftedClock(60_000).now();
    test.broadcast(&app, due_at).await;
    for off in [-5_900, 5_900] {
        let store = process(&test, off).await;
        let NextPage::Idle { next_due } = next_page(&store, off).await else {
            panic!("nothing is due");
        };
        let next_due = next_due.expect("something will be");
        let moved = next_due.0 - due_at.0;
        assert!((moved - off).abs() < 2_000, "{moved}");
    }
}

#[tokio::test]
async fn what_somebody_a_little_ahead_gives_back_is_due_for_others() {
    const AHEAD: i64 = 5_900;
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, SystemClock.now()).await;
    let (ahead, other) = (process(&test, AHEAD).await, uncompared_process(&test).await);
    let leased = claim(&ahead, AHEAD).await.expect("a page");
    let now = ShiftedClock(AHEAD).now();
    let released = ahead.release(leased, now, Duration::ZERO).await;
    released.expect("released");
    let leased = claim(&other, 1_000).await.expect("it is due");
    let released = other.release(leased, SystemClock.now(), Duration::ZERO);
    released.await.expect("released");
    let page = claim_page(&ahead, AHEAD).await.expect("it is due again");
    let now = page.time(ShiftedClock(AHEAD).now());
    let apart = now.0 - SystemClock.now().0;
    assert!(apart.abs() < 1_000, "the page goes by the database's clock");
    let settlement = test.retry_of_all(&page, now).await;
    let settled = ahead.settle(&page, settlement, now);
    settled.await.expect("settled");
    assert!(claim(&other, 1_000).await.is_some(), "the retry is due");
}

#[tokio::test]
async fn whoever_is_too_far_ahead_cancels_nothing_that_is_in_work() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let send = test.broadcast(&app, SystemClock.now()).await;
    let (right, ahead) = (process(&test, 0).await, process(&test, 0).await);
    claim(&right, 0).await.expect("a page");
    let an_hour_ahead = ShiftedClock(3_600_000).now();
    let cancelled = ahead.cancel_send(&app, &send, an_hour_ahead).await;
    assert_eq!(cancelled.expect("asked"), Some(0));
}

#[tokio::test]
async fn who_listens_where_the_clock_is_far_behind_hears_what_others_settle() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let behind = process(&test, 0).await;
    let an_hour_ago = ShiftedClock(-3_600_000).now();
    let expires_at = an_hour_ago.plus(Duration::from_secs(15));
    let added = behind.add_listener(&app, an_hour_ago, expires_at).await;
    let listener = added.expect("asked").expect("there is room");
    let now = SystemClock.now();
    test.broadcast(&app, now).await;
    let page = test.claim(now, 10).await;
    let settlement = Settlement {
        sent: sent_to(&ids(&test.recipients(&page).await)),
        ..Settlement::default()
    };
    let settled = test.store.settle(&page, settlement, now).await;
    settled.expect("settled");
    let heard = behind.listener_events(&app, listener.after, 10).await;
    assert!(!heard.expect("read").is_empty());
}
