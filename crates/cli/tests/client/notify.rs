//! Sending: to everyone, to one, to lists; waiting; and never twice.

use hato_testkit::push_service::Answer;

use crate::road::Road;
use crate::stage::{EMAIL, Stage, subscribe, with_push_service};

#[tokio::test]
async fn a_notification_reaches_everyone_and_waiting_says_so() {
    let (stage, service) = with_push_service().await;
    subscribe(&stage, &service, 3).await;
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
    let report = stage.with_key("full", &line).await.json().await;
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
async fn one_subscriber_or_a_list_in_batches() {
    let (stage, service) = with_push_service().await;
    let browsers = subscribe(&stage, &service, 102).await;
    let one = ["notify", "a", "b", "--to", &browsers[0].endpoint];
    let report = stage.with_key("notify", &one).await.json().await;
    assert_eq!(report["queued"], 1);

    let endpoints: Vec<_> = browsers.iter().map(|it| &*it.endpoint).collect();
    let list = endpoints.join("\n");
    let gone = format!("{}/push/gone\n", service.origin());
    let line = ["notify", "a", "b", "--to-file", "-", "--wait"];
    let run = stage
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
async fn a_list_with_a_mistake_is_sent_to_nobody() {
    let (stage, service) = with_push_service().await;
    let browsers = subscribe(&stage, &service, 1).await;
    let file = stage.home.path().join("list");
    std::fs::write(&file, format!("{}\nhttp://x/\n", browsers[0].endpoint)).expect("a file");
    let path = file.to_str().expect("text");
    let run = stage
        .with_key("full", &["notify", "a", "b", "--to-file", path])
        .await;
    let ran = run.ran().await;
    assert_eq!(ran.refusal(), (2, "usage"));
    assert!(ran.errors.contains("list:2: INVALID_URL"), "{ran:?}");
    assert_eq!(
        stage.with_key("full", &["history"]).await.json().await["items"],
        serde_json::json!([])
    );
}

#[tokio::test]
async fn a_key_that_is_too_long_for_a_list_sends_nothing() {
    let stage = Stage::new().await;
    let list = "https://push.example.com/1\n";
    for (length, code) in [(253, 0), (254, 2), (256, 2)] {
        let key = "k".repeat(length);
        let line = ["notify", "a", "b", "--to-file", "-"];
        let line = [&line[..], &["--idempotency-key", &key]].concat();
        let run = stage.with_key("full", &line).await.input(list);
        assert_eq!(run.ran().await.code, code, "{length}");
    }
    let sends = stage.with_key("full", &["history"]).await.json().await;
    assert_eq!(sends["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn waiting_needs_the_right_before_anything_is_sent() {
    let stage = Stage::new().await;
    let run = stage
        .with_key("notify", &["notify", "a", "b", "--wait"])
        .await;
    assert_eq!(run.ran().await.refusal(), (4, "INSUFFICIENT_SCOPE"));
    assert_eq!(
        stage.with_key("full", &["history"]).await.json().await["items"],
        serde_json::json!([])
    );
}

#[tokio::test]
async fn waiting_has_an_end() {
    let (stage, service) = with_push_service().await;
    subscribe(&stage, &service, 1).await;
    service.answer_by_default(Answer::Hang);
    let line = ["notify", "a", "b", "--wait", "--timeout", "0s"];
    assert_eq!(
        stage.with_key("full", &line).await.ran().await.refusal(),
        (7, "late")
    );
}

#[tokio::test]
async fn a_session_sends_to_everyone_only() {
    let stage = Stage::new().await;
    let password = hato_testkit::owner::PASSWORD;
    stage
        .hato(&["login", "--email", EMAIL])
        .input(password)
        .done()
        .await;
    let report = stage.hato(&["notify", "a", "b", "--wait"]).json().await;
    assert_eq!(report["outcome"]["recipients"], 0);
    let one = ["notify", "a", "b", "--to", "https://push.example.com/1"];
    assert_eq!(stage.hato(&one).ran().await.refusal(), (4, "UNAUTHORIZED"));
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_nothing_is_sent_twice() {
    let stage = Stage::new().await;
    let road = Road::losing(0..1, stage.server.address()).await;
    let run = stage.with_key("notify", &["notify", "a", "b"]).await;
    let report = run.env("HATO_URL", &road.url).json().await;
    assert_eq!(road.journeys(), 2, "it was asked again");
    let sends = stage.with_key("full", &["history"]).await.json().await;
    let sends = sends["items"].as_array().expect("a list");
    assert_eq!(sends.len(), 1, "{sends:?}");
    assert_eq!(sends[0]["send_id"], report["sends"][0]["send_id"]);
}

#[tokio::test]
async fn what_must_not_happen_twice_is_not_repeated() {
    let stage = Stage::new().await;
    let road = Road::losing(0..1, stage.server.address()).await;
    let line = [
        "keys",
        "create",
        "ci",
        "--scope",
        "notify",
        "--app",
        &stage.app.id,
    ];
    let run = stage
        .with_key("full", &line)
        .await
        .env("HATO_URL", &road.url);
    assert_eq!(run.ran().await.refusal(), (6, "no-answer"));
    assert_eq!(road.journeys(), 1);
}

#[tokio::test]
async fn the_same_command_with_the_same_name_sends_once() {
    let stage = Stage::new().await;
    let line = ["notify", "a", "b", "--idempotency-key", "order-1"];
    let first = stage.with_key("notify", &line).await.json().await;
    assert_eq!(stage.with_key("notify", &line).await.json().await, first);
    let other = ["notify", "a", "c", "--idempotency-key", "order-1"];
    let ran = stage.with_key("notify", &other).await.ran().await;
    assert_eq!(ran.refusal(), (3, "IDEMPOTENCY_CONFLICT"));
}
