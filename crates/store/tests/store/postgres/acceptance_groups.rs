//! Sends that share a commit: each is judged as if it had had its own.

use std::sync::Arc;

use futures_util::future::join_all;
use hato_domain::{AppId, Plan};
use hato_service::ports::{AcceptSendOutcome, Audience, NewSend, Store};
use hato_testkit::TestDatabase;

use super::assert_no_deadlocks;
use crate::idempotency::idempotent_send;
use crate::test_store::{START, TestStore, at, endpoint};

/// Recipients of each send to everyone, so that 15 of them fill the month of the plan Free.
const AUDIENCE: usize = 2_000;
const FULL_MONTH: usize = 15;

/// Whoever writes a send cannot commit.
const FAIL_AT_COMMIT: &str = "
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'no space'; END $$;
    CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON sends DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail();";

async fn free_app() -> (TestStore, AppId) {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app_of(&test.account(Plan::Free).await).await;
    test.subscribe_all(&app, AUDIENCE).await;
    (test, app)
}

/// All at the same time; `None` for each that failed.
async fn accept_all(store: &dyn Store, sends: Vec<NewSend>) -> Vec<Option<AcceptSendOutcome>> {
    let accepted = join_all(sends.into_iter().map(|send| store.accept_send(send)));
    accepted.await.into_iter().map(Result::ok).collect()
}

fn queued(outcomes: &[Option<AcceptSendOutcome>]) -> usize {
    let is_queued = |outcome: &&_| matches!(outcome, Some(AcceptSendOutcome::Queued { .. }));
    outcomes.iter().filter(is_queued).count()
}

/// What is charged is what was sent.
fn assert_charged_exactly(test: &TestStore) {
    test.database.execute(
        "DO $$ BEGIN ASSERT (SELECT COALESCE(SUM(recipients), 0) FROM monthly_usage)
                          = (SELECT COALESCE(SUM(recipients), 0) FROM sends); END $$",
    );
}

/// The number of transactions that wrote the sends that are there.
fn assert_commits(test: &TestStore, commits: usize) {
    test.database.execute(&format!(
        "DO $$ BEGIN ASSERT (SELECT COUNT(DISTINCT CAST(xmin AS TEXT)) FROM sends) = {commits}; END $$"
    ));
}

#[tokio::test]
async fn sends_that_come_together_share_a_commit_and_the_limit_holds() {
    let (test, app) = free_app().await;
    let mut sends: Vec<_> = (0..64)
        .map(|_| test.new_send(&app, Audience::Everyone, START))
        .collect();
    sends[7].audience = Audience::One(endpoint(AUDIENCE + 1));
    let outcomes = accept_all(&*test.store, sends).await;
    assert_eq!(outcomes[7], Some(AcceptSendOutcome::NotFound));
    let over = Some(AcceptSendOutcome::OverMonthlyLimit);
    let accepted = Some(AcceptSendOutcome::Queued {
        recipients: i64::try_from(AUDIENCE).expect("small"),
    });
    for (number, outcome) in outcomes
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != 7)
    {
        let is_within = number <= FULL_MONTH;
        assert_eq!(
            *outcome,
            if is_within {
                accepted.clone()
            } else {
                over.clone()
            }
        );
    }
    assert_charged_exactly(&test);
    assert_commits(&test, 1);
}

/// An account without limits, and its apps with a subscriber each.
async fn several_apps(count: usize) -> (TestStore, Vec<AppId>) {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let account = test.account(Plan::Pro).await;
    let mut apps = Vec::new();
    for _ in 0..count {
        let app = test.app_of(&account).await;
        test.subscribe(&app, 1).await;
        apps.push(app);
    }
    (test, apps)
}

#[tokio::test]
async fn the_apps_of_an_account_share_commits_too() {
    let (test, apps) = several_apps(8).await;
    let sends = (0..64).map(|number| test.new_send(&apps[number % 8], Audience::Everyone, START));
    let outcomes = accept_all(&*test.store, sends.collect()).await;
    assert_eq!(queued(&outcomes), 64);
    assert_charged_exactly(&test);
    assert_commits(&test, 1);
}

