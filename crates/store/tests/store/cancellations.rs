//! Cancelling: what is claimed is settled, what is not leaves the queue, and every recipient is accounted for.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, poll_immediate};
use futures_util::join;
use hato_domain::{AppId, Email, OutboundPolicy, Plan, PushHosts, SendId};
use hato_service::ports::{
    Audience, ClaimedPage, ExpiredRecipient, GithubId, RetryJob, SendCounts, SendStatus,
    SettleOutcome, Settlement, SystemClock,
};
use hato_service::{AppLimits, GithubUser, Notifier, Secrets, Service, ServiceSettings};
use hato_testkit::{TestDatabase, on_each_database};
use uuid::Uuid;

use crate::test_store::{LEASE, START, TestStore, at, endpoint, ids, sent_to};

pub async fn cancel(test: &TestStore, app: &AppId, send: &SendId) -> Option<i64> {
    let cancelled = test.store.cancel_send(app, send, START).await;
    cancelled.expect("judged")
}

pub async fn outcome(test: &TestStore, app: &AppId, send: &SendId) -> (SendStatus, SendCounts) {
    let send = test.send(app, send).await;
    (send.status, send.counts)
}

#[on_each_database]
async fn a_send_that_nobody_claimed_is_cancelled_at_once(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 5).await;
    let send = test.broadcast(&app, START).await;
    test.unsubscribe(&app, 0).await;
    assert_eq!(cancel(&test, &app, &send).await, Some(4));
    let counts = SendCounts {
        cancelled: 4,
        skipped: 1,
        ..SendCounts::default()
    };
    let expected = (SendStatus::Cancelled, counts);
    assert_eq!(outcome(&test, &app, &send).await, expected);
    assert_eq!(test.next_due(START).await, None);
    assert_eq!(cancel(&test, &app, &send).await, Some(0));
    assert_eq!(outcome(&test, &app, &send).await, expected);
}

#[on_each_database]
async fn of_thousands_exactly_those_are_cancelled_whom_nobody_claimed(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3_500).await;
    let send = test.broadcast(&app, START).await;
    let (settled, claimed) = (test.claim(START, 300).await, test.claim(START, 450).await);
    test.deliver(&settled).await;
    // Scattered over the pages and over what is left: positions follow no order of numbers.
    for number in (0..3_500).step_by(7) {
        test.unsubscribe(&app, number).await;
    }
    let active = test.record(&app).await.active_subscriptions;
    let of_pages = active_of(&test, &settled).await + active_of(&test, &claimed).await;
    assert_eq!(cancel(&test, &app, &send).await, Some(active - of_pages));
    let late = i64::try_from(test.deliver(&claimed).await.len()).expect("small");
    let (status, counts) = outcome(&test, &app, &send).await;
    assert_eq!(
        (status, counts.sent, counts.cancelled, counts.skipped),
        (
            SendStatus::Cancelled,
            300 + late,
            active - of_pages,
            3_200 - late - (active - of_pages)
        )
    );
}

/// How many recipients of the page are still subscribed.
async fn active_of(test: &TestStore, page: &ClaimedPage) -> i64 {
    i64::try_from(test.recipients(page).await.len()).expect("small")
}

#[on_each_database(flavor = "multi_thread")]
async fn nobody_is_lost_while_pages_are_claimed_and_browsers_leave(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 4_000).await;
    let send = test.broadcast(&app, START).await;
    let deliver = async {
        for _ in 0..10 {
            let Some(page) = test.try_claim(START, 150).await else {
                break;
            };
            test.deliver(&page).await;
        }
    };
    let leave = join_all((0..200).map(|number| test.unsubscribe(&app, number * 20)));
    let (cancelled, (), _) = join!(cancel(&test, &app, &send), deliver, leave);
    let (status, counts) = outcome(&test, &app, &send).await;
    assert_eq!(
        (status, Some(counts.cancelled)),
        (SendStatus::Cancelled, cancelled)
    );
    assert_eq!(counts.sent + counts.cancelled + counts.skipped, 4_000);
    assert!((0..=200).contains(&counts.skipped), "{counts:?}");
}

