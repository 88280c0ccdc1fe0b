//! Sending: to everyone, to one, to lists; waiting; and never twice.

use hato_testkit::push_service::ScriptedResponse;
use serde_json::json;

use crate::http_proxy::HttpProxy;
use crate::setup::{CliSetup, EMAIL, subscribe, with_push_service};

#[tokio::test]
async fn a_notification_reaches_everyone_and_waiting_says_so() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 3).await;
    let line = [
        "notify",
        "Hello",
        "It works.",
        "--url",
        "https://example.com/",
        "--ttl",
        "60",
        "--urgency",
        "very-low",
        "--wait",
    ];
    let report = setup.with_key("full", &line).await.json().await;
    assert_eq!(report["queued"], 3);
    assert_eq!(report["outcome"]["sent_count"], 3);
    service.seen(|seen| {
        assert_eq!(seen.total.created, 3);
        for message in &seen.messages {
            assert_eq!(
                (message.ttl, message.urgency.as_deref()),
                (60, Some("very-low"))
            );
            assert_eq!(message.json()["url"], "https://example.com/");
        }
    });
    service.assert_no_violations();
}

#[tokio::test]
async fn a_rich_notification_carries_its_options() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    let line = [
        "notify",
        "Hello",
        "It works.",
        "--image",
        "https://example.com/p.png",
        "--action",
        "buy|Buy it|https://example.com/buy",
        "--action",
        "later|Later||https://example.com/l.png",
        "--tag",
        "news",
        "--renotify",
        "--require-interaction",
        "--data",
        r#"{"order": 17}"#,
        "--dir",
        "ltr",
        "--lang",
        "en",
        "--timestamp",
        "2026-12-24 18:00 UTC",
        "--app-badge",
        "3",
        "--wait",
    ];
    setup.with_key("full", &line).await.success().await;
    let message = service.seen(|seen| seen.messages[0].json());
    let expected = json!({
        "title": "Hello",
        "body": "It works.",
        "image": "https://example.com/p.png",
        "actions": [
            {"action": "buy", "title": "Buy it", "url": "https://example.com/buy"},
            {"action": "later", "title": "Later", "icon": "https://example.com/l.png"},
        ],
        "tag": "news",
        "renotify": true,
        "require_interaction": true,
        "data": {"order": 17},
        "dir": "ltr",
        "lang": "en",
        "timestamp": 1_798_135_200_000_i64,
        "app_badge": 3,
    });
    assert_eq!(message, expected);
}

#[tokio::test]
async fn rich_options_that_are_wrong_send_nothing() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    for wrong in [
        &["--action", "buy"][..],
        &["--action", "a|A|https://a.example/|https://a.example/|x"],
        &["--data", "[]"],
        &["--renotify"],
        &["--renotify", "--tag", "t", "--silent"],
        &["--dir", "up"],
    ] {
        let line = [&["notify", "a", "b"], wrong].concat();
        let output = setup.with_key("notify", &line).await.output().await;
        assert_eq!(output.code, 2, "{output:?}");
    }
    assert_eq!(service.seen(|seen| seen.total.requests), 0);
}

#[tokio::test]
async fn one_subscriber_or_a_list_in_batches() {
    let (setup, service) = with_push_service().await;
    let browsers = subscribe(&setup, &service, 102).await;
    let one = ["notify", "a", "b", "--to", &browsers[0].endpoint];
    let report = setup.with_key("notify", &one).await.json().await;
    assert_eq!(report["queued"], 1);

    let endpoints: Vec<_> = browsers.iter().map(|it| &*it.endpoint).collect();
    let list = endpoints.join("\n");
    let gone = format!("{}/push/gone\n", service.origin());
    let line = ["notify", "a", "b", "--to-file", "-", "--wait"];
    let run = setup
        .with_key("full", &line)
        .await
        .input(&format!("# all\n{list}\n{gone}"));
    let report = run.json().await;
    let sends = report["sends"].as_array().expect("a list");
    let queued: Vec<_> = sends.iter().map(|send| send["queued"].as_i64()).collect();
    assert_eq!(queued, [Some(100), Some(2)]);
    assert_eq!(report["outcome"]["sent_count"], 102);
}

#[tokio::test]
async fn users_and_tags_choose_the_recipients() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 3).await;
    let line = ["notify", "a", "b", "--tags", "!news", "--per-minute", "600"];
    let report = setup.with_key("notify", &line).await.json().await;
    assert_eq!(report["queued"], 3);
    let line = [
        "notify", "a", "b", "--user", "anna", "--user", "ben", "--tags", "!news",
    ];
    let report = setup.with_key("notify", &line).await.json().await;
    assert_eq!(report["queued"], 0);
    for line in [
        ["notify", "a", "b", "--tags", "news &&"],
        ["notify", "a", "b", "--at", "one day"],
        ["notify", "a", "b", "--user", ""],
    ] {
        let output = setup.with_key("notify", &line).await.output().await;
        assert_eq!(output.code, 2, "{output:?}");
    }
}

