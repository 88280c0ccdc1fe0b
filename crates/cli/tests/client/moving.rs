//! Moving in with a file, and out again.

mod faults;
mod files;
mod kills;
mod probe;

use std::fs;
use std::path::Path;

use hato_testkit::TestDatabase;
use hato_testkit::owner::PASSWORD;
use hato_testkit::server::ServerLaunch;
use serde_json::{Value, json};

use crate::http_proxy::{HttpProxy, ProxyAction};
use crate::setup::{CliSetup, launch, server_binary, subscribe, with_push_service};
use crate::stub_site::answer;

/// Keys of a browser (RFC 8291 §5).
const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

async fn setup() -> CliSetup {
    CliSetup::with_launch(launch().env("HATO_DEFAULT_PLAN", "pro")).await
}

/// The same on the other database.
async fn on_postgres() -> CliSetup {
    let launch = ServerLaunch::on(server_binary(), TestDatabase::postgres().await);
    CliSetup::with_launch(launch.env("HATO_DEFAULT_PLAN", "pro")).await
}

fn endpoint(number: usize) -> String {
    format!("https://push.example.com/{number}")
}

/// What a browser's `toJSON()` gives.
fn line(number: usize) -> String {
    let keys = json!({"p256dh": P256DH, "auth": AUTH});
    json!({"endpoint": endpoint(number), "expirationTime": null, "keys": keys}).to_string()
}

/// A file in the setup's folder.
fn write(setup: &CliSetup, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = setup.home.path().join(name);
    fs::write(&path, text).expect("a file");
    path.to_str().expect("text").to_owned()
}

async fn run(setup: &CliSetup, line: &[&str]) -> (i32, Value) {
    let line = [line, &["--json"]].concat();
    let output = setup.with_key("full", &line).await.output().await;
    let report = serde_json::from_str(&output.stdout);
    (output.code, report.unwrap_or_else(|_| panic!("{output:?}")))
}

/// Lines and codes of what was refused.
fn refused(file: &str) -> Vec<(u64, String)> {
    let text = fs::read_to_string(file).expect("a file");
    let lines = text.lines().map(serde_json::from_str::<Value>);
    let refused = lines.map(|line| {
        let line = line.expect("JSON");
        assert!(line["message"].as_str().is_some_and(|it| !it.is_empty()));
        let number = line["line"].as_u64().expect("a number");
        (number, line["code"].as_str().expect("a code").to_owned())
    });
    refused.collect()
}

async fn exported(setup: &CliSetup, name: &str) -> String {
    let file = setup.home.path().join(name);
    let file = file.to_str().expect("text");
    setup
        .with_key("full", &["export", file])
        .await
        .success()
        .await;
    fs::read_to_string(file).expect("a file")
}

#[tokio::test]
async fn ten_thousand_move_in_and_on_with_their_key_and_each_export_is_the_same() {
    let (first, second) = (setup().await, on_postgres().await);
    let lines: Vec<_> = (0..10_000).map(line).collect();
    let file = write(&first, "browsers.ndjson", lines.join("\n"));
    let (code, report) = run(&first, &["import", &file]).await;
    assert_eq!((code, &report["created"]), (0, &json!(10_000)), "{report}");
    assert!(!Path::new(&format!("{file}.refused")).exists());
    assert!(!Path::new(&format!("{file}.progress")).exists());
    let left = exported(&first, "left.ndjson").await;
    assert_eq!(left.lines().count(), 10_000);

    let keys = format!("/api/v1/apps/{}/vapid-keys", first.app.id);
    let keys = first.app.owner.get(&keys).await.expect("an answer").json();
    let id = keys[0]["id"].as_str().expect("an id");
    let path = format!("/api/v1/apps/{}/vapid-keys/{id}/export", first.app.id);
    let password = json!({"password": PASSWORD});
    let key = first
        .app
        .owner
        .post(&path, &password)
        .await
        .expect("an answer");
    let pem = key.json()["pem"].as_str().expect("a key").to_owned();
    let key = write(&second, "vapid.pem", pem);
    let file = write(&second, "left.ndjson", &left);
    let (code, report) = run(&second, &["import", &file, "--vapid-key", &key]).await;
    assert_eq!((code, &report["created"]), (0, &json!(10_000)), "{report}");
    let arrived = exported(&second, "arrived.ndjson").await;
    assert!(arrived == left, "the exports differ");
    // Browsers go on with the key that they have.
    let app = format!("/api/v1/apps/{}", second.app.id);
    let app = second.app.owner.get(&app).await.expect("an answer").json();
    assert_eq!(app["vapid_public_key"], *first.app.vapid_public_key);
}

