//! Pages of a send that share a commit: each is counted once, as if it had had its own.

mod several_sends;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::{
    ClaimedPage, RecipientId, SendCounts, SendStatus, SettleOutcome, Settlement, Store,
};
use hato_testkit::TestDatabase;

use super::assert_no_deadlocks;
use super::checks::tag;
use crate::cancellations::outcome;
use crate::settlements::{dead, expired, retry};
use crate::test_store::{START, TestStore, at, ids, sent_to};
use crate::webhooks::app_with_webhook;

const PAGES: usize = 20;
/// Recipients of each page.
const PAGE: usize = 10;
/// Most pages that share a commit.
const MAX_GROUP: usize = 64;

/// A page, and who is on it.
type PageOf = (ClaimedPage, Vec<RecipientId>);

/// A send to 200 of an app with a webhook, all of whose pages are claimed.
async fn claimed_send() -> (TestStore, AppId, SendId, Vec<PageOf>) {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let (app, send, pages) = claimed_send_of_new_app(&test, PAGES).await;
    (test, app, send, pages)
}

async fn claimed_send_of_new_app(test: &TestStore, pages: usize) -> (AppId, SendId, Vec<PageOf>) {
    let app = app_with_webhook(test).await;
    test.subscribe_all(&app, pages * PAGE).await;
    let (send, pages) = claimed_send_of(test, &app, START).await;
    (app, send, pages)
}

async fn claimed_send_of(
    test: &TestStore,
    app: &AppId,
    accepted_at: UnixMillis,
) -> (SendId, Vec<PageOf>) {
    let send = test.broadcast(app, accepted_at).await;
    let mut pages = Vec::new();
    while let Some(page) = test.try_claim(START, 10).await {
        let recipients = ids(&test.recipients(&page).await);
        pages.push((page, recipients));
    }
    (send, pages)
}

/// One of the page failed, and all others were reached.
fn one_failed(recipients: &[RecipientId]) -> Settlement {
    Settlement {
        sent: sent_to(&recipients[1..]),
        dead_letters: vec![dead(recipients[0])],
        ..Settlement::default()
    }
}

/// The same, but that one more has expired, and one is to be tried again.
fn one_of_each(recipients: &[RecipientId]) -> Settlement {
    let [gone, others @ .., late] = recipients else {
        panic!("a page of ten");
    };
    Settlement {
        expired: vec![expired(*gone)],
        retries: vec![retry(&[*late], 1, 1_000)],
        ..one_failed(others)
    }
}

/// All at the same time; `None` for each that failed.
async fn settle_all(store: &dyn Store, pages: &[PageOf]) -> Vec<Option<SettleOutcome>> {
    settle_all_with(store, pages, one_failed).await
}

async fn settle_all_with(
    store: &dyn Store,
    pages: &[PageOf],
    settlement: fn(&[RecipientId]) -> Settlement,
) -> Vec<Option<SettleOutcome>> {
    let settling = pages
        .iter()
        .map(|(page, recipients)| store.settle(page, settlement(recipients), START));
    let settled = join_all(settling).await.into_iter();
    settled.map(Result::ok).collect()
}

fn outcomes(settled: &[Option<SettleOutcome>], wanted: SettleOutcome) -> usize {
    let is_wanted = |outcome: &&_| **outcome == Some(wanted);
    settled.iter().filter(is_wanted).count()
}

/// Settles whatever [`one_of_each`] left to be tried again, and returns how many that was.
async fn settle_retries(test: &TestStore) -> usize {
    let mut tried_again = 0;
    while let Some(page) = test.try_claim(at(1_000), 10).await {
        tried_again += test.recipients(&page).await.len();
        test.settle(&page, Settlement::default()).await;
    }
    tried_again
}

