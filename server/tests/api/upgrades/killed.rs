//! A process that is killed or halted in the middle of a migration, and the next one.

mod sqlite;

use std::time::Duration;

use hato_testkit::TestDatabase;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::ServerLaunch;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use tokio::time::{interval, timeout};

use super::earlier_tables::{connection, earlier_database, execute};
use super::{LoggedProcess, process};
use crate::fixtures::{app, post, register, start, wait_until};

/// Between two looks at a process that migrates, and the longest wait for what it does.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
const WAIT_TIMEOUT: Duration = Duration::from_secs(30);

/// A send to three browsers that an earlier version has queued.
struct EarlierSend {
    push: PushService,
    app: OwnedApp,
    id: String,
}

impl EarlierSend {
    async fn new(launch: &ServerLaunch) -> Self {
        let push = PushService::start().await;
        let launch = launch.clone().with_push_service(&push);
        let mut api = start(launch.env("HATO_ROLE", "api")).await;
        let app = app(&api, "owner@example.com").await;
        let browsers = push.subscribe_many(Some(&app.vapid_public_key), 3);
        register(&app.admin, &browsers).await;
        let message = json!({"title": "t", "body": "b"});
        let accepted = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(accepted.status, 202, "{accepted}");
        api.terminate().await.expect("it stops");
        let id = accepted.json()["send_id"].as_str().map(str::to_owned);
        Self {
            push,
            app,
            id: id.expect("an id"),
        }
    }

    /// A server that is started now migrates and delivers it.
    async fn assert_delivered(&self, launch: &ServerLaunch) {
        let server = start(launch.clone().with_push_service(&self.push)).await;
        let path = format!("/api/v1/apps/{}/notifications/{}", self.app.id, self.id);
        let owner = self.app.owner.at(server.address());
        let is_done = |send: &Value| send["status"] == "done";
        let send = wait_until(&owner, &path, is_done).await;
        assert_eq!(send["sent_count"], 3, "{send}");
        assert_eq!(self.push.seen(|seen| seen.total.created), 3);
        self.push.assert_no_violations();
    }
}

/// How many migrations a PostgreSQL database has.
async fn migrations(database: &TestDatabase) -> i64 {
    let query = sqlx::query_scalar("SELECT COUNT(*) FROM _sqlx_migrations WHERE success");
    let counted = query.fetch_one(&mut connection(database).await).await;
    counted.expect("counted")
}

/// Waits until a query of the database answers with true, which it does in time.
async fn wait_until_true(database: &TestDatabase, query: &str) {
    let mut connection = connection(database).await;
    let waiting = async {
        let mut ticks = interval(POLL_INTERVAL);
        loop {
            let is_true = sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut connection);
            if is_true.await.expect("asked") {
                return;
            }
            ticks.tick().await;
        }
    };
    let waiting = timeout(WAIT_TIMEOUT, waiting).await;
    waiting.expect("it comes true");
}

/// Starts to migrate, until it waits for somebody.
async fn migrate_until_it_waits(database: &TestDatabase) -> LoggedProcess {
    let migrating = LoggedProcess::start(&process(database), "migrate");
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock')";
    wait_until_true(database, waits).await;
    migrating
}

/// Starts to migrate, and kills the process when it waits for somebody.
async fn kill_while_it_waits(database: &TestDatabase) {
    let mut migrating = migrate_until_it_waits(database).await;
    migrating.child.kill().await.expect("it is our child");
}

/// The migration adds columns and tables, and waits for a table that somebody writes to before its last statement.
#[tokio::test(flavor = "multi_thread")]
async fn a_migration_whose_process_was_killed_in_the_middle_is_made_by_the_next_one() {
    let current = TestDatabase::postgres().await;
    let queued = EarlierSend::new(&process(&current)).await;
    let all = migrations(&current).await;
    let database = earlier_database(&current).await;
    let before = migrations(&database).await;
    let mut writer = connection(&database).await;
    execute(&mut writer, "BEGIN; DELETE FROM dead_letters WHERE FALSE").await;
    kill_while_it_waits(&database).await;
    let half_way = migrations(&database).await;
    assert!(
        before < half_way && half_way < all,
        "{before} {half_way} {all}"
    );
    execute(&mut writer, "COMMIT").await;

    queued.assert_delivered(&process(&database)).await;
    assert_eq!(migrations(&database).await, all);
}

/// PostgreSQL ends the statement of a process that is halted, and would keep the locks for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_migration_whose_process_was_halted_in_the_middle_is_made_by_the_next_one() {
    const IS_HALTED: &str = "SELECT EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%')";
    let current = TestDatabase::postgres().await;
    let queued = EarlierSend::new(&process(&current)).await;
    let database = earlier_database(&current).await;
    let mut writer = connection(&database).await;
    execute(&mut writer, "BEGIN; DELETE FROM dead_letters WHERE FALSE").await;
    let mut migrating = migrate_until_it_waits(&database).await;
    migrating.signal("STOP").await;
    execute(&mut writer, "COMMIT").await;
    wait_until_true(&database, IS_HALTED).await;

    queued.assert_delivered(&process(&database)).await;
    assert_eq!(migrations(&database).await, migrations(&current).await);
    migrating.child.kill().await.expect("it is our child");
}

/// PostgreSQL goes on with an index when whoever asked for it is gone.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_whose_process_was_killed_in_the_middle_is_built_by_the_next_one() {
    const IS_BUILT: &str =
        "SELECT EXISTS (SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relname = 'subscriptions_by_vapid_key' AND indisvalid)";
    let database = TestDatabase::postgres().await;
    let queued = EarlierSend::new(&process(&database)).await;
    let all = migrations(&database).await;
    database.execute(
        "DROP INDEX subscriptions_by_vapid_key; DELETE FROM _sqlx_migrations WHERE version = 31",
    );
    let mut reader = connection(&database).await;
    let looks = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM subscriptions LIMIT 1";
    execute(&mut reader, looks).await;
    kill_while_it_waits(&database).await;
    assert_eq!(migrations(&database).await, all - 1);
    execute(&mut reader, "COMMIT").await;
    wait_until_true(&database, IS_BUILT).await;

    queued.assert_delivered(&process(&database)).await;
    assert_eq!(migrations(&database).await, all);
}
