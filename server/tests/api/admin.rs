//! Operators' commands, beside a server that runs on the same data (CONTRACT 1).

use std::process::{Output, Stdio};

use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::fixtures::{
    BINARY, app, get, post, registration, send, server, setup, start, status_and_code,
    wait_until_logged,
};

const NEW_PASSWORD: &str = "ぱすわーど八文字";

/// What the command does with this on its standard input.
pub async fn admin(launch: &ServerLaunch, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = launch.command("admin");
    command.args(arguments).env("HATO_DEFAULT_PLAN", "pro");
    let mut child = command
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A command that asks for nothing may be gone.
    let _ = stdin.write_all(input).await;
    drop(stdin);
    child.wait_with_output().await.expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn assert_done(output: &Output) {
    let stderr = text(&output.stderr);
    assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""));
}

/// Exit code and the only line on stderr.
fn refusal(output: &Output) -> (Option<i32>, String) {
    let stderr = text(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(output.stdout.is_empty());
    (output.status.code(), stderr.trim_end().to_owned())
}

#[on_each_database]
async fn a_plan_counts_from_the_next_request_on(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let another = json!({"name": "Another"});
    let refusal = post(&app.owner, "/api/v1/apps", &another).await;
    assert_eq!(
        status_and_code(&refusal),
        (403, "PLAN_LIMIT_EXCEEDED".into())
    );

    let to_pro = ["set-plan", "OWNER@example.com", "pro"];
    assert_done(&admin(server.launch(), &to_pro, b"").await);
    let shown = get(&app.owner, &format!("/api/v1/apps/{}", app.id)).await;
    assert_eq!(shown.json()["plan"], "pro");
    let made = post(&app.owner, "/api/v1/apps", &another).await;
    assert_eq!(made.status, 201, "{made}");

    let to_free = ["set-plan", "owner@example.com", "free"];
    assert_done(&admin(server.launch(), &to_free, b"").await);
    let refusal = post(&app.owner, "/api/v1/apps", &another).await;
    assert_eq!(
        status_and_code(&refusal),
        (403, "PLAN_LIMIT_EXCEEDED".into())
    );
}

#[on_each_database]
async fn a_new_password_ends_the_sessions(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let client = server.client();
    let set = ["set-password", "owner@example.com"];
    let input = format!("{NEW_PASSWORD}\r\nsecond line\n");
    let output = admin(server.launch(), &set, input.as_bytes()).await;
    assert_done(&output);
    assert!(!text(&output.stdout).contains(NEW_PASSWORD));

    let dead = get(&app.owner, "/auth/session").await;
    assert_eq!(status_and_code(&dead), (401, "INVALID_SESSION".into()));
    let key = get(&app.admin, &format!("/api/v1/apps/{}", app.id)).await;
    assert_eq!(key.status, 200, "keys are no sessions");
    let old = json!({"email": "owner@example.com", "password": PASSWORD});
    let old = post(&client, "/auth/login", &old).await;
    assert_eq!(status_and_code(&old), (401, "INVALID_CREDENTIALS".into()));
    let login = client.log_in("owner@example.com", NEW_PASSWORD).await;
    login.expect("the new password is good");
}

#[on_each_database]
async fn an_account_is_made_while_registration_is_closed(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_REGISTRATION", "closed")).await;
    let create = ["create-account", "Hato@example.com"];
    let input = PASSWORD.as_bytes();
    assert_done(&admin(server.launch(), &create, input).await);
    let client = server.client();
    let session = client.log_in("hato@example.com", PASSWORD).await;
    let session = client.bearer(&session.expect("logged in"));
    let user = get(&session, "/auth/session").await.json()["user"].clone();
    assert_eq!(
        (&user["email"], &user["plan"]),
        (&json!("Hato@example.com"), &json!("pro"))
    );
    let again = ["create-account", "hato@EXAMPLE.com"];
    let again = admin(server.launch(), &again, input).await;
    let stderr = "hato-server: the address hato@EXAMPLE.com has an account already";
    assert_eq!(refusal(&again), (Some(1), stderr.to_owned()));
}

#[on_each_database]
async fn the_first_account_may_come_before_the_first_start(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database.another_empty().await);
    let create = ["create-account", "hato@example.com"];
    assert_done(&admin(&launch, &create, PASSWORD.as_bytes()).await);
    let server = start(launch).await;
    let login = server.client().log_in("hato@example.com", PASSWORD).await;
    login.expect("logged in");
}

