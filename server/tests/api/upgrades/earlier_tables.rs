//! Tables of an earlier version, and processes of this one.

use hato_testkit::TestDatabase;
use hato_testkit::push_service::PushService;
use serde_json::json;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::send_in_progress::SendInProgress;
use super::{LoggedProcess, migrate, process};
use crate::fixtures::{app, get, post, register, start, wait_until};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations/postgres");

/// The last migration of an earlier version.
const LAST_EARLIER: i64 = 8;

/// Has the tables count on from numbers that no copied row has.
const RESTART_NUMBERS: &str = "
    SELECT setval(pg_get_serial_sequence(quote_ident(table_name), column_name), 1000)
    FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES'";

/// Takes back a migration of whose table nobody needs anything who delivers.
const TAKE_BACK_MIGRATION_10: &str =
    "DROP TABLE send_windows; DELETE FROM _sqlx_migrations WHERE version = 10";

pub(super) async fn connection(database: &TestDatabase) -> PgConnection {
    let connection = PgConnection::connect(database.url()).await;
    connection.expect("the database")
}

pub(super) async fn execute(connection: &mut PgConnection, statement: &str) {
    let statement = sqlx::raw_sql(AssertSqlSafe(statement));
    statement.execute(connection).await.expect("executed");
}

/// A database as an earlier version has left it, with everything of `current` for which it has a place.
pub(super) async fn earlier_database(current: &TestDatabase) -> TestDatabase {
    let earlier = TestDatabase::empty_postgres();
    let (mut from, mut to) = (connection(current).await, connection(&earlier).await);
    let known = MIGRATIONS.iter().filter(|it| it.version <= LAST_EARLIER);
    let known = Migrator::with_migrations(known.cloned().collect());
    known.run(&mut to).await.expect("migrated");
    // Rows may come in any order.
    execute(&mut to, "SET session_replication_role = replica").await;
    for table in tables(&mut to).await {
        let query = format!("SELECT json_agg(t)::text FROM {table} AS t");
        let rows: Option<String> = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_one(&mut from)
            .await
            .expect("read");
        let copy = format!(
            "INSERT INTO {table} SELECT * FROM json_populate_recordset(NULL::{table}, $1::json)"
        );
        let copied = sqlx::query(AssertSqlSafe(copy)).bind(rows.unwrap_or("[]".to_owned()));
        copied.execute(&mut to).await.expect("copied");
    }
    execute(&mut to, RESTART_NUMBERS).await;
    earlier
}

async fn tables(connection: &mut PgConnection) -> Vec<String> {
    let names = sqlx::query_scalar(
        "SELECT relname::text FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_sqlx_migrations'",
    );
    names.fetch_all(connection).await.expect("their names")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_earlier_version_accepted_is_delivered_after_the_migration() {
    let push = PushService::start().await;
    let current = TestDatabase::postgres().await;
    let launch = process(&current).with_push_service(&push);
    let mut api = start(launch.env("HATO_ROLE", "api")).await;
    let app = app(&api, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 3);
    register(&app.admin, &browsers).await;
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await.json();
    api.terminate().await.expect("it stops");

    let database = earlier_database(&current).await;
    let launch = process(&database).with_push_service(&push);
    let mut patient = LoggedProcess::patient(&launch);
    let waits = "waiting until another process has migrated";
    let missing = patient.next_line(waits).await;
    assert!(missing.ends_with("missing=9"), "{missing}");
    migrate_beside_a_writer(&database).await;

    push.wait_until(|seen| seen.total.created == 3).await;
    push.assert_no_violations();
    let owner = app.owner.at(patient.client().await.address());
    let id = accepted["send_id"].as_str().expect("an id");
    let path = format!("/api/v1/apps/{}/notifications/{id}", app.id);
    let send = wait_until(&owner, &path, |send| send["status"] == "done").await;
    assert_eq!(send["sent_count"], 3, "{send}");
}

/// A process of the earlier version is writing to a table that the migration refers to: the migration does not make others wait
/// behind it, and comes again.
async fn migrate_beside_a_writer(database: &TestDatabase) {
    let mut writer = connection(database).await;
    execute(&mut writer, "BEGIN; UPDATE apps SET name = name").await;
    let mut migrating = LoggedProcess::start(&process(database), "migrate");
    let waits = "waiting until a table that is to be migrated is not in use";
    migrating.next_line(waits).await;
    execute(&mut writer, "COMMIT").await;
    let status = migrating.child.wait().await.expect("it ends");
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_send_goes_on_while_another_process_migrates() {
    let sending = SendInProgress::start().await;
    sending.database.execute(TAKE_BACK_MIGRATION_10);
    let launch = process(&sending.database);
    let mut patient = LoggedProcess::patient(&launch);
    let waits = "waiting until another process has migrated";
    let missing = patient.next_line(waits).await;
    assert!(missing.ends_with("missing=10"), "{missing}");
    migrate(&launch).await;
    sending.completes().await;
    let client = patient.client().await;
    assert_eq!(get(&client, "/readyz").await.status, 200);
    let message = json!({"title": "t", "body": "b"});
    let backend = sending.app.backend.at(client.address());
    let sent = post(&backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
}
