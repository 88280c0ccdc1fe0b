//! Several processes on one database at the same time.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::{AppId, Plan, SendId};
use hato_service::ports::{
    AcceptSendOutcome, Audience, NextPage, PageClaimRequest, Settlement, Store, StoreError,
};
use hato_testkit::TestDatabase;

use super::checks::tag;
use super::{assert_no_deadlocks, connect, execute, until_so_many_wait, until_true};
use crate::idempotency::idempotent_send;
use crate::reviews::{begin_review, conclude, reviewed_app};
use crate::settlements::expired;
use crate::test_store::{LEASE, START, TestStore, at, ids, new_session, sent_to};

const WORKERS: usize = 6;

/// Claims and settles until nothing is due, and returns whom it reached.
pub async fn work(store: Arc<dyn Store>, excluded_apps: Vec<AppId>) -> Vec<i64> {
    let mut reached = Vec::new();
    loop {
        let claim = PageClaimRequest {
            now: START,
            lease: LEASE,
            max_recipients: 10,
            excluded_apps: excluded_apps.clone(),
            splits_rest: false,
        };
        let NextPage::Claimed(page) = store.claim_page(claim).await.expect("asked") else {
            return reached;
        };
        let recipients = ids(&store.recipients(&page).await.expect("read"));
        let settlement = Settlement {
            sent: sent_to(&recipients),
            ..Settlement::default()
        };
        store
            .settle(&page, settlement, START)
            .await
            .expect("settled");
        reached.extend(recipients.iter().map(|recipient| recipient.0));
    }
}

