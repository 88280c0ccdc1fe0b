//! Sends that fail: what of them is known, and how to repeat them.

use hato_testkit::push_service::ScriptedResponse;
use serde_json::Value;

use crate::http_proxy::{HttpProxy, ProxyAction};
use crate::setup::{CliCommand, CliSetup, subscribe, with_push_service};
use crate::stub_site::answer;

/// What a failed send says of itself, for programs.
async fn failure(run: CliCommand) -> (i32, Value) {
    let output = run.output().await;
    let error = serde_json::from_str(&output.stderr).unwrap_or_else(|_| panic!("{output:?}"));
    (output.code, error)
}

async fn sends(setup: &CliSetup) -> Vec<Value> {
    let sends = setup.with_key("full", &["history"]).await.json().await;
    sends["items"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_send_without_any_answer_is_repeated_by_its_key() {
    let setup = CliSetup::new().await;
    let proxy = HttpProxy::dropping_responses(0..u32::MAX, setup.server.address()).await;
    let line = ["notify", "a", "b"];
    let programs = [&line[..], &["--json"]].concat();
    let lost = setup.with_key("notify", &programs).await;
    let (code, error) = failure(lost.env("HATO_URL", &proxy.url)).await;
    assert_eq!((code, &error["code"]), (8, &"no-answer".into()), "{error}");
    assert_eq!(error["send_ids"], serde_json::json!([]));
    let key = error["idempotency_key"].as_str().expect("a key");
    let again = [&line[..], &["--idempotency-key", key]].concat();
    setup.with_key("notify", &again).await.success().await;
    assert_eq!(sends(&setup).await.len(), 1);

    let lost = setup.with_key("notify", &again).await;
    let output = lost.env("HATO_URL", &proxy.url).output().await;
    assert_eq!(output.error_code(), (8, "no-answer"));
    assert!(output.stderr.contains(key), "{output:?}");
}

#[tokio::test]
async fn a_server_that_is_certainly_not_there_has_accepted_nothing() {
    let setup = CliSetup::new().await;
    let run = setup.with_key("notify", &["notify", "a", "b"]).await;
    let output = run.env("HATO_URL", "http://127.0.0.1:1").output().await;
    assert_eq!(output.error_code(), (6, "no-answer"));
    assert!(
        output.stderr.contains("idempotency key hato-cli-"),
        "{output:?}"
    );
}

#[tokio::test]
async fn a_refusal_says_nothing_about_the_request_before_whose_answer_was_lost() {
    let setup = CliSetup::new().await;
    for (status, code, exit) in [
        ("429 Too Many Requests", "RATE_LIMITED", 8),
        ("401 Unauthorized", "INVALID_API_KEY", 8),
        ("403 Forbidden", "INSUFFICIENT_SCOPE", 8),
        ("409 Conflict", "IDEMPOTENCY_CONFLICT", 3),
    ] {
        let body = serde_json::json!({"error": "x", "code": code}).to_string();
        let refusal = answer(status, "Content-Type: application/json\r\n", &body);
        let action = move |number| match number {
            0 => ProxyAction::DropResponse,
            _ => ProxyAction::Respond(refusal.clone()),
        };
        let proxy = HttpProxy::start(action, setup.server.address()).await;
        let line = ["notify", code, "b", "--json"];
        let run = setup.with_key("notify", &line).await;
        let (ended, error) = failure(run.env("HATO_URL", &proxy.url)).await;
        assert_eq!((ended, &error["code"]), (exit, &code.into()), "{error}");
        assert_eq!(proxy.requests(), 2, "{code}");
        let key = error["idempotency_key"].as_str().expect("a key");
        let again = [&line[..], &["--idempotency-key", key]].concat();
        setup.with_key("notify", &again).await.success().await;
    }
    assert_eq!(sends(&setup).await.len(), 4);
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let setup = CliSetup::new().await;
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
    for (url, hint) in [(&nowhere, "the host's name"), (&handshake, "hato doctor")] {
        let run = setup.with_key("notify", &["notify", "a", "b"]).await;
        let output = run.env("HATO_URL", url).output().await;
        assert_eq!(output.error_code(), (6, "no-answer"), "{url}");
        assert!(output.stderr.contains(hint), "{output:?}");
    }
}

#[tokio::test]
async fn a_list_that_breaks_off_names_what_was_accepted() {
    let (setup, service) = with_push_service().await;
    let browsers = subscribe(&setup, &service, 101).await;
    let endpoints: Vec<_> = browsers.iter().map(|it| &*it.endpoint).collect();
    let list = endpoints.join("\n");
    let proxy = HttpProxy::dropping_responses(1..u32::MAX, setup.server.address()).await;
    let line = ["notify", "a", "b", "--to-file", "-", "--json"];
    let run = setup.with_key("notify", &line).await.input(&list);
    let (code, error) = failure(run.env("HATO_URL", &proxy.url)).await;
    assert_eq!(code, 8, "{error}");
    let accepted = error["send_ids"].as_array().expect("ids");
    assert_eq!(accepted.len(), 1, "{error}");
    let key = error["idempotency_key"].as_str().expect("a key");
    let again = [&line[..], &["--idempotency-key", key]].concat();
    let run = setup.with_key("notify", &again).await.input(&list);
    let report: Value = serde_json::from_str(&run.success().await).expect("JSON");
    assert_eq!(report["sends"][0]["send_id"], accepted[0]);
    assert_eq!(report["queued"], 101);
    assert_eq!(sends(&setup).await.len(), 2);
}

#[tokio::test]
async fn every_failure_names_the_send_and_its_key() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    service.respond_by_default(ScriptedResponse::Hang);
    let line = ["notify", "a", "b", "--wait", "--timeout", "0s", "--json"];
    let (code, late) = failure(setup.with_key("full", &line).await).await;
    assert_eq!((code, &late["code"]), (7, &"late".into()), "{late}");
    let ids = late["send_ids"].as_array().expect("ids");
    assert_eq!(sends(&setup).await[0]["send_id"], ids[0]);

    let line = ["notify", "a", "b", "--url", "http://x/", "--json"];
    let (code, refused) = failure(setup.with_key("notify", &line).await).await;
    assert_eq!((code, &refused["code"]), (3, &"INVALID_URL".into()));
    assert!(refused["idempotency_key"].is_string(), "{refused}");
}

#[tokio::test]
async fn a_send_that_cannot_be_followed_is_uncertain() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    // It goes as far as asking for the app and the right to wait, and being accepted.
    let proxy = HttpProxy::dropping_responses(3..u32::MAX, setup.server.address()).await;
    let line = ["notify", "a", "b", "--wait"];
    let run = setup.with_key("full", &line).await;
    let output = run.env("HATO_URL", &proxy.url).output().await;
    assert_eq!(output.error_code(), (8, "no-answer"));
    assert!(output.stderr.contains("accepted snd_"), "{output:?}");
}

#[tokio::test]
async fn a_server_that_falls_silent_does_not_prolong_the_wait() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    service.respond_by_default(ScriptedResponse::Hang);
    // It goes as far as asking for the app and the right to wait, and being accepted.
    let action = |number| match number {
        0..3 => ProxyAction::Forward,
        _ => ProxyAction::Stall,
    };
    let proxy = HttpProxy::start(action, setup.server.address()).await;
    let line = ["notify", "a", "b", "--wait", "--timeout", "5s"];
    let run = setup.with_key("full", &line).await;
    let output = run.env("HATO_URL", &proxy.url).output().await;
    assert_eq!(output.error_code(), (7, "late"));
    assert_eq!(proxy.requests(), 4);
}
