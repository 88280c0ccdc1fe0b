//! Processes of two versions on one PostgreSQL database, as they meet in a rolling upgrade (CONTRACT 17).

use std::path::Path;
use std::process::Stdio;

use hato_testkit::TestDatabase;
use hato_testkit::client::Client;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::Launch;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

use crate::fixtures::{BINARY, app, get, post, register, start};

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_meets_later_tables_says_so_and_goes_on() {
    let database = TestDatabase::postgres().await;
    database.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', true, '\\x00', 0);
         ALTER TABLE apps ADD COLUMN later TEXT; CREATE TABLE later (id BIGINT)",
    );
    let server = start(Launch::on(BINARY, database)).await;
    assert!(
        server.log().contains("migrated by a later version"),
        "{}",
        server.log()
    );
    let app = app(&server, "owner@example.com").await;
    let key = get(&app.frontend, "/api/v1/vapid-public-key").await;
    assert_eq!(key.status, 200, "{key}");
}

/// A process that leaves the tables to others, and its log.
fn patient_process(database: &TestDatabase, data: &Path) -> (Child, Lines<BufReader<ChildStderr>>) {
    let mut process = Command::new(BINARY)
        .arg("serve")
        .env("HATO_LISTEN", "127.0.0.1:0")
        .env("HATO_DATA_DIR", data)
        .env("HATO_DATABASE_URL", database.url())
        .env("HATO_DATABASE_MIGRATE", "false")
        .env("NO_COLOR", "1")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the program runs");
    let log = process.stderr.take().expect("it is piped");
    (process, BufReader::new(log).lines())
}

/// The rest of the next line of the log that has these words.
async fn next_line(log: &mut Lines<BufReader<ChildStderr>>, words: &str) -> String {
    while let Some(line) = log.next_line().await.expect("it is text") {
        if let Some((_, rest)) = line.split_once(words) {
            return rest.to_owned();
        }
    }
    panic!("the process has ended without {words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_does_not_migrate_waits_for_newer_tables() {
    let database = TestDatabase::empty_postgres();
    let data = tempfile::tempdir().expect("a folder");
    let (_process, mut log) = patient_process(&database, data.path());
    next_line(&mut log, "waiting until another process has migrated").await;
    let migrated = Command::new(BINARY)
        .arg("migrate")
        .env("HATO_DATA_DIR", data.path())
        .env("HATO_DATABASE_URL", database.url())
        .output()
        .await
        .expect("the program runs");
    assert!(migrated.status.success());
    let address = next_line(&mut log, "listening on http://").await;
    let client = Client::new(address.trim().parse().expect("an address"));
    assert_eq!(get(&client, "/readyz").await.status, 200);
}

/// How many pages somebody holds.
async fn claimed_pages(database: &TestDatabase) -> i64 {
    let connection = PgConnection::connect(database.url()).await;
    sqlx::query_scalar("SELECT COUNT(*) FROM jobs WHERE claimed = 1")
        .fetch_one(&mut connection.expect("the database"))
        .await
        .expect("counted")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_stopped_hands_its_pages_to_the_others_at_once() {
    let push = PushService::start().await;
    let launch = Launch::on(BINARY, TestDatabase::postgres().await).with_push_service(&push);
    let mut server = start(launch.clone()).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 5);
    register(&app.admin, &browsers).await;
    push.respond_by_default(ScriptedResponse::Hang);
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    push.wait_until(|seen| seen.total.requests == 5).await;
    assert_eq!(claimed_pages(server.database()).await, 1);

    let status = server.terminate().await.expect("it stops");
    assert_eq!(status.code(), Some(0), "{}", server.log());
    assert_eq!(
        claimed_pages(server.database()).await,
        0,
        "no lease is to be waited for"
    );
    push.respond_by_default(ScriptedResponse::Created);
    let _other = start(launch).await;
    push.wait_until(|seen| seen.total.created == 5).await;
}