#[on_each_database]
async fn a_claimed_page_is_delivered_and_its_retries_are_cancelled(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 10).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 4).await;
    assert_eq!(cancel(&test, &app, &send).await, Some(6));
    let (status, _) = outcome(&test, &app, &send).await;
    assert_eq!(status, SendStatus::Sending);
    let all = ids(&test.recipients(&page).await);
    let settlement = Settlement {
        sent: sent_to(&all[..1]),
        expired: vec![ExpiredRecipient {
            recipient: all[1],
            http_status: 410,
        }],
        retries: vec![RetryJob {
            recipients: all[2..].to_vec(),
            attempt: 1,
            due_at: at(10),
        }],
        ..Settlement::default()
    };
    assert_eq!(
        test.settle(&page, settlement).await,
        SettleOutcome::Recorded
    );
    let counts = SendCounts {
        sent: 1,
        failed_expired: 1,
        cancelled: 8,
        ..SendCounts::default()
    };
    let expected = (SendStatus::Cancelled, counts);
    assert_eq!(outcome(&test, &app, &send).await, expected);
    assert_eq!(test.next_due(START).await, None);
}

#[on_each_database]
async fn waiting_retries_leave_the_queue(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let settlement = test.retry_of_all(&page, at(60_000)).await;
    test.settle(&page, settlement).await;
    assert_eq!(cancel(&test, &app, &send).await, Some(3));
    let (status, counts) = outcome(&test, &app, &send).await;
    assert_eq!((status, counts.cancelled), (SendStatus::Cancelled, 3));
}

#[on_each_database]
async fn a_page_released_or_left_by_a_dead_process_is_nobodys(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 4).await;
    let returned = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let later = at(600_000);
    test.store
        .release(page.lease, later, Duration::ZERO)
        .await
        .expect("released");
    assert_eq!(cancel(&test, &app, &returned).await, Some(4));
    let left = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    let ended = START.plus(LEASE + Duration::from_millis(1));
    let cancelled = test.store.cancel_send(&app, &left, ended).await;
    assert_eq!(cancelled.expect("judged"), Some(4));
    let late = Settlement {
        sent: sent_to(&ids(&test.recipients(&page).await)),
        ..Settlement::default()
    };
    assert_eq!(test.settle(&page, late).await, SettleOutcome::LeaseLost);
    let (status, counts) = outcome(&test, &app, &left).await;
    assert_eq!(
        (status, counts.cancelled, counts.sent),
        (SendStatus::Cancelled, 4, 0)
    );
}

#[on_each_database]
async fn a_send_that_was_wholly_claimed_and_reached_everybody_is_done(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 100).await;
    assert_eq!(cancel(&test, &app, &send).await, Some(0));
    test.deliver(&page).await;
    let (status, counts) = outcome(&test, &app, &send).await;
    assert_eq!((status, counts.sent), (SendStatus::Done, 2));
    assert_eq!(cancel(&test, &app, &send).await, Some(0));
    assert_eq!(outcome(&test, &app, &send).await.0, SendStatus::Done);
}

#[on_each_database]
async fn nobody_cancels_what_is_not_there_or_anothers(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    test.subscribe(&app, 0).await;
    let send = test.broadcast(&app, START).await;
    assert_eq!(cancel(&test, &other, &send).await, None);
    let unknown = SendId::from_uuid(Uuid::from_u128(u128::MAX));
    assert_eq!(cancel(&test, &app, &unknown).await, None);
    let one = Audience::One(endpoint(0));
    test.accept(test.new_send(&app, one, START)).await;
    assert_eq!(test.deliver_all(START, 100).await.len(), 2);
}

fn service(test: &TestStore) -> Service {
    let settings = ServiceSettings {
        vapid_subject: "mailto:owner@example.com".to_owned(),
        default_plan: Plan::Pro,
        registration_open: true,
        outbound: OutboundPolicy::default(),
        push_hosts: PushHosts::default(),
        app_limits: AppLimits::default(),
    };
    let (store, clock) = (Arc::clone(&test.store), Arc::new(SystemClock));
    let secrets = Secrets::new(None, None);
    Service::new(store, clock, secrets, settings, Notifier::default())
}

#[on_each_database]
async fn a_cancellation_ends_as_a_whole_when_its_caller_goes_away(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let service = service(&test);
    let person = GithubUser {
        id: GithubId(1),
        email: Some(Email::parse("owner@example.com").expect("an address")),
    };
    let owner = service.log_in_with_github(person).await.expect("logged in");
    let app = test.app_of(owner.id()).await;
    test.subscribe_all(&app, 3).await;
    let send = test.broadcast(&app, START).await;
    let access = service.manage(&owner, app.as_str()).await;
    let access = access.expect("the owner's");
    let begun = poll_immediate(service.cancel(&access, send.as_str())).await;
    assert!(begun.is_none(), "the caller has gone away before its end");
    service.finish().await;
    let (status, counts) = outcome(&test, &app, &send).await;
    assert_eq!((status, counts.cancelled), (SendStatus::Cancelled, 3));
}
