//! Pages of several sends that are settled at the same time: what is so with one send is nothing to the other.

use hato_service::ports::{RecipientId, SendCounts, SendStatus, SettleOutcome, Settlement};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};

use super::{
    PAGES, PageOf, assert_commits, assert_counted, assert_one_of_each, assert_sums, claimed_send,
    claimed_send_of, claimed_send_of_new_app, one_failed, one_of_each, outcomes, settle_all,
    settle_all_with, settle_retries,
};
use crate::cancellations::{cancel, outcome};
use crate::postgres::{assert_no_deadlocks, connect, until_so_many_wait};
use crate::test_store::{START, TestStore, at, sent_to};

/// Both sends lose the same subscribers, one of them from the first page on and the other one from the last. They were accepted on two
/// days, for those of one day wait for each other at its row before they come to anybody.
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_settle_two_sends_of_an_app_crosswise_never_lock_each_other_out() {
    let (test, app, first, mut pages) = claimed_send().await;
    let (second, pages_of_second) = claimed_send_of(&test, &app, at(-1)).await;
    pages.extend(pages_of_second.into_iter().rev());
    let reversed: Vec<PageOf> = pages.iter().rev().cloned().collect();
    let other = hato_store::open(test.database.url()).await.expect("opened");
    let (settled, settled_by_other) = tokio::join!(
        settle_all_with(&*test.store, &pages, one_of_each),
        settle_all_with(&*other, &reversed, one_of_each)
    );
    let settled = [settled, settled_by_other].concat();
    let recorded = outcomes(&settled, SettleOutcome::RecordedWithEvents);
    let lost = outcomes(&settled, SettleOutcome::LeaseLost);
    assert_eq!((recorded, lost), (2 * PAGES, 2 * PAGES));
    for send in [&first, &second] {
        assert_one_of_each(&test, &app, send).await;
    }
    assert_sums(&test, 280, 80);
    assert_eq!(test.record(&app).await.active_subscriptions, 180);
    let flaws = test.store.check_app(&app, false).await;
    assert_eq!(flaws.expect("checked"), []);
    assert_eq!(settle_retries(&test).await, 2 * PAGES);
    assert_no_deadlocks(&test, &[other]).await;
}

fn all_reached(recipients: &[RecipientId]) -> Settlement {
    Settlement {
        sent: sent_to(recipients),
        ..Settlement::default()
    }
}

/// Everybody was refused last time and is reached now: both sends remove the same rows, and would meet in the middle, where somebody
/// holds one for so long.
#[tokio::test(flavor = "multi_thread")]
async fn nor_do_those_that_end_the_same_refusals() {
    let (test, app, _, pages) = claimed_send().await;
    let (_, mut pages_of_second) = claimed_send_of(&test, &app, at(-1)).await;
    pages_of_second.reverse();
    test.database.execute(
        "INSERT INTO refusals (subscription_id, app_id, reason, sends, days, last_day)
         SELECT id, app_id, 'refused', 1, 1, 0 FROM subscriptions",
    );
    let other = hato_store::open(test.database.url()).await.expect("opened");
    let holder = hold_refusal(&test, pages[PAGES / 2].1[0]).await;
    let (settled, settled_by_other, ()) = tokio::join!(
        settle_all_with(&*test.store, &pages, all_reached),
        settle_all_with(&*other, &pages_of_second, all_reached),
        let_go_when_both_wait(holder, connect(&test).await)
    );
    let settled = [settled, settled_by_other].concat();
    let recorded = outcomes(&settled, SettleOutcome::RecordedWithEvents);
    assert_eq!(recorded, 2 * PAGES);
    assert_sums(&test, 400, 0);
    test.database
        .execute("DO $$ BEGIN ASSERT (SELECT COUNT(*) FROM refusals) = 0; END $$");
    assert_no_deadlocks(&test, &[other]).await;
}

/// A connection that keeps everybody else from ending this refusal.
async fn hold_refusal(test: &TestStore, refused: RecipientId) -> PgConnection {
    let mut holder = connect(test).await;
    let locking = format!(
        "BEGIN; SELECT FROM refusals WHERE subscription_id = {} FOR UPDATE",
        refused.0
    );
    let held = holder.execute(AssertSqlSafe(locking)).await;
    held.expect("held");
    holder
}

async fn let_go_when_both_wait(mut holder: PgConnection, mut watcher: PgConnection) {
    until_so_many_wait(&mut watcher, 2).await;
    holder.execute("ROLLBACK").await.expect("let go");
}

/// Half of the cancelled send's pages have somebody who would be tried again.
#[tokio::test]
async fn what_a_cancelled_send_would_try_again_is_cancelled_and_all_else_is_settled() {
    let (test, app, cancelled, pages) = claimed_send().await;
    let (other, pages_of_other) = claimed_send_of(&test, &app, START).await;
    assert_eq!(cancel(&test, &app, &cancelled).await, Some(0));
    let (with_retries, without) = pages.split_at(PAGES / 2);
    let (retried, ended, settled_of_other) = tokio::join!(
        settle_all_with(&*test.store, with_retries, one_of_each),
        settle_all_with(&*test.store, without, one_failed),
        settle_all_with(&*test.store, &pages_of_other, one_of_each)
    );
    let settled = [retried, ended, settled_of_other].concat();
    let recorded = outcomes(&settled, SettleOutcome::RecordedWithEvents);
    assert_eq!(recorded, 2 * PAGES);
    assert_commits(&test, &[PAGES, PAGES]);
    let counts = SendCounts {
        sent: 160,
        failed_expired: 10,
        failed_other: 20,
        cancelled: 10,
        ..SendCounts::default()
    };
    let expected = (SendStatus::Cancelled, counts);
    assert_eq!(outcome(&test, &app, &cancelled).await, expected);
    assert_one_of_each(&test, &app, &other).await;
    assert_eq!(settle_retries(&test).await, PAGES, "of the other send");
    assert_eq!(outcome(&test, &app, &other).await.0, SendStatus::Done);
}

#[tokio::test]
async fn pages_of_a_deleted_app_are_settled_by_nobody_and_those_of_another_are() {
    let (test, app, send, pages) = claimed_send().await;
    let (deleted, _, pages_of_deleted) = claimed_send_of_new_app(&test, PAGES).await;
    let is_deleted = test.store.delete_app(&deleted, START).await;
    assert!(is_deleted.expect("judged"));
    let (settled, settled_of_deleted) = tokio::join!(
        settle_all(&*test.store, &pages),
        settle_all(&*test.store, &pages_of_deleted)
    );
    assert_eq!(
        settled,
        vec![Some(SettleOutcome::RecordedWithEvents); PAGES]
    );
    assert_eq!(
        settled_of_deleted,
        vec![Some(SettleOutcome::LeaseLost); PAGES]
    );
    assert_counted(&test, &app, &send, PAGES).await;
}