/// So many pages of the send are counted, each on every row that counts them, and have left their dead letters.
async fn assert_counted(test: &TestStore, app: &AppId, send: &SendId, pages: usize) {
    let (reached, failed) = (pages * (PAGE - 1), pages);
    let send = test.send(app, send).await;
    assert_eq!(usize::try_from(send.counts.sent), Ok(reached));
    assert_eq!(usize::try_from(send.counts.failed_other), Ok(failed));
    let is_done = usize::try_from(send.recipients) == Ok(pages * PAGE);
    assert_eq!(send.status == SendStatus::Done, is_done, "{send:?}");
    assert_eq!(send.counts.skipped, 0);
    assert_sums(test, reached, failed);
    test.database.execute(&format!(
        "DO $$ BEGIN ASSERT (SELECT COUNT(*) FROM dead_letters) = {failed}; END $$"
    ));
}

/// Everybody on the send's pages is counted as [`one_of_each`] says, and those are waited for who are tried again.
async fn assert_one_of_each(test: &TestStore, app: &AppId, send: &SendId) {
    let counts = SendCounts {
        sent: 140,
        failed_expired: 20,
        failed_other: 20,
        ..SendCounts::default()
    };
    let expected = (SendStatus::Sending, counts);
    assert_eq!(outcome(test, app, send).await, expected);
}

/// So many are counted by day and by quarter of an hour, of all apps and sends.
fn assert_sums(test: &TestStore, reached: usize, failed: usize) {
    for table in ["daily_counts", "recent_counts"] {
        test.database.execute(&format!(
            "DO $$ BEGIN ASSERT (SELECT (SUM(sent), SUM(failed)) = ({reached}, {failed}) FROM {table}); END $$"
        ));
    }
}

/// How many pages each transaction recorded, most first: a page leaves one dead letter.
fn assert_commits(test: &TestStore, pages: &[usize]) {
    test.database.execute(&format!(
        "DO $$ BEGIN ASSERT (SELECT ARRAY_AGG(pages ORDER BY pages DESC)
                             FROM (SELECT COUNT(*) AS pages FROM dead_letters
                                   GROUP BY CAST(xmin AS TEXT)) AS commits)
                          = CAST(ARRAY{pages:?} AS BIGINT[]); END $$"
    ));
}

#[tokio::test]
async fn pages_that_come_together_share_a_commit_and_are_counted_once() {
    let (test, app, send, pages) = claimed_send().await;
    let settled = settle_all(&*test.store, &pages).await;
    assert_eq!(
        settled,
        vec![Some(SettleOutcome::RecordedWithEvents); PAGES]
    );
    assert_counted(&test, &app, &send, PAGES).await;
    assert_commits(&test, &[PAGES]);
}

#[tokio::test]
async fn more_pages_than_share_a_commit_take_several_and_the_send_ends_once() {
    const MANY: usize = MAX_GROUP + 46;
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let (app, send, pages) = claimed_send_of_new_app(&test, MANY).await;
    let settled = settle_all(&*test.store, &pages).await;
    assert_eq!(settled, vec![Some(SettleOutcome::RecordedWithEvents); MANY]);
    assert_counted(&test, &app, &send, MANY).await;
    assert_commits(&test, &[MAX_GROUP, MANY - MAX_GROUP]);
    test.database.execute(
        "DO $$ BEGIN ASSERT (SELECT COUNT(*) FROM webhook_events
                             WHERE type = 'send.completed') = 1; END $$",
    );
}

/// What a page leaves of its own: tags that nobody has any more, dead letters, those to be tried again, and events.
#[tokio::test]
async fn each_page_leaves_what_it_would_have_left_alone() {
    let (test, app, send, pages) = claimed_send().await;
    for number in 0..PAGES * PAGE {
        tag(&test.store, &app, number, &["a", "b"]).await;
    }
    let settled = settle_all_with(&*test.store, &pages, one_of_each).await;
    assert_eq!(
        settled,
        vec![Some(SettleOutcome::RecordedWithEvents); PAGES]
    );
    assert_eq!(test.record(&app).await.active_subscriptions, 180);
    assert_one_of_each(&test, &app, &send).await;
    test.database.execute(
        "DO $$ BEGIN ASSERT (SELECT COUNT(*) FROM webhook_events) = 20; END $$;
         DO $$ BEGIN ASSERT (SELECT COUNT(*) FROM dead_letters) = 20; END $$",
    );
    let flaws = test.store.check_app(&app, false).await;
    assert_eq!(flaws.expect("checked"), []);
    assert_eq!(test.next_due(START).await, Some(at(1_000)));
    assert_eq!(settle_retries(&test).await, 20);
    assert_eq!(test.send(&app, &send).await.status, SendStatus::Done);
}

