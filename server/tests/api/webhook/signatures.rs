//! Signatures, verified by the implementations that customers use: the npm and the `PyPI` package `standardwebhooks`.

use std::process::Stdio;

use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::webhook_receiver::Event;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::WebhookFixture;

/// Program and script of each verifier, which `scripts/setup test` installs.
const VERIFIERS: [(&str, &str); 2] = [
    (
        "node",
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/verifiers/node/verify.js"
        ),
    ),
    (
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/verifiers/python/.venv/bin/python"
        ),
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/verifiers/python/verify.py"
        ),
    ),
];

/// What a verifier says about an event and a secret.
async fn verify((program, script): (&str, &str), event: &Event, secret: &str) -> (bool, String) {
    let mut child = Command::new(program)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}; run scripts/setup test"));
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers: serde_json::Map<_, _> = names
        .map(|name| (name.to_owned(), json!(event.header(name))))
        .into_iter()
        .collect();
    let letter = json!({"secret": secret, "headers": headers, "body": event.body});
    let mut stdin = child.stdin.take().expect("it is piped");
    let written = stdin.write_all(letter.to_string().as_bytes()).await;
    written.expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().await.expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    (output.status.success(), format!("{said}{stderr}"))
}

async fn assert_verified(event: &Event, secret: &str) {
    for verifier in VERIFIERS {
        let (verified, said) = verify(verifier, event, secret).await;
        assert!(verified && said == "ok\n", "{verifier:?}: {said}");
    }
}

async fn assert_refused(event: &Event, secret: &str) {
    for verifier in VERIFIERS {
        let (verified, said) = verify(verifier, event, secret).await;
        assert!(
            !verified && said.contains("signature"),
            "{verifier:?}: {said}"
        );
    }
}

#[on_each_database]
async fn signatures_are_those_of_standard_webhooks_through_a_rotation(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    let first = fixture.webhook().await["secret"].clone();
    let first = first.as_str().expect("a secret");
    fixture.subscribe(ScriptedResponse::Created).await;
    fixture.send().await;
    let events = fixture.events(2).await;
    for event in &events {
        assert_verified(event, first).await;
    }

    let rotated = fixture.rotate().await;
    let second = rotated["secret"].as_str().expect("a secret");
    assert_ne!(second, first);
    assert_eq!(rotated["previous_secret"], first);
    let until = rotated["previous_secret_expires_at"].as_i64();
    let left = until.expect("a time")
        - events[1]
            .header("webhook-timestamp")
            .parse::<i64>()
            .expect("seconds")
            * 1_000;
    let day = 24 * 3_600 * 1_000;
    assert!((day - 120_000..=day + 120_000).contains(&left), "{left}");
    fixture.send().await;
    let event = &fixture.events(3).await[2];
    for secret in [first, second] {
        assert_verified(event, secret).await;
    }

    let third = fixture.rotate().await;
    fixture.send().await;
    let event = &fixture.events(5).await[4];
    assert_verified(event, third["secret"].as_str().expect("a secret")).await;
    assert_verified(event, second).await;
    assert_refused(event, first).await;
}