/// Sends to somebody and to nobody, whose apps each process takes in another order.
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_accept_for_the_same_apps_never_lock_each_other_out() {
    let (test, apps) = several_apps(6).await;
    for app in &apps[3..] {
        test.unsubscribe(app, 1).await;
    }
    let limited = |app: &AppId| NewSend {
        max_per_minute: Some(10_000),
        ..test.new_send(app, Audience::Everyone, START)
    };
    // Makes the rows that are locked afterwards.
    accept_all(&*test.store, apps.iter().map(limited).collect()).await;
    let mut stores = vec![Arc::clone(&test.store)];
    for _ in 0..2 {
        stores.push(hato_store::open(test.database.url()).await.expect("opened"));
    }
    for _ in 0..20 {
        let accepting = stores.iter().enumerate().map(|(process, store)| {
            let first = 5 * process;
            let sends = (0..24).map(|number| limited(&apps[first.abs_diff(number) % 6]));
            accept_all(&**store, sends.collect())
        });
        for outcomes in join_all(accepting).await {
            assert_eq!(queued(&outcomes), 24);
        }
    }
    assert_charged_exactly(&test);
    assert_no_deadlocks(&test, &stores[1..]).await;
}

#[tokio::test]
async fn one_that_fails_takes_no_other_with_it() {
    let (test, app) = free_app().await;
    let mut sends: Vec<_> = (0..10)
        .map(|_| test.new_send(&app, Audience::One(endpoint(1)), START))
        .collect();
    sends[5].id = sends[2].id.clone();
    let outcomes = accept_all(&*test.store, sends).await;
    assert_eq!(queued(&outcomes), 9);
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_none()).count(),
        1
    );
    assert_charged_exactly(&test);
}

#[tokio::test]
async fn when_the_disk_is_full_each_is_an_error_and_none_is_charged() {
    let (test, app) = free_app().await;
    let sends = || {
        (0..10)
            .map(|_| test.new_send(&app, Audience::Everyone, START))
            .collect()
    };
    test.database.execute(FAIL_AT_COMMIT);
    let outcomes = accept_all(&*test.store, sends()).await;
    assert_eq!(outcomes, vec![None; 10]);
    assert_charged_exactly(&test);
    test.database.execute("DROP TRIGGER fail ON sends");
    assert_eq!(queued(&accept_all(&*test.store, sends()).await), 10);
    assert_charged_exactly(&test);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_processes_and_apps_stay_within_the_month_together() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    // Only a former Pro has two.
    let account = test.account(Plan::Pro).await;
    let apps = [test.app_of(&account).await, test.app_of(&account).await];
    test.database.execute("UPDATE accounts SET plan = 'free'");
    for app in &apps {
        test.subscribe_all(app, AUDIENCE).await;
    }
    let mut processes = Vec::new();
    for _ in 0..3 {
        let store = hato_store::open(test.database.url()).await.expect("opened");
        let sends: Vec<_> = (0..24)
            .map(|number| test.new_send(&apps[number % 2], Audience::Everyone, START))
            .collect();
        processes.push(tokio::spawn(
            async move { accept_all(&*store, sends).await },
        ));
    }
    let outcomes = join_all(processes).await.into_iter();
    let outcomes: Vec<_> = outcomes.flat_map(|it| it.expect("no panic")).collect();
    assert!(outcomes.iter().all(Option::is_some));
    assert_eq!(queued(&outcomes), FULL_MONTH);
    assert_charged_exactly(&test);
}

#[tokio::test(flavor = "multi_thread")]
async fn twins_in_the_groups_of_several_processes_send_once() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let mut processes = Vec::new();
    for process in 0..3_usize {
        let store: Arc<dyn Store> = hato_store::open(test.database.url()).await.expect("opened");
        // Each process gets them in another order, with sends in between that have no key.
        let sends: Vec<_> = (0..30)
            .map(|number| match (number + process * 10) % 30 {
                even if even % 2 == 0 => {
                    idempotent_send(&test, &app, &format!("key {even}"), 1, at(1))
                }
                _ => test.new_send(&app, Audience::Everyone, START),
            })
            .collect();
        processes.push(tokio::spawn(
            async move { accept_all(&*store, sends).await },
        ));
    }
    let outcomes = join_all(processes).await.into_iter();
    let outcomes: Vec<_> = outcomes.flat_map(|it| it.expect("no panic")).collect();
    // 15 keys, and 15 sends of each process that have none.
    assert_eq!(queued(&outcomes), 15 + 3 * 15);
    let is_replayed = |it: &&_| matches!(it, Some(AcceptSendOutcome::Replayed { .. }));
    assert_eq!(outcomes.iter().filter(is_replayed).count(), 2 * 15);
}