#[tokio::test]
async fn pages_that_come_together_leave_the_first_ten_thousand_dead_letters_too() {
    let (test, _, _, pages) = claimed_send().await;
    test.database
        .execute("UPDATE sends SET failed_other = 9995");
    settle_all(&*test.store, &pages).await;
    test.database.execute(
        "DO $$ BEGIN ASSERT (SELECT (failed_other, missed) = (10015, 15) FROM sends); END $$;
         DO $$ BEGIN ASSERT (SELECT COUNT(*) FROM dead_letters) = 5; END $$",
    );
}

#[tokio::test]
async fn a_page_whose_lease_is_lost_is_not_counted_with_the_others() {
    let (test, app, send, pages) = claimed_send().await;
    let lost = pages[3].0.lease;
    let released = test.store.release(lost, START, Duration::ZERO).await;
    released.expect("released");
    let settled = settle_all(&*test.store, &pages).await;
    let mut expected = vec![Some(SettleOutcome::RecordedWithEvents); PAGES];
    expected[3] = Some(SettleOutcome::LeaseLost);
    assert_eq!(settled, expected);
    assert_counted(&test, &app, &send, PAGES - 1).await;
}

#[tokio::test]
async fn a_page_that_is_settled_twice_at_the_same_time_is_counted_once() {
    let (test, app, send, mut pages) = claimed_send().await;
    pages.insert(5, pages[2].clone());
    let settled = settle_all(&*test.store, &pages).await;
    assert_eq!(outcomes(&settled, SettleOutcome::LeaseLost), 1);
    assert_counted(&test, &app, &send, PAGES).await;
}

#[tokio::test]
async fn one_that_cannot_be_recorded_takes_no_other_with_it() {
    let (test, app, send, pages) = claimed_send().await;
    let refused = pages[7].1[0];
    test.database.execute(&format!(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN
                IF NEW.subscription_id = (SELECT public_id FROM subscriptions WHERE id = {}) THEN
                    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = 'not this one';
                END IF;
                RETURN NEW;
            END $$;
         CREATE TRIGGER fail BEFORE INSERT ON dead_letters FOR EACH ROW EXECUTE FUNCTION fail();",
        refused.0
    ));
    let settled = settle_all(&*test.store, &pages).await;
    let failed = |outcome: &&_| Option::is_none(outcome);
    assert_eq!(settled.iter().filter(failed).count(), 1);
    assert_eq!(settled[7], None);
    assert_counted(&test, &app, &send, PAGES - 1).await;
    test.database.execute("DROP TRIGGER fail ON dead_letters");
    let settled = settle_all(&*test.store, &pages[7..8]).await;
    assert_eq!(settled, [Some(SettleOutcome::RecordedWithEvents)]);
    assert_counted(&test, &app, &send, PAGES).await;
}

/// Each takes the pages in another order, and has lost every lease that another one settles first.
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_settle_the_same_pages_count_them_once_and_never_lock_each_other_out() {
    let (test, app, send, pages) = claimed_send().await;
    let mut stores = vec![Arc::clone(&test.store)];
    for _ in 0..2 {
        stores.push(hato_store::open(test.database.url()).await.expect("opened"));
    }
    let settling = stores.iter().enumerate().map(|(process, store)| {
        let mut pages = pages.clone();
        pages.rotate_left(process * PAGES / 3);
        if process == 1 {
            pages.reverse();
        }
        async move { settle_all(&**store, &pages).await }
    });
    let settled = join_all(settling).await.concat();
    assert_eq!(outcomes(&settled, SettleOutcome::RecordedWithEvents), PAGES);
    assert_eq!(outcomes(&settled, SettleOutcome::LeaseLost), 2 * PAGES);
    assert_counted(&test, &app, &send, PAGES).await;
    assert_no_deadlocks(&test, &stores[1..]).await;
}