#[on_each_database]
async fn accounts_are_listed_with_what_they_use(database: TestDatabase) {
    let server = server(database).await;
    let owner = app(&server, "a.very.long.address@example.com").await;
    send_to_two(&owner).await;
    let client = server.client();
    client
        .register_account("b@example.com", PASSWORD)
        .await
        .expect("registered");
    let to_pro = ["set-plan", "b@example.com", "pro"];
    assert_done(&admin(server.launch(), &to_pro, b"").await);

    let output = admin(server.launch(), &["list-accounts"], b"").await;
    assert_done(&output);
    let table = text(&output.stdout);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let head = ["ID", "EMAIL", "PLAN", "CREATED", "APPS", "THIS_MONTH"];
    assert_eq!(rows[0], head);
    let seen: Vec<_> = rows[1..]
        .iter()
        .map(|row| (row[1], row[2], row[4], row[5]))
        .collect();
    let expected = [
        ("a.very.long.address@example.com", "free", "1", "2"),
        ("b@example.com", "pro", "0", "0"),
    ];
    assert_eq!(seen, expected);
    let starts = |word: &str| {
        table
            .lines()
            .map(|line| line.find(word))
            .collect::<Vec<_>>()
    };
    assert_eq!(starts("PLAN")[0], starts("free")[1]);
    assert_eq!(starts("PLAN")[0], starts("pro")[2]);
    for row in &rows[1..] {
        assert!(row[0].starts_with("usr_") && row[3].len() == "2026-01-31".len());
    }
}

async fn send_to_two(app: &OwnedApp) {
    for number in 0..2 {
        let endpoint = format!("https://push.example/{number}");
        let reply = post(
            &app.frontend,
            "/api/v1/subscriptions",
            &registration(&endpoint),
        )
        .await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let notification = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &notification).await;
    assert_eq!(sent.json()["queued"], 2, "{sent}");
}

#[on_each_database]
async fn what_cannot_be_done_is_told_in_one_line(database: TestDatabase) {
    let server = server(database).await;
    let unknown = "hato-server: no account has the address x@example.com";
    for (arguments, input, expected) in [
        (&["set-plan", "x@example.com", "pro"][..], "", (1, unknown)),
        (&["set-password", "x@example.com"], PASSWORD, (1, unknown)),
        (
            &["set-plan", "x@example.com", "gold"],
            "",
            (2, "hato-server: PLAN takes free or pro"),
        ),
        (
            &["set-plan", "no address", "pro"],
            "",
            (2, "hato-server: EMAIL takes an email address"),
        ),
        (
            &["create-account", "no address"],
            PASSWORD,
            (2, "hato-server: EMAIL takes an email address"),
        ),
        (
            &["create-account", "x@example.com"],
            "short\n",
            (2, "hato-server: a password takes 8 to 128 characters"),
        ),
        (
            &["create-account", "x@example.com"],
            "",
            (2, "hato-server: a password takes 8 to 128 characters"),
        ),
    ] {
        let output = admin(server.launch(), arguments, input.as_bytes()).await;
        let (code, stderr) = expected;
        let expected = (Some(code), stderr.to_owned());
        assert_eq!(refusal(&output), expected, "{arguments:?}");
    }
    let listed = admin(server.launch(), &["list-accounts"], b"").await;
    assert_eq!(text(&listed.stdout).lines().count(), 1, "nobody was made");
}

#[tokio::test]
async fn a_misused_command_is_told_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = ServerLaunch::new(BINARY).data_dir(folder.path());
    for arguments in [
        &["set-plan", "x@example.com"][..],
        &["set-plan"],
        &["no-such-command"],
        &["list-accounts", "--no-such-flag"],
        &["list-accounts", "--data-dir"],
    ] {
        let output = admin(&launch, arguments, b"").await;
        let (code, stderr) = refusal(&output);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.starts_with("hato-server: "), "{stderr}");
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}

#[on_each_database]
async fn what_an_operator_does_in_the_dashboard_is_logged_without_addresses(
    database: TestDatabase,
) {
    let (server, app) = setup(database).await;
    let client = server.client();
    let session = client.log_in("owner@example.com", PASSWORD).await;
    let cookie = format!("hato_session={}", session.expect("logged in"));
    let unknown = admin(server.launch(), &["make-operator", "x@example.com"], b"").await;
    assert_eq!(refusal(&unknown).0, Some(1));
    let make = ["make-operator", "owner@example.com"];
    assert_done(&admin(server.launch(), &make, b"").await);

    let body = "email=owner%40example.com&plan=pro";
    let post = async |site: &'static str| {
        let headers = [
            ("cookie", cookie.as_str()),
            ("content-type", "application/x-www-form-urlencoded"),
            ("accept", "application/json"),
            ("sec-fetch-site", site),
        ];
        send(
            &client,
            Method::POST,
            "/_app/operator_set_plan",
            &headers,
            body,
        )
        .await
    };
    assert_eq!(post("cross-site").await.status, 403);
    let done = post("same-origin").await;
    assert_eq!(
        done.header("location"),
        Some("/operator?done=plan"),
        "{done}"
    );
    wait_until_logged(&server, "an operator has set a plan").await;
    let user = get(&app.owner, "/auth/session").await.json()["user"].clone();
    let id = user["id"].as_str().expect("an id");
    let log = server.log();
    let line = log
        .lines()
        .find(|line| line.contains("an operator has set a plan"));
    let line = line.expect("it was logged");
    assert!(line.contains(id), "{line}");
    assert!(!log.contains("owner@example.com"), "{log}");

    let undo = ["make-operator", "owner@example.com", "--undo"];
    assert_done(&admin(server.launch(), &undo, b"").await);
    assert_eq!(post("same-origin").await.status, 404);
}
