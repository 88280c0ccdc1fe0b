//! `hato-server copy-data`, and a server that goes on with the copy (CONTRACT 17).

mod many;

use std::path::Path;
use std::process::Output;

use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tokio::process::Command;

use crate::database::DatabaseConnection;
use crate::fixtures::{BINARY, app, get, post, register, snapshot, start, wait_until};

/// What the program does with these arguments.
async fn run(arguments: &[&str]) -> Output {
    run_program(Path::new(BINARY), arguments).await
}

async fn run_program(program: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(program).args(arguments).output().await;
    output.expect("the program runs")
}

async fn copy(from: &str, to: &str) -> Output {
    copy_by(Path::new(BINARY), from, to).await
}

async fn copy_by(program: &Path, from: &str, to: &str) -> Output {
    run_program(program, &["copy-data", "--from", from, "--to", to]).await
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn assert_copied(output: &Output, subscriptions: usize) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(text(&output.stdout).contains("counts and checksums agree"));
    for done in ["", " compared"] {
        let line = format!("subscriptions: {subscriptions} rows{done}\n");
        assert!(stderr.contains(&line), "{stderr}");
    }
}

/// Exit code and the only line on standard error.
fn refusal(output: &Output) -> (Option<i32>, &str) {
    let stderr = text(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    (output.status.code(), stderr.trim_end())
}

fn file(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("hato.db").display())
}

/// The secrets of a data folder, as a fleet's processes get them.
async fn with_secrets(launch: ServerLaunch, data: &Path) -> ServerLaunch {
    let folder = data.display().to_string();
    let printed = run(&["print-secrets", "--data-dir", &folder]).await;
    let lines = text(&printed.stdout).lines();
    let secrets = lines.map(|line| line.split_once('=').expect("a line of an environment"));
    secrets.fold(launch, |launch, (name, value)| launch.env(name, value))
}

/// Sends to everybody and waits until all have it.
async fn send_to_all(push: &PushService, app: &OwnedApp) {
    let before = push.seen(|seen| seen.total.created);
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(
        (sent.status.as_u16(), &sent.json()["queued"]),
        (202, &json!(5)),
        "{sent}"
    );
    push.wait_until(|seen| seen.total.created == before + 5)
        .await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    wait_until(&app.owner, &path, |it| it["items"][0]["status"] == "done").await;
}

