//! Connections that are lost: what is asked for next is done all the same, and nothing twice.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use hato_domain::AppId;
use hato_service::ports::{AcceptSendOutcome, Audience, SubscriptionFilter};
use hato_testkit::TestDatabase;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use crate::test_store::{START, TestStore, page};

/// Those who send at the same time.
const CLIENTS: usize = 8;

/// Ends one session of the database, and not this one.
const CUT_ONE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid()
                       ORDER BY random() LIMIT 1";

/// Sends until told to stop, and returns the ids of what was accepted.
async fn send_on(test: Arc<TestStore>, app: AppId, stops: Arc<AtomicBool>) -> Vec<String> {
    let mut accepted = Vec::new();
    while !stops.load(Ordering::Relaxed) {
        let send = test.new_send(&app, Audience::Everyone, START);
        let id = send.id.as_str().to_owned();
        match test.store.accept_send(send).await {
            Ok(AcceptSendOutcome::Queued { .. }) => accepted.push(id),
            Ok(other) => panic!("{other:?}"),
            // Whether it was accepted is not known: its commit was cut.
            Err(_) => {}
        }
    }
    accepted
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_accepted_while_connections_are_cut_is_there_once() {
    let test = Arc::new(TestStore::new(TestDatabase::postgres().await).await);
    let apps = [test.app().await, test.app().await];
    for app in &apps {
        test.subscribe(app, 0).await;
    }
    let stops = Arc::new(AtomicBool::new(false));
    let clients = (0..CLIENTS).map(|client| {
        let (app, stops) = (apps[client % 2].clone(), Arc::clone(&stops));
        tokio::spawn(send_on(Arc::clone(&test), app, stops))
    });
    let clients: Vec<_> = clients.collect();
    let cutting = Arc::clone(&test);
    let cut = spawn_blocking(move || {
        for _ in 0..20 {
            cutting.database.execute(CUT_ONE);
            cutting.database.execute(CUT_ONE);
            cutting.database.end_sessions();
        }
    });
    cut.await.expect("cut");
    stops.store(true, Ordering::Relaxed);
    let accepted = join_all(clients).await.into_iter();
    let accepted: Vec<_> = accepted.flat_map(|it| it.expect("no panic")).collect();
    assert!(!accepted.is_empty());
    let ids: HashSet<_> = accepted.iter().map(|id| format!("('{id}')")).collect();
    assert_eq!(ids.len(), accepted.len());
    let ids: Vec<_> = ids.into_iter().collect();
    test.database.execute(&format!(
        "DO $$ BEGIN
             ASSERT NOT EXISTS (SELECT FROM (VALUES {}) AS accepted (id)
                                WHERE id NOT IN (SELECT id FROM sends)), 'lost';
             ASSERT (SELECT SUM(recipients) FROM monthly_usage)
                  = (SELECT SUM(recipients) FROM sends), 'charged twice';
             ASSERT (SELECT COUNT(*) FROM jobs) = (SELECT COUNT(*) FROM sends), 'queued twice';
         END $$",
        ids.join(", ")
    ));
}

#[tokio::test]
async fn writes_and_reads_go_on_after_all_connections_were_cut() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    for round in 0..5 {
        // Many at once, so that there are many connections to lose.
        let first = round * 100;
        futures_util::future::join_all((first..first + 50).map(|n| test.subscribe(&app, n))).await;
        test.database.end_sessions();
        test.store.ping().await.expect("asked again");
        test.database.end_sessions();
        futures_util::future::join_all((first + 50..first + 100).map(|n| test.subscribe(&app, n)))
            .await;
    }
    assert_eq!(test.record(&app).await.active_subscriptions, 500);
    test.database.end_sessions();
    test.broadcast(&app, START).await;
    assert_eq!(test.deliver_all(START, 200).await.len(), 500);
}

#[tokio::test]
async fn lists_are_read_after_all_connections_were_cut() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let (filter, asked) = (SubscriptionFilter::default(), page(2, None));
    for _ in 0..3 {
        test.database.end_sessions();
        let listed = test.store.subscriptions_of(&app, &filter, &asked).await;
        assert_eq!(listed.expect("read again").items.len(), 1);
    }
}

/// The store's sessions: those of the test are psql's.
const SESSIONS: &str = "SELECT pid FROM pg_stat_activity
                        WHERE datname = current_database() AND backend_type = 'client backend'
                          AND application_name <> 'psql'";

#[tokio::test]
async fn a_connection_outlives_the_runtime_of_whoever_it_was_made_for() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let store = Arc::clone(&test.store);
    let elsewhere = spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        // More at a time than there are connections yet.
        let pings = join_all((0..CLIENTS).map(|_| store.ping()));
        runtime.expect("a runtime").block_on(pings)
    });
    for answered in elsewhere.await.expect("no panic") {
        answered.expect("an answer");
    }
    let database = &test.database;
    database.execute(&format!("CREATE TABLE earlier AS {SESSIONS}"));
    for answered in join_all((0..CLIENTS).map(|_| test.store.ping())).await {
        answered.expect("an answer");
    }
    database.execute(&format!(
        "DO $$ BEGIN
             ASSERT NOT EXISTS ({SESSIONS} AND pid NOT IN (SELECT pid FROM earlier)), 'made anew';
         END $$"
    ));
}
