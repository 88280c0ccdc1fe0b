//! A database that may only be read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use hato_testkit::TestDatabase;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use rustix::process::Resource;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{interval, timeout};

use super::FaultFixture;
use super::refused_start::{assert_delivered, assert_refused, with_queued_send};
use crate::database::value;
use crate::fixtures::{BINARY, post, status_and_code, wait_until_logged};
use crate::process::{limit, program};

/// A user without rights, as nearly every system numbers them.
const NOBODY_UID: &str = "65534";

/// Starts the program on the server's folder as somebody to whom a file's mode says something: as nobody, where the tests run as root.
/// What leads to the program may be closed to nobody, so the shell opens it.
fn serve(stopped: &HatoServer) -> Output {
    let run = r#"exec 9<"$1"; exec $2 /proc/self/fd/9 serve"#;
    let mut user = String::new();
    if rustix::process::geteuid().is_root() {
        let mut chown = Command::new("chown");
        let changed = chown
            .args(["-R", NOBODY_UID])
            .arg(stopped.data_dir())
            .status();
        assert!(changed.expect("chown runs").success());
        user = format!("setpriv --reuid={NOBODY_UID} --clear-groups");
    }
    Command::new("bash")
        .args(["-c", run, "bash", BINARY, &user])
        .env("HATO_DATA_DIR", stopped.data_dir())
        .env("HATO_LISTEN", "127.0.0.1:0")
        .stdin(Stdio::null())
        .output()
        .expect("the program runs")
}

#[tokio::test]
async fn a_file_that_may_only_be_read_ends_the_start_with_one_line_and_stays() {
    let push = PushService::start().await;
    let server = with_queued_send(TestDatabase::sqlite().await, &push).await;
    let path = server.data_dir().join("hato.db");
    let before = fs::read(&path).expect("the database");
    let set_mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
    set_mode(0o400).expect("set");
    assert_refused(&serve(&server), 1, "may only be read");
    assert_eq!(fs::read(&path).expect("the database"), before);
    set_mode(0o600).expect("set");
    assert_delivered(&server, &push).await;
}

/// What PostgreSQL lets a session do unless it asks for more, and no session is older than that.
fn set_read_only(database: &TestDatabase, is_read_only: bool) {
    database.execute(&format!(
        "BEGIN READ WRITE;
         DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = {is_read_only}',
                                    current_database()); END $$;
         COMMIT"
    ));
    database.end_sessions();
}

/// Waits until the server has said once more that it has the database open, by which others know that they may not replace it.
async fn wait_until_present(server: &HatoServer) {
    let time = "SELECT CAST(1000 * EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)";
    let now: i64 = value(server, time).await;
    let said = "SELECT CAST(1000 * EXTRACT(EPOCH FROM MAX(seen_at)) AS BIGINT) FROM processes";
    let saying = async {
        let mut ticks = interval(Duration::from_millis(100));
        while value::<i64>(server, said).await <= now {
            ticks.tick().await;
        }
    };
    let in_time = timeout(Duration::from_mins(1), saying).await;
    in_time.expect("it says so every 10 s");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_that_becomes_read_only_by_default_keeps_a_send_and_refuses_the_next_start() {
    const RECIPIENTS: u64 = 2_000;
    let database = TestDatabase::postgres().await;
    let launch = ServerLaunch::on(BINARY, database).env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let mut fixture = FaultFixture::new(launch, RECIPIENTS).await;
    let before = fixture.served();
    let send = fixture.send().await;
    fixture
        .push
        .wait_until(|seen| seen.total.requests >= 300)
        .await;
    set_read_only(fixture.server.database(), true);
    wait_until_present(&fixture.server).await;
    // Its transactions say that they write, so those that are under way go on.
    let outcome = fixture.finish(&send).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
    let before = fixture.served();
    let send = fixture.send().await;
    fixture.server.kill().await;

    let refused = fixture.server.launch().command("serve").output().await;
    assert_refused(
        &refused.expect("it runs"),
        1,
        "this PostgreSQL is read-only",
    );
    set_read_only(fixture.server.database(), false);
    fixture.server.restart().await.expect("it starts again");
    let outcome = fixture.finish(&send).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
}

/// A write that the system refuses is an error then, not the end of the process.
const WITHOUT_SIGNAL: &str = "trap '' XFSZ";

/// As on a disk that fails, which the system mounts anew so that it may only be read.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_takes_no_writes_any_more_is_an_error_and_then_nothing_is_lost() {
    const RECIPIENTS: u64 = 2_000;
    const REQUESTS_BEFORE: u64 = 300;
    let folder = TempDir::new().expect("a temporary folder");
    let launch = ServerLaunch::on(
        program(&folder, WITHOUT_SIGNAL),
        TestDatabase::sqlite().await,
    );
    let launch = launch.env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let fixture = FaultFixture::new(launch, RECIPIENTS).await;
    fixture.push.respond_by_number(|number| match number {
        REQUESTS_BEFORE.. => ScriptedResponse::Hang,
        _ => ScriptedResponse::Created,
    });
    let before = fixture.served();
    let send = fixture.send().await;
    let push = &fixture.push;
    push.wait_until(|seen| seen.total.requests >= REQUESTS_BEFORE)
        .await;
    let usual = limit(&fixture.server, Resource::Fsize, Some(0));
    let message = json!({"title": "t", "body": "b"});
    let refused = post(&fixture.app.backend, "/api/v1/notify", &message).await;
    assert_eq!(status_and_code(&refused), (500, "INTERNAL_ERROR".into()));
    wait_until_logged(&fixture.server, "a page cannot be settled yet").await;
    fixture.assert_cause_is_logged("disk I/O error");
    push.respond_by_default(ScriptedResponse::Created);
    limit(&fixture.server, Resource::Fsize, usual);

    let outcome = fixture.finish(&send).await;
    assert_eq!(outcome["sent_count"], RECIPIENTS, "{outcome}");
    fixture.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(fixture.history().await.len(), 1, "what was refused is none");
}
