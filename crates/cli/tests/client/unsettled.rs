//! Sends that fail: what of them is known, and how to repeat them.

use hato_testkit::push_service::Answer;
use serde_json::Value;

use crate::pages::answer;
use crate::road::{Fate, Road};
use crate::stage::{Run, Stage, subscribe, with_push_service};

/// What a failed send says of itself, for programs.
async fn failure(run: Run) -> (i32, Value) {
    let ran = run.ran().await;
    let told = serde_json::from_str(&ran.errors).unwrap_or_else(|_| panic!("{ran:?}"));
    (ran.code, told)
}

async fn sends(stage: &Stage) -> Vec<Value> {
    let sends = stage.with_key("full", &["history"]).await.json().await;
    sends["items"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_send_without_any_answer_is_repeated_by_its_key() {
    let stage = Stage::new().await;
    let road = Road::losing(0..u32::MAX, stage.server.address()).await;
    let line = ["notify", "a", "b"];
    let programs = [&line[..], &["--json"]].concat();
    let lost = stage.with_key("notify", &programs).await;
    let (code, told) = failure(lost.env("HATO_URL", &road.url)).await;
    assert_eq!((code, &told["code"]), (8, &"no-answer".into()), "{told}");
    assert_eq!(told["send_ids"], serde_json::json!([]));
    let key = told["idempotency_key"].as_str().expect("a key");
    let again = [&line[..], &["--idempotency-key", key]].concat();
    stage.with_key("notify", &again).await.done().await;
    assert_eq!(sends(&stage).await.len(), 1);

    let lost = stage.with_key("notify", &again).await;
    let ran = lost.env("HATO_URL", &road.url).ran().await;
    assert_eq!(ran.refusal(), (8, "no-answer"));
    assert!(ran.errors.contains(key), "{ran:?}");
}

#[tokio::test]
async fn a_server_that_is_certainly_not_there_has_accepted_nothing() {
    let stage = Stage::new().await;
    let run = stage.with_key("notify", &["notify", "a", "b"]).await;
    let ran = run.env("HATO_URL", "http://127.0.0.1:1").ran().await;
    assert_eq!(ran.refusal(), (6, "no-answer"));
    assert!(ran.errors.contains("idempotency key hato-cli-"), "{ran:?}");
}

#[tokio::test]
async fn a_refusal_says_nothing_about_the_request_before_whose_answer_was_lost() {
    let stage = Stage::new().await;
    for (status, code, exit) in [
        ("429 Too Many Requests", "RATE_LIMITED", 8),
        ("401 Unauthorized", "INVALID_API_KEY", 8),
        ("403 Forbidden", "INSUFFICIENT_SCOPE", 8),
        ("409 Conflict", "IDEMPOTENCY_CONFLICT", 3),
    ] {
        let body = serde_json::json!({"error": "x", "code": code}).to_string();
        let refusal = answer(status, "Content-Type: application/json\r\n", &body);
        let fate = move |number| match number {
            0 => Fate::Lost,
            _ => Fate::Answered(refusal.clone()),
        };
        let road = Road::with(fate, stage.server.address()).await;
        let line = ["notify", code, "b", "--json"];
        let run = stage.with_key("notify", &line).await;
        let (ended, told) = failure(run.env("HATO_URL", &road.url)).await;
        assert_eq!((ended, &told["code"]), (exit, &code.into()), "{told}");
        assert_eq!(road.journeys(), 2, "{code}");
        let key = told["idempotency_key"].as_str().expect("a key");
        let again = [&line[..], &["--idempotency-key", key]].concat();
        stage.with_key("notify", &again).await.done().await;
    }
    assert_eq!(sends(&stage).await.len(), 4);
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let stage = Stage::new().await;
    // No name has a part this long: the system does not even ask for it.
    let nowhere = format!("http://{}.example", "a".repeat(64));
    // It hangs up on every handshake.
    let rude = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let rude = rude.expect("a port");
    let handshake = format!("https://{}", rude.local_addr().expect("bound"));
    tokio::spawn(async move {
        while let Ok((client, _)) = rude.accept().await {
            drop(client);
        }
    });
    for (url, remedy) in [(&nowhere, "the host's name"), (&handshake, "hato doctor")] {
        let run = stage.with_key("notify", &["notify", "a", "b"]).await;
        let ran = run.env("HATO_URL", url).ran().await;
        assert_eq!(ran.refusal(), (6, "no-answer"), "{url}");
        assert!(ran.errors.contains(remedy), "{ran:?}");
    }
}

#[tokio::test]
async fn a_list_that_breaks_off_names_what_was_accepted() {
    let (stage, service) = with_push_service().await;
    let browsers = subscribe(&stage, &service, 101).await;
    let endpoints: Vec<_> = browsers.iter().map(|it| &*it.endpoint).collect();
    let list = endpoints.join("\n");
    let road = Road::losing(1..u32::MAX, stage.server.address()).await;
    let line = ["notify", "a", "b", "--to-file", "-", "--json"];
    let run = stage.with_key("notify", &line).await.input(&list);
    let (code, told) = failure(run.env("HATO_URL", &road.url)).await;
    assert_eq!(code, 8, "{told}");
    let accepted = told["send_ids"].as_array().expect("ids");
    assert_eq!(accepted.len(), 1, "{told}");
    let key = told["idempotency_key"].as_str().expect("a key");
    let again = [&line[..], &["--idempotency-key", key]].concat();
    let run = stage.with_key("notify", &again).await.input(&list);
    let report: Value = serde_json::from_str(&run.done().await).expect("JSON");
    assert_eq!(report["sends"][0]["send_id"], accepted[0]);
    assert_eq!(report["queued"], 101);
    assert_eq!(sends(&stage).await.len(), 2);
}

#[tokio::test]
async fn every_failure_names_the_send_and_its_key() {
    let (stage, service) = with_push_service().await;
    subscribe(&stage, &service, 1).await;
    service.answer_by_default(Answer::Hang);
    let line = ["notify", "a", "b", "--wait", "--timeout", "0s", "--json"];
    let (code, late) = failure(stage.with_key("full", &line).await).await;
    assert_eq!((code, &late["code"]), (7, &"late".into()), "{late}");
    let ids = late["send_ids"].as_array().expect("ids");
    assert_eq!(sends(&stage).await[0]["send_id"], ids[0]);

    let line = ["notify", "a", "b", "--url", "http://x/", "--json"];
    let (code, refused) = failure(stage.with_key("notify", &line).await).await;
    assert_eq!((code, &refused["code"]), (3, &"INVALID_URL".into()));
    assert!(refused["idempotency_key"].is_string(), "{refused}");
}

#[tokio::test]
async fn a_send_that_cannot_be_followed_is_unsettled() {
    let (stage, service) = with_push_service().await;
    subscribe(&stage, &service, 1).await;
    // It goes as far as asking for the app and the right to wait, and being accepted.
    let road = Road::losing(3..u32::MAX, stage.server.address()).await;
    let line = ["notify", "a", "b", "--wait"];
    let run = stage.with_key("full", &line).await;
    let ran = run.env("HATO_URL", &road.url).ran().await;
    assert_eq!(ran.refusal(), (8, "no-answer"));
    assert!(ran.errors.contains("accepted snd_"), "{ran:?}");
}

#[tokio::test]
async fn a_server_that_falls_silent_does_not_prolong_the_wait() {
    let (stage, service) = with_push_service().await;
    subscribe(&stage, &service, 1).await;
    service.answer_by_default(Answer::Hang);
    // It goes as far as asking for the app and the right to wait, and being accepted.
    let fate = |number| match number {
        0..3 => Fate::Passed,
        _ => Fate::Silenced,
    };
    let road = Road::with(fate, stage.server.address()).await;
    let line = ["notify", "a", "b", "--wait", "--timeout", "1s"];
    let run = stage.with_key("full", &line).await;
    let ran = run.env("HATO_URL", &road.url).ran().await;
    assert_eq!(ran.refusal(), (7, "late"));
    assert_eq!(road.journeys(), 4);
}
