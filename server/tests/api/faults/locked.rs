//! A database that another process has locked, for a while: the file, or PostgreSQL's table of jobs.

use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use super::FaultFixture;
use super::refused_start::{assert_delivered, assert_refused, with_queued_send};
use crate::database::DatabaseConnection;
use crate::fixtures::{BINARY, post, status_and_code, wait_until_logged};

const RECIPIENTS: u64 = 2_000;
/// After so many requests the file is locked, and stays so until a page could not be settled.
const REQUESTS_BEFORE_LOCK: u64 = 300;

#[on_each_database(flavor = "multi_thread")]
async fn a_database_that_somebody_locks_is_an_error_and_then_nothing_is_lost(
    database: TestDatabase,
) {
    let (lock, cause) = if database.is_postgres() {
        let lock = "BEGIN; LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE";
        (lock, "lock timeout")
    } else {
        let lock = "PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE";
        (lock, "database is locked")
    };
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_DATABASE_LOCK_TIMEOUT", "1s")
        .env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let fixture = FaultFixture::new(launch, RECIPIENTS).await;
    let then = ScriptedResponse::Status(503);
    let (before, send) = fixture.send_to_first(REQUESTS_BEFORE_LOCK, then).await;
    let mut other = DatabaseConnection::to(&fixture.server).await;
    other.execute(lock).await;
    let message = json!({"title": "t", "body": "b"});
    let refused = post(&fixture.app.backend, "/api/v1/notify", &message).await;
    assert_eq!(status_and_code(&refused), (503, "OVERLOADED".into()));
    wait_until_logged(&fixture.server, "a page cannot be settled yet").await;
    fixture.assert_cause_is_logged(cause);
    fixture.push.respond_by_default(ScriptedResponse::Created);
    other.execute("ROLLBACK").await;

    let outcome = fixture.finish(&send).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], RECIPIENTS, "{outcome}");
}

#[tokio::test]
async fn a_file_that_stays_locked_ends_the_start_with_one_line() {
    for lock in ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
        let push = PushService::start().await;
        let server = with_queued_send(TestDatabase::sqlite().await, &push).await;
        let mut other = DatabaseConnection::to(&server).await;
        other.execute(lock).await;
        let serve = server.launch().command("serve").output().await;
        let serve = serve.expect("it runs");
        assert_refused(&serve, 1, "another process has locked the database");
        other.execute("ROLLBACK").await;
        other.close().await;
        assert_delivered(&server, &push).await;
    }
}