async fn stores(test: &TestStore) -> Vec<Arc<dyn Store>> {
    let opening = (0..WORKERS).map(|_| hato_store::open(test.database.url()));
    let opened = join_all(opening).await.into_iter();
    opened.map(|store| store.expect("opened")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_share_the_sends_and_nobody_is_reached_twice() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let mut sends = Vec::new();
    for _ in 0..5 {
        let app = test.app().await;
        test.subscribe_all(&app, 200).await;
        sends.push((test.broadcast(&app, START).await, app));
    }
    let stores = stores(&test).await;
    let working = stores
        .iter()
        .map(|store| tokio::spawn(work(Arc::clone(store), Vec::new())));
    let shares = join_all(working).await.into_iter();
    let mut reached: Vec<i64> = shares.flat_map(|share| share.expect("no panic")).collect();
    // A worker that finds only what others are claiming goes idle, and asks again later.
    reached.extend(work(Arc::clone(&test.store), Vec::new()).await);
    let everybody: HashSet<i64> = reached.iter().copied().collect();
    assert_eq!((reached.len(), everybody.len()), (1_000, 1_000));
    for (send, app) in sends {
        let send = test.send(&app, &send).await;
        assert!(send.finished_at.is_some());
        assert_eq!(send.counts.sent, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_finds_a_due_page_while_another_is_being_claimed() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, WORKERS).await;
    for number in 0..WORKERS {
        test.send_to(&app, number, START).await;
    }
    let stores = stores(&test).await;
    let claims = stores.iter().map(|store| {
        let store = Arc::clone(store);
        tokio::spawn(async move {
            let claim = PageClaimRequest {
                now: START,
                lease: LEASE,
                max_recipients: 10,
                excluded_apps: Vec::new(),
                splits_rest: false,
            };
            store.claim_page(claim).await.expect("asked")
        })
    });
    for claimed in join_all(claims).await {
        assert!(matches!(claimed.expect("no panic"), NextPage::Claimed(_)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_finds_a_broadcast_being_claimed_is_told_that_it_is_due() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 20).await;
    let stores = stores(&test).await;
    for _ in 0..20 {
        test.broadcast(&app, START).await;
        let claims = stores[..2].iter().map(|store| {
            let claim = PageClaimRequest {
                now: START,
                lease: LEASE,
                max_recipients: 10,
                excluded_apps: Vec::new(),
                splits_rest: false,
            };
            store.claim_page(claim)
        });
        for next in join_all(claims).await {
            let next = next.expect("asked");
            let is_due = matches!(next, NextPage::Idle { next_due: Some(due) } if due <= START);
            assert!(is_due || matches!(next, NextPage::Claimed(_)), "{next:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_send_that_is_cancelled_while_it_is_sent_counts_everybody_once() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 300).await;
    let stores = stores(&test).await;
    for _ in 0..10 {
        let send = test.broadcast(&app, START).await;
        let working = stores
            .iter()
            .map(|store| tokio::spawn(work(Arc::clone(store), Vec::new())));
        let cancelling = tokio::spawn(cancel(Arc::clone(&test.store), app.clone(), send.clone()));
        let shares = join_all(working).await.into_iter();
        let reached: usize = shares.map(|share| share.expect("no panic").len()).sum();
        let cancelled = cancelling.await.expect("no panic");
        assert_eq!(reached + cancelled, 300);
        let send = test.send(&app, &send).await;
        assert!(send.finished_at.is_some());
        assert_eq!(usize::try_from(send.counts.sent), Ok(reached));
        assert_eq!(usize::try_from(send.counts.cancelled), Ok(cancelled));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_given_back_while_its_send_is_being_cancelled_is_delivered() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 5).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 2).await;
    let (mut before, mut amid) = (connect(&test).await, connect(&test).await);
    execute(&mut before, "BEGIN; SELECT FROM sends FOR UPDATE").await;
    let cancelling = tokio::spawn(cancel(Arc::clone(&test.store), app.clone(), send.clone()));
    until_so_many_wait(&mut amid, 1).await;
    // Who is left is counted once the send is marked.
    execute(&mut amid, "BEGIN; LOCK TABLE subscriptions").await;
    execute(&mut before, "COMMIT").await;
    until_true(&mut before, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'subscriptions'::regclass
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))").await;
    test.store
        .release(page.lease, START, Duration::ZERO)
        .await
        .expect("released");
    execute(&mut amid, "COMMIT").await;

    assert_eq!(cancelling.await.expect("no panic"), 3);
    assert_eq!(test.deliver_all(START, 10).await.len(), 2);
    let send = test.send(&app, &send).await;
    assert!(send.finished_at.is_some());
    assert_eq!(
        (send.counts.sent, send.counts.cancelled, send.counts.skipped),
        (2, 3, 0)
    );
}

/// The settlement has removed the page when the review ends, and queues a retry afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_ends_while_a_review_is_concluded_is_tried_again() {
    let (test, account, app) = reviewed_app(TestDatabase::postgres().await).await;
    test.broadcast(&app, START).await;
    let page = test.claim(START, 10).await;
    begin_review(&test, &account).await;
    let settlement = test.retry_of_all(&page, at(5)).await;
    let (mut amid, mut looking) = (connect(&test).await, connect(&test).await);
    execute(&mut amid, "BEGIN; SELECT FROM sends FOR UPDATE").await;
    let store = Arc::clone(&test.store);
    let settling = tokio::spawn(async move { store.settle(&page, settlement, START).await });
    until_so_many_wait(&mut looking, 1).await;
    let concluding = conclude(&test, &app, true);
    let going_on = async {
        until_so_many_wait(&mut looking, 2).await;
        execute(&mut amid, "COMMIT").await;
    };
    let (is_concluded, ()) = tokio::join!(concluding, going_on);
    assert!(is_concluded);
    settling.await.expect("no panic").expect("settled");
    assert!(test.try_claim(at(20), 10).await.is_some());
}

/// The tag is given in the moment between the look at the subscription's tags and its deactivation.
#[tokio::test(flavor = "multi_thread")]
async fn who_gets_a_tag_while_being_found_gone_is_selected_by_it_no_more() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let send = test.send_to(&app, 0, START).await;
    let page = test.claim(START, 10).await;
    let gone = ids(&test.recipients(&page).await);

    let mut other = connect(&test).await;
    let has_block = format!(
        "BEGIN; INSERT INTO tag_positions VALUES ('{}', 'a', 0, '')",
        app.as_str()
    );
    execute(&mut other, &has_block).await;
    let (store, tagged) = (Arc::clone(&test.store), app.clone());
    let tagging = tokio::spawn(async move { tag(&store, &tagged, 0, &["a"]).await });
    until_so_many_wait(&mut other, 1).await;
    let store = Arc::clone(&test.store);
    let settling = tokio::spawn(async move {
        let settlement = Settlement {
            expired: gone.into_iter().map(expired).collect(),
            ..Settlement::default()
        };
        store.settle(&page, settlement, START).await
    });
    until_so_many_wait(&mut other, 2).await;
    execute(&mut other, "ROLLBACK").await;
    tagging.await.expect("tagged");
    settling.await.expect("no panic").expect("settled");

    assert_eq!(test.send(&app, &send).await.counts.failed_expired, 1);
    let flaws = test.store.check_app(&app, false).await;
    assert_eq!(flaws.expect("checked"), []);
}

/// Removes what is over, while another process has changed it by these words and commits only when the removal waits for it.
async fn purge_during<F>(test: &TestStore, change: &str, purging: F)
where
    F: Future<Output = Result<bool, StoreError>> + Send + 'static,
{
    let mut other = connect(test).await;
    execute(&mut other, &format!("BEGIN; {change}")).await;
    let purging = tokio::spawn(purging);
    until_so_many_wait(&mut other, 1).await;
    execute(&mut other, "COMMIT").await;
    purging.await.expect("no panic").expect("purged");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_request_that_is_made_again_while_it_is_being_removed_is_kept() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    let days_after = START.plus(Duration::from_hours(48));
    let request = |now| idempotent_send(&test, &app, "a", 1, now);
    test.accept(request(START)).await;
    let anew = format!("UPDATE idempotency_keys SET created_at = {}", days_after.0);
    let store = Arc::clone(&test.store);
    let purging = async move { store.purge_idempotency_keys(START, 10).await };
    purge_during(&test, &anew, purging).await;
    let again = test.accept(request(days_after)).await;
    assert!(
        matches!(again, AcceptSendOutcome::Replayed { .. }),
        "{again:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_renewed_while_it_is_being_removed_is_kept() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let account = test.account(Plan::Free).await;
    let token = [9; 32];
    let session = new_session(token, account, at(100), None);
    test.store.create_session(session).await.expect("saved");
    let renewal = format!("UPDATE sessions SET expires_at = {}", at(300).0);
    let store = Arc::clone(&test.store);
    let purging = async move { store.purge_sessions(at(200), 10).await };
    purge_during(&test, &renewal, purging).await;
    let session = test.store.session(token, at(200)).await;
    assert!(session.expect("read").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_is_renewed_while_it_is_being_removed_is_kept() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    let added = test.store.add_listener(&app, START, at(100)).await;
    let listener = added.expect("asked").expect("there is room");
    let renewal = format!("UPDATE listeners SET expires_at = {}", at(300).0);
    let store = Arc::clone(&test.store);
    let purging = async move { store.purge_listener_events(START, at(200), 10).await };
    purge_during(&test, &renewal, purging).await;
    let renewed = test.store.renew_listener(listener, at(200), at(400));
    assert!(renewed.await.expect("asked"));
}

async fn cancel(store: Arc<dyn Store>, app: AppId, send: SendId) -> usize {
    let cancelled = store.cancel_send(&app, &send, START).await;
    let cancelled = cancelled.expect("judged").expect("the send");
    usize::try_from(cancelled).expect("not negative")
}

#[tokio::test(flavor = "multi_thread")]
async fn no_send_is_queued_for_an_app_that_is_deleted_meanwhile() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    for _ in 0..10 {
        let app = test.app().await;
        test.subscribe(&app, 1).await;
        let sends = (0..10).map(|_| {
            let send = test.new_send(&app, Audience::Everyone, START);
            let store = Arc::clone(&test.store);
            tokio::spawn(async move { store.accept_send(send).await.expect("judged") })
        });
        let sends: Vec<_> = sends.collect();
        assert!(test.store.delete_app(&app, START).await.expect("deleted"));
        for outcome in join_all(sends).await {
            let outcome = outcome.expect("no panic");
            assert!(matches!(
                outcome,
                AcceptSendOutcome::Queued { .. } | AcceptSendOutcome::NotFound
            ));
        }
        assert!(
            test.try_claim(START, 10).await.is_none(),
            "nothing is left to be sent"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_send_is_queued_for_an_account_that_is_deleted_meanwhile() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    for _ in 0..10 {
        let account = test.account(Plan::Pro).await;
        let mut sends = Vec::new();
        for number in 0..3 {
            let app = test.app_of(&account).await;
            test.subscribe(&app, number).await;
            for _ in 0..4 {
                let send = test.new_send(&app, Audience::Everyone, START);
                let store = Arc::clone(&test.store);
                sends.push(tokio::spawn(async move { store.accept_send(send).await }));
            }
        }
        let deleted = test.store.delete_account(&account, START).await;
        assert!(deleted.expect("deleted"));
        for outcome in join_all(sends).await {
            let outcome = outcome.expect("no panic").expect("judged");
            assert!(matches!(
                outcome,
                AcceptSendOutcome::Queued { .. } | AcceptSendOutcome::NotFound
            ));
        }
        assert!(
            test.try_claim(START, 10).await.is_none(),
            "nothing is left to be sent"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_used_the_same_keys_record_that_without_a_deadlock() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    let keys = (0..50).map(|number| test.new_key(&app, [number; 32]));
    let keys: Vec<_> = keys.collect();
    let ids: Vec<_> = keys.iter().map(|key| key.record.id.clone()).collect();
    for key in keys {
        test.create_key(key).await;
    }
    let stores = stores(&test).await;
    for round in 0..20 {
        let recording = stores.iter().enumerate().map(|(number, store)| {
            let mut uses: Vec<_> = ids.iter().map(|id| (id.clone(), at(round))).collect();
            if number % 2 == 1 {
                uses.reverse();
            }
            store.record_key_uses(uses)
        });
        for recorded in join_all(recording).await {
            recorded.expect("recorded");
        }
    }
    assert_no_deadlocks(&test, &stores).await;
}