#[tokio::test]
async fn the_good_lines_are_taken_and_each_other_one_is_named() {
    let setup = setup().await;
    let wrong_key = line(3).replace(P256DH, &"B".repeat(87));
    let lines = [
        line(1),
        line(2)[..40].to_owned(),
        wrong_key,
        line(1),
        "[]".to_owned(),
        json!({"keys": {}}).to_string(),
        line(4).replace("https:", "http:"),
        format!(r#"{{"endpoint":"{}"}}"#, "x".repeat(100_000)),
        String::new(),
        line(5),
    ];
    let file = write(
        &setup,
        "mixed.ndjson",
        format!("\u{feff}{}", lines.join("\r\n")),
    );
    let expected = [
        (2, "INVALID_INPUT"),
        (3, "INVALID_INPUT"),
        (4, "DUPLICATE"),
        (5, "INVALID_INPUT"),
        (6, "MISSING_FIELDS"),
        (7, "INVALID_URL"),
        (8, "LINE_TOO_LONG"),
    ];
    let expected = expected
        .map(|(line, code)| (line, code.to_owned()))
        .to_vec();
    for (step, active) in [(&["--dry-run"][..], 0), (&[], 2)] {
        let line = [&["import", &*file], step].concat();
        let (code, report) = run(&setup, &line).await;
        assert_eq!(code, 1, "{report}");
        assert_eq!(
            (&report["created"], &report["refused"]),
            (&json!(2), &json!(7))
        );
        assert_eq!(refused(&format!("{file}.refused")), expected, "{step:?}");
        let text = exported(&setup, &format!("after{active}")).await;
        assert_eq!(text.lines().count(), active, "{step:?}");
    }
}

#[tokio::test]
async fn an_import_that_was_interrupted_goes_on_where_it_stopped() {
    let setup = setup().await;
    let lines: Vec<_> = (0..3_500).map(line).collect();
    let file = write(&setup, "many", lines.join("\n"));
    let refusal = answer(
        "503 Service Unavailable",
        "Content-Type: application/json\r\n",
        &json!({"error": "x", "code": "SERVER_BUSY"}).to_string(),
    );
    // The app is asked for first, and two batches follow.
    let action = move |number| match number {
        0..=2 => ProxyAction::Forward,
        _ => ProxyAction::Respond(refusal.clone()),
    };
    let proxy = HttpProxy::start(action, setup.server.address()).await;
    let cut = setup.with_key("full", &["import", &file]).await;
    let cut = cut.env("HATO_URL", &proxy.url).output().await;
    assert_ne!(cut.code, 0, "{cut:?}");
    assert_eq!(exported(&setup, "some").await.lines().count(), 2_000);

    let (code, report) = run(&setup, &["import", &file]).await;
    assert_eq!((code, &report["created"]), (0, &json!(3_500)), "{report}");
    assert_eq!(report["updated"], 0);
    assert_eq!(exported(&setup, "all").await.lines().count(), 3_500);
}

#[tokio::test]
async fn what_is_done_is_done_for_these_lines_and_this_app_alone() {
    let (first, second) = (setup().await, setup().await);
    let lines: Vec<_> = (0..1_500).map(line).collect();
    let file = write(&first, "list", lines.join("\n"));
    // The app is asked for first, and one batch follows.
    let action = |number| match number {
        0 | 1 => ProxyAction::Forward,
        _ => ProxyAction::Respond(answer("403 Forbidden", "", "")),
    };
    let proxy = HttpProxy::start(action, first.server.address()).await;
    let cut = first.with_key("full", &["import", &file]).await;
    let cut = cut.env("HATO_URL", &proxy.url).output().await;
    assert_ne!(cut.code, 0, "{cut:?}");
    let other = second.with_key("full", &["import", &file]).await;
    let other = other.output().await;
    assert_eq!(other.error_code(), (2, "usage"), "{other:?}");
    fs::write(&file, [&lines[1..], &lines[..1]].concat().join("\n")).expect("a file");
    let changed = first.with_key("full", &["import", &file]).await;
    let changed = changed.output().await;
    assert_eq!(changed.error_code(), (2, "usage"), "{changed:?}");
    assert!(changed.stderr.contains("list.progress"), "{changed:?}");
}

#[tokio::test]
async fn a_line_that_was_refused_takes_nobodys_place() {
    let setup = setup().await;
    let wrong = line(1).replace(P256DH, &"B".repeat(87));
    let lines = ["# a list", &wrong, &line(1), &line(1)].map(str::to_owned);
    let file = write(&setup, "list", lines.join("\n"));
    let (code, report) = run(&setup, &["import", &file]).await;
    assert_eq!((code, &report["created"]), (1, &json!(1)), "{report}");
    let expected = [(1, "INVALID_INPUT"), (2, "INVALID_INPUT"), (4, "DUPLICATE")];
    let expected = expected.map(|(line, code)| (line, code.to_owned()));
    assert_eq!(refused(&format!("{file}.refused")), expected);
    let own = ["import", &file, "--refused", &file];
    let own = setup.with_key("full", &own).await.output().await;
    assert_eq!(own.error_code(), (2, "usage"));
    assert!(Path::new(&file).exists());
}

#[tokio::test]
async fn who_was_made_with_a_key_that_the_app_has_not_is_refused() {
    let (old, service) = with_push_service().await;
    subscribe(&old, &service, 3).await;
    let left = exported(&old, "left").await;
    assert_eq!(left.lines().count(), 3);
    let wrong = setup().await;
    let file = write(&wrong, "left", &left);
    let (code, report) = run(&wrong, &["import", &file]).await;
    assert_eq!(
        (code, &report["refused"]),
        (1, &json!(3)),
        "another app's key"
    );
    let again = wrong.with_key("full", &["export", &file]).await;
    assert_eq!(again.output().await.error_code(), (2, "usage"));
}