/// The same server on another database, at the same address.
async fn moved(server: &HatoServer, launch: &ServerLaunch, url: &str) -> HatoServer {
    let launch = launch
        .clone()
        .env("HATO_LISTEN", server.address().to_string());
    start(
        with_secrets(launch, server.data_dir())
            .await
            .env("HATO_DATABASE_URL", url),
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_goes_on_with_the_copy_and_with_the_copy_of_that() {
    let push = PushService::start().await;
    let launch = ServerLaunch::new(BINARY).with_push_service(&push);
    let mut server = start(launch.clone()).await;
    let app = app(&server, "owner@example.com").await;
    register(
        &app.admin,
        &push.subscribe_many(Some(&app.vapid_public_key), 5),
    )
    .await;
    send_to_all(&push, &app).await;
    let before = snapshot(&app).await;
    server.terminate().await.expect("it stops");
    let postgres = TestDatabase::empty_postgres();
    assert_copied(&copy(&file(server.data_dir()), postgres.url()).await, 5);

    let mut fleet = moved(&server, &launch, postgres.url()).await;
    assert_eq!(snapshot(&app).await, before);
    let login = server.client().log_in("owner@example.com", PASSWORD).await;
    login.expect("the password is the same");
    send_to_all(&push, &app).await;
    let before = snapshot(&app).await;
    fleet.terminate().await.expect("it stops");
    let folder = tempfile::tempdir().expect("a folder");
    assert_copied(&copy(postgres.url(), &file(folder.path())).await, 5);

    let _back = moved(&server, &launch, &file(folder.path())).await;
    assert_eq!(snapshot(&app).await, before);
    send_to_all(&push, &app).await;
    push.assert_no_violations();
}

#[on_each_database(flavor = "multi_thread")]
async fn nothing_is_copied_while_a_server_runs(source: TestDatabase) {
    let target = source.another().await;
    let mut server = start(ServerLaunch::on(BINARY, source)).await;
    let source = server.database().url().to_owned();
    assert_in_use(&copy(&source, target.url()).await);
    assert_eq!(get(&server.client(), "/readyz").await.status, 200);

    server.terminate().await.expect("it stops");
    let copied = copy(&source, target.url()).await;
    assert_eq!(copied.status.code(), Some(0), "{}", text(&copied.stderr));
}

fn assert_in_use(output: &Output) {
    let (code, line) = refusal(output);
    assert_eq!(code, Some(1), "{line}");
    let words = "hato-server: the source is in use: ";
    assert!(line.starts_with(words), "{line}");
}

/// How many sessions a server has.
const SESSIONS: &str = "SELECT COUNT(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND application_name LIKE 'hato-server %'";

/// It is silent, and has its connections still.
#[tokio::test(flavor = "multi_thread")]
async fn nor_while_one_is_halted() {
    let target = TestDatabase::empty_postgres();
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await);
    let mut server = start(launch).await;
    server.pause().await;
    let source = server.database();
    source.execute("UPDATE processes SET seen_at = now() - INTERVAL '1 hour'");
    assert_in_use(&copy(source.url(), target.url()).await);
    server.kill().await;
    let mut database = DatabaseConnection::to(&server).await;
    database.wait_for_count(SESSIONS, |count| count == 0).await;
    let copied = copy(server.database().url(), target.url()).await;
    assert_eq!(copied.status.code(), Some(0), "{}", text(&copied.stderr));
}

/// A transaction that locks what a copy locks stands for one.
#[tokio::test(flavor = "multi_thread")]
async fn no_server_starts_while_its_database_is_copied() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await)
        .env("HATO_DATABASE_LOCK_TIMEOUT", "100ms");
    let mut server = start(launch).await;
    server.terminate().await.expect("it stops");
    let mut copying = DatabaseConnection::to(&server).await;
    let lock = "BEGIN; LOCK TABLE processes IN EXCLUSIVE MODE";
    copying.execute(lock).await;
    let serve = server.launch().command("serve").output().await;
    let serve = serve.expect("it runs");
    let said = text(&serve.stderr);
    assert_eq!(serve.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the database cannot be told that a server has it open"),
        "{said}"
    );
    copying.execute("ROLLBACK").await;
    server.restart().await.expect("it starts");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_killed_holds_up_nothing() {
    let mut server = start(ServerLaunch::new(BINARY)).await;
    let source = file(server.data_dir());
    let target = TestDatabase::sqlite().await;
    server.kill().await;
    let copied = copy(&source, target.url()).await;
    assert_eq!(copied.status.code(), Some(0), "{}", text(&copied.stderr));
    // Its file is no worse for it.
    server.restart().await.expect("it starts again");
}

#[tokio::test]
async fn what_is_no_database_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = file(folder.path());
    for (from, to, code, words) in [
        (
            "mysql://localhost/hato",
            missing.as_str(),
            2,
            "the source cannot be opened: ",
        ),
        (&missing, "sqlite::memory:", 1, "there is no database at "),
        (
            "postgres://hato:the-password@127.0.0.1:1/hato",
            &missing,
            1,
            "cannot reach PostgreSQL",
        ),
        (
            "postgres://hato:the-password@127.0.0.1:port/hato",
            &missing,
            2,
            "not a PostgreSQL URL",
        ),
    ] {
        let refused = copy(from, to).await;
        let (found, line) = refusal(&refused);
        assert_eq!(found, Some(code), "{line}");
        assert!(
            line.contains(words) && !line.contains("the-password"),
            "{line}"
        );
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}
