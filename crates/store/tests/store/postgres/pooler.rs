//! Behind a pooler in transaction mode, whose five sessions are lent for a transaction each: nothing that belongs to a session holds.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hato_service::ports::{AcceptSendOutcome, Audience, Store};
use hato_store::{CopyError, PostgresOpenError, PostgresSettings};
use hato_testkit::TestDatabase;

use super::concurrency::work;
use crate::idempotency::idempotent_send;
use crate::test_store::{START, TestStore, at};

fn settings() -> PostgresSettings {
    PostgresSettings {
        prepared_statements: false,
        ..PostgresSettings::default()
    }
}

async fn pooled() -> TestStore {
    let database = TestDatabase::postgres().await.behind_pooler();
    TestStore::with_settings(database, &settings()).await
}

async fn process(test: &TestStore) -> Arc<dyn Store> {
    let opened = hato_store::open_with(test.database.url(), &settings()).await;
    opened.expect("opened")
}

#[tokio::test]
async fn processes_that_start_together_make_the_tables_once() {
    let database = TestDatabase::empty_postgres().behind_pooler();
    // Twice: the second time on sessions that have been used.
    for _ in 0..2 {
        let settings = settings();
        let opening = (0..8).map(|_| hato_store::open_with(database.url(), &settings));
        for opened in join_all(opening).await {
            opened.expect("opened").ping().await.expect("all tables");
        }
    }
}

#[tokio::test]
async fn prepared_statements_are_refused() {
    let database = TestDatabase::postgres().await.behind_pooler();
    for _ in 0..2 {
        let opened = hato_store::open_with(database.url(), &PostgresSettings::default()).await;
        let error = opened.err().expect("refused").to_string();
        assert!(
            error.contains("HATO_DATABASE_PREPARED_STATEMENTS=false"),
            "{error}"
        );
    }
}

/// More at a time than there are sessions, so that each transaction may have another one.
#[tokio::test]
async fn many_ask_whether_a_server_has_the_database_open() {
    let database = TestDatabase::postgres().await.behind_pooler();
    let asking = (0..20).map(async |_| {
        for _ in 0..5 {
            hato_store::refuse_if_in_use(database.url()).await?;
        }
        Ok(())
    });
    let answers: Vec<Result<(), PostgresOpenError>> = join_all(asking).await;
    for answer in answers {
        answer.expect("nobody has it open");
    }
    database.execute("INSERT INTO processes (id, seen_at) VALUES ('other', now())");
    let answer = hato_store::refuse_if_in_use(database.url()).await;
    assert!(
        matches!(answer, Err(PostgresOpenError::InUse)),
        "{answer:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_share_sends_and_nobody_is_reached_twice() {
    let test = pooled().await;
    let mut sends = Vec::new();
    for _ in 0..3 {
        let app = test.app().await;
        test.subscribe_all(&app, 100).await;
        sends.push((test.broadcast(&app, START).await, app));
    }
    let mut working = Vec::new();
    for _ in 0..4 {
        working.push(tokio::spawn(work(process(&test).await, Vec::new())));
    }
    let shares = join_all(working).await.into_iter();
    let mut reached: Vec<i64> = shares.flat_map(|share| share.expect("no panic")).collect();
    // A worker that finds only what others are claiming goes idle, and asks again later.
    reached.extend(work(Arc::clone(&test.store), Vec::new()).await);
    let everybody: HashSet<i64> = reached.iter().copied().collect();
    assert_eq!((reached.len(), everybody.len()), (300, 300));
    for (send, app) in sends {
        assert_eq!(test.send(&app, &send).await.counts.sent, 100);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_on_few_sessions_do_not_mix() {
    let test = pooled().await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    let mut requests = Vec::new();
    for process in [process(&test).await, process(&test).await] {
        for number in 0..40 {
            let (store, app) = (Arc::clone(&process), app.clone());
            let send = idempotent_send(&test, &app, &format!("{number}"), 1, at(1));
            requests.push(tokio::spawn(async move {
                let accepted = store.accept_send(send).await.expect("judged");
                assert!(store.app(&app).await.expect("read").is_some());
                accepted
            }));
        }
    }
    let answers = join_all(requests).await.into_iter();
    let answers: Vec<_> = answers.map(|answer| answer.expect("no panic")).collect();
    let queued = AcceptSendOutcome::Queued { recipients: 1 };
    assert_eq!(answers.iter().filter(|it| **it == queued).count(), 40);
    assert_eq!(test.history(&app).await.len(), 40);
}

#[tokio::test]
async fn the_settings_hold_in_every_transaction() {
    let database = TestDatabase::postgres().await.behind_pooler();
    database.execute(
        "CREATE FUNCTION check_session() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             ASSERT current_setting('synchronous_commit') = 'on';
             ASSERT current_setting('statement_timeout') = '7s';
             ASSERT current_setting('lock_timeout') = '3s';
             RETURN NULL;
         END $$;
         CREATE TRIGGER check_session AFTER INSERT ON sends
             FOR EACH ROW EXECUTE FUNCTION check_session();
         DO $$ BEGIN
             EXECUTE 'ALTER DATABASE ' || current_database() || ' SET synchronous_commit = off';
         END $$",
    );
    let settings = PostgresSettings {
        statement_timeout: Duration::from_secs(7),
        lock_timeout: Duration::from_secs(3),
        ..settings()
    };
    let test = TestStore::with_settings(database, &settings).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    for _ in 0..10 {
        let send = test.new_send(&app, Audience::Everyone, START);
        let queued = AcceptSendOutcome::Queued { recipients: 1 };
        assert_eq!(test.accept(send).await, queued);
    }
}

#[tokio::test]
async fn tables_that_a_server_uses_are_not_migrated_by_who_wants_them_alone() {
    let database = TestDatabase::postgres().await.behind_pooler();
    database.execute(
        "INSERT INTO processes VALUES ('other', now());
         DROP INDEX subscriptions_by_vapid_key;
         DELETE FROM _sqlx_migrations WHERE version = 31",
    );
    let target = TestDatabase::sqlite().await;
    let copied = hato_store::copy(database.url(), target.url(), &mut |_| ()).await;
    assert!(matches!(copied, Err(CopyError::InUse { .. })), "{copied:?}");
    database.execute(
        "DO $$ BEGIN
             ASSERT NOT EXISTS (SELECT FROM _sqlx_migrations WHERE version = 31);
         END $$",
    );
}
