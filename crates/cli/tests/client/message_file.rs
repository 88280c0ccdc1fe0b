//! Many different messages from one file: each is sent once, whatever comes between.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http_proxy::{HttpProxy, ProxyAction};
use crate::setup::{CliSetup, subscribe, with_push_service};
use crate::stub_site::answer;

fn write(folder: &Path, lines: &[String]) -> String {
    let path = folder.join("messages.ndjson");
    fs::write(&path, lines.join("\n")).expect("a file");
    path.to_str().expect("text").to_owned()
}

fn message(number: usize) -> String {
    json!({"title": format!("m{number}"), "body": "b"}).to_string()
}

/// The titles in the history, in their order.
async fn titles(setup: &CliSetup) -> Vec<String> {
    let page = setup.with_key("full", &["history"]).await.json().await;
    let items = page["items"].as_array().expect("a list");
    let titles = items.iter().map(|it| it["title"].as_str().expect("text"));
    let mut titles: Vec<_> = titles.map(str::to_owned).collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn each_line_is_a_message_of_its_own() {
    let (setup, service) = with_push_service().await;
    let browsers = subscribe(&setup, &service, 2).await;
    let to_one = json!({"title": "one", "body": "b", "endpoint": browsers[0].endpoint});
    let gone = format!("{}/push/gone", service.origin());
    let to_nobody = json!({"title": "gone", "body": "b", "endpoint": gone});
    let lines = [
        message(1),
        String::new(),
        to_one.to_string(),
        to_nobody.to_string(),
        message(2),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), &lines);
    let line = ["notify", "--file", &file];
    let programs = [&line[..], &["--json"]].concat();
    let output = setup.with_key("full", &programs).await.output().await;
    assert_eq!(output.code, 1, "{output:?}");
    let report: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let refused = json!([{"line": 4, "code": "NOT_FOUND"}]);
    let expected = json!({"skipped": 0, "sent": 3, "queued": 5, "refused": refused});
    assert_eq!(report, expected);
    assert_eq!(titles(&setup).await, ["m1", "m2", "one"]);
    assert!(!Path::new(&format!("{file}.progress")).exists());
}

#[tokio::test]
async fn a_run_that_was_interrupted_goes_on_where_it_stopped() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<_> = (1..=5).map(message).collect();
    let file = write(folder.path(), &lines);
    let line = ["notify", "--file", &file];
    // The app is asked for first. The third line is sent, and nobody hears of it.
    let proxy = HttpProxy::dropping_responses(3..100, setup.server.address()).await;
    let cut = setup.with_key("full", &line).await;
    let cut = cut.env("HATO_URL", &proxy.url).output().await;
    assert_eq!(cut.code, 8, "{cut:?}");
    assert!(cut.stderr.contains("messages.ndjson:3"), "{cut:?}");
    assert_eq!(titles(&setup).await, ["m1", "m2", "m3"]);

    let report = setup.with_key("full", &line).await.json().await;
    assert_eq!(
        (&report["skipped"], &report["sent"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(titles(&setup).await, ["m1", "m2", "m3", "m4", "m5"]);
}

#[tokio::test]
async fn at_the_limit_of_sends_a_minute_it_waits_and_goes_on() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    let folder = tempfile::tempdir().expect("a folder");
    let lines: Vec<_> = (1..=3).map(message).collect();
    let file = write(folder.path(), &lines);
    let refusal = answer(
        "429 Too Many Requests",
        "Content-Type: application/json\r\nRetry-After: 1\r\n",
        &json!({"error": "x", "code": "RATE_LIMITED"}).to_string(),
    );
    // The app is asked for first. The second message has to wait twice.
    let action = move |number| match number {
        2 | 3 => ProxyAction::Respond(refusal.clone()),
        _ => ProxyAction::Forward,
    };
    let proxy = HttpProxy::start(action, setup.server.address()).await;
    let command = setup.with_key("full", &["notify", "--file", &file]).await;
    let begin = Instant::now();
    let report = command.env("HATO_URL", &proxy.url).json().await;
    assert_eq!(report["sent"], 3, "{report}");
    assert!(begin.elapsed() >= Duration::from_secs(2));
    assert_eq!(titles(&setup).await, ["m1", "m2", "m3"]);
}

#[tokio::test]
async fn one_wrong_line_sends_nothing() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    let folder = tempfile::tempdir().expect("a folder");
    for (wrong, code) in [
        ("{".to_owned(), "INVALID_INPUT"),
        ("[]".to_owned(), "INVALID_INPUT"),
        (json!({"title": "t"}).to_string(), "MISSING_FIELDS"),
        (
            json!({"title": "t", "body": "b", "url": "http://a"}).to_string(),
            "INVALID_URL",
        ),
        (
            json!({"title": "t", "body": "b", "to": {}}).to_string(),
            "INVALID_INPUT",
        ),
        (
            json!({"title": "t", "body": "b", "ttl": -1}).to_string(),
            "INVALID_INPUT",
        ),
        (
            json!({"title": "t", "body": "x".repeat(4_000)}).to_string(),
            "PAYLOAD_TOO_LARGE",
        ),
        (
            json!({"title": "t", "body": "x".repeat(300_000)}).to_string(),
            "PAYLOAD_TOO_LARGE",
        ),
        (
            json!({"title": "t", "body": "b", "endpoint": "http://a"}).to_string(),
            "INVALID_URL",
        ),
    ] {
        let file = write(folder.path(), &[message(1), wrong]);
        let line = ["notify", "--file", &file];
        let output = setup.with_key("notify", &line).await.output().await;
        assert_eq!(output.code, 2, "{output:?}");
        let said = format!("messages.ndjson:2: {code}");
        assert!(output.stderr.contains(&said), "{output:?}");
    }
    for line in [
        &["notify", "--file", "nowhere.ndjson"][..],
        &["notify", "--file", "-"],
        &["notify", "a", "b", "--file", "x"],
        &["notify", "--file", "x", "--renotify"],
        &["notify", "a"],
    ] {
        let output = setup.with_key("notify", line).await.output().await;
        assert_eq!(output.code, 2, "{output:?}");
    }
    assert_eq!(service.seen(|seen| seen.total.requests), 0);
}
