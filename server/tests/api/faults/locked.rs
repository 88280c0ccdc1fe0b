//! A database file that another process has locked, for a while.

use hato_testkit::TestDatabase;
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::server::ServerLaunch;
use serde_json::json;

use super::FaultFixture;
use crate::database::DatabaseConnection;
use crate::fixtures::{BINARY, post, status_and_code, wait_until_logged};

const RECIPIENTS: u64 = 2_000;
/// After so many requests the file is locked, and stays so until a page could not be settled.
const REQUESTS_BEFORE_LOCK: u64 = 300;

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_somebody_locks_is_an_error_and_then_nothing_is_lost() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::sqlite().await);
    let launch = launch.env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let fixture = FaultFixture::new(launch, RECIPIENTS).await;
    fixture.push.respond_by_number(|number| match number {
        REQUESTS_BEFORE_LOCK.. => ScriptedResponse::Status(503),
        _ => ScriptedResponse::Created,
    });
    let before = fixture.served();
    let send = fixture.send().await;
    fixture
        .push
        .wait_until(|seen| seen.total.requests >= REQUESTS_BEFORE_LOCK)
        .await;
    let mut other = DatabaseConnection::to(&fixture.server).await;
    other
        .execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
        .await;
    let message = json!({"title": "t", "body": "b"});
    let refused = post(&fixture.app.backend, "/api/v1/notify", &message).await;
    assert_eq!(status_and_code(&refused), (500, "INTERNAL_ERROR".into()));
    wait_until_logged(&fixture.server, "a page cannot be settled yet").await;
    fixture.push.respond_by_default(ScriptedResponse::Created);
    other.execute("ROLLBACK").await;

    let outcome = fixture.finish(&send).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], RECIPIENTS, "{outcome}");
}