#[tokio::test]
async fn a_list_with_a_mistake_is_sent_to_nobody() {
    let (setup, service) = with_push_service().await;
    let browsers = subscribe(&setup, &service, 1).await;
    let file = setup.home.path().join("list");
    std::fs::write(&file, format!("{}\nhttp://x/\n", browsers[0].endpoint)).expect("a file");
    let path = file.to_str().expect("text");
    let run = setup
        .with_key("full", &["notify", "a", "b", "--to-file", path])
        .await;
    let output = run.output().await;
    assert_eq!(output.error_code(), (2, "usage"));
    assert!(output.stderr.contains("list:2: INVALID_URL"), "{output:?}");
    assert_eq!(
        setup.with_key("full", &["history"]).await.json().await["items"],
        serde_json::json!([])
    );
}

#[tokio::test]
async fn a_key_that_is_too_long_for_a_list_sends_nothing() {
    let setup = CliSetup::new().await;
    let list = "https://push.example.com/1\n";
    for (length, code) in [(253, 0), (254, 2), (256, 2)] {
        let key = "k".repeat(length);
        let line = ["notify", "a", "b", "--to-file", "-"];
        let line = [&line[..], &["--idempotency-key", &key]].concat();
        let run = setup.with_key("full", &line).await.input(list);
        assert_eq!(run.output().await.code, code, "{length}");
    }
    let sends = setup.with_key("full", &["history"]).await.json().await;
    assert_eq!(sends["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn waiting_needs_the_right_before_anything_is_sent() {
    let setup = CliSetup::new().await;
    let run = setup
        .with_key("notify", &["notify", "a", "b", "--wait"])
        .await;
    assert_eq!(run.output().await.error_code(), (4, "INSUFFICIENT_SCOPE"));
    assert_eq!(
        setup.with_key("full", &["history"]).await.json().await["items"],
        serde_json::json!([])
    );
}

#[tokio::test]
async fn waiting_has_an_end() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    service.respond_by_default(ScriptedResponse::Hang);
    let line = ["notify", "a", "b", "--wait", "--timeout", "0s"];
    assert_eq!(
        setup
            .with_key("full", &line)
            .await
            .output()
            .await
            .error_code(),
        (7, "late")
    );
}

#[tokio::test]
async fn a_session_sends_to_everyone_only() {
    let setup = CliSetup::new().await;
    let password = hato_testkit::owner::PASSWORD;
    setup
        .hato(&["login", "--email", EMAIL])
        .input(password)
        .success()
        .await;
    let report = setup.hato(&["notify", "a", "b", "--wait"]).json().await;
    assert_eq!(report["outcome"]["recipients"], 0);
    let one = ["notify", "a", "b", "--to", "https://push.example.com/1"];
    assert_eq!(
        setup.hato(&one).output().await.error_code(),
        (4, "UNAUTHORIZED")
    );
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_nothing_is_sent_twice() {
    let setup = CliSetup::new().await;
    let proxy = HttpProxy::dropping_responses(0..1, setup.server.address()).await;
    let run = setup.with_key("notify", &["notify", "a", "b"]).await;
    let report = run.env("HATO_URL", &proxy.url).json().await;
    assert_eq!(proxy.requests(), 2, "it was asked again");
    let sends = setup.with_key("full", &["history"]).await.json().await;
    let sends = sends["items"].as_array().expect("a list");
    assert_eq!(sends.len(), 1, "{sends:?}");
    assert_eq!(sends[0]["send_id"], report["sends"][0]["send_id"]);
}

#[tokio::test]
async fn what_must_not_happen_twice_is_not_repeated() {
    let setup = CliSetup::new().await;
    let proxy = HttpProxy::dropping_responses(0..1, setup.server.address()).await;
    let line = [
        "keys",
        "create",
        "ci",
        "--scope",
        "notify",
        "--app",
        &setup.app.id,
    ];
    let run = setup
        .with_key("full", &line)
        .await
        .env("HATO_URL", &proxy.url);
    assert_eq!(run.output().await.error_code(), (6, "no-answer"));
    assert_eq!(proxy.requests(), 1);
}

#[tokio::test]
async fn the_same_command_with_the_same_name_sends_once() {
    let setup = CliSetup::new().await;
    let line = ["notify", "a", "b", "--idempotency-key", "order-1"];
    let first = setup.with_key("notify", &line).await.json().await;
    assert_eq!(setup.with_key("notify", &line).await.json().await, first);
    let other = ["notify", "a", "c", "--idempotency-key", "order-1"];
    let output = setup.with_key("notify", &other).await.output().await;
    assert_eq!(output.error_code(), (3, "IDEMPOTENCY_CONFLICT"));
}
