//! The control side and the program around it, as a test in another language would use them.

use crate::sender::{Http2Client, ReferenceSender};
use hato_testkit::{
    client::Client,
    push_service::{BrowserSubscription, PushService},
};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

fn browser(value: &Value) -> BrowserSubscription {
    let text = |member: &str| value[member].as_str().expect("a text").to_owned();
    BrowserSubscription {
        id: text("id"),
        endpoint: text("endpoint"),
        p256dh: text("p256dh"),
        auth: text("auth"),
    }
}

#[tokio::test]
async fn subscribes_scripts_and_reads_messages() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let control = Client::new(service.control_address());
    let key = json!({"applicationServerKey": sender.public_key()});
    let made = control.post("/subscriptions", &key).await.expect("a reply");
    let browser = browser(&made.json());
    let script = json!({"subscription": browser.endpoint, "answers": [500, "429:9"]});
    let scripted = control.post("/script", &script).await.expect("a reply");
    assert_eq!(scripted.status, 200);

    let waiting = {
        let control = control.clone();
        tokio::spawn(async move { control.get("/messages?since=2&wait_ms=60000").await })
    };
    let mut connection = Http2Client::connect(&service).await;
    for expected in [500, 429, 201] {
        let answer = connection
            .send(sender.push(&browser, "{\"title\":\"a\"}"))
            .await;
        assert_eq!(answer.expect("an answer").status, expected);
    }

    let reply = waiting.await.expect("no panic").expect("a reply").json();
    assert_eq!(reply["next"], 3);
    assert_eq!(reply["messages"][0]["plaintext"], "{\"title\":\"a\"}");
    assert_eq!(reply["messages"][0]["answer"], "created");
    let state = control.get("/state").await.expect("a reply").json();
    assert_eq!(
        (&state["requests"], &state["created"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(state["violations"], json!([]));
}

#[tokio::test]
async fn what_is_held_is_answered_once_it_is_released() {
    let service = PushService::start().await;
    let control = Client::new(service.control_address());
    let sender = ReferenceSender::new();
    let (held, other) = (service.subscribe(None), service.subscribe(None));
    let named = json!({"subscription": held.endpoint});
    let reply = control.post("/hold", &named).await.expect("a reply");
    assert_eq!(reply.status, 200);
    let mut connection = Http2Client::connect(&service).await;
    let request = sender.push(&held, "{}");
    let waiting = tokio::spawn(async move { connection.send(request).await });
    let mut connection = Http2Client::connect(&service).await;
    let answer = connection.send(sender.push(&other, "{}")).await;
    assert_eq!(answer.expect("an answer").status, 201);
    assert!(!waiting.is_finished());

    let reply = control.post("/release", &named).await.expect("a reply");
    assert_eq!(reply.status, 200);
    let answer = waiting.await.expect("no panic").expect("an answer");
    assert_eq!(answer.status, 201);
    let nobody = control.post("/hold", &json!({})).await.expect("a reply");
    assert_eq!(nobody.status, 400);
}

#[tokio::test]
async fn refuses_what_it_does_not_know() {
    let service = PushService::start().await;
    let control = Client::new(service.control_address());
    let cases = [
        ("/script", json!({"answers": ["maybe"]}), 400),
        ("/script", json!({"default": 99}), 400),
        (
            "/subscriptions",
            json!({"applicationServerKey": "AAAA"}),
            400,
        ),
        ("/nothing", json!({}), 404),
    ];
    for (path, body, status) in cases {
        let reply = control.post(path, &body).await.expect("a reply");
        assert_eq!(reply.status.as_u16(), status, "{path} {body}");
    }
}

#[tokio::test]
async fn the_program_announces_itself_and_ends_with_its_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hato-push-service"))
        .args(["--answer", "503:1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it runs");
    let stdout = child.stdout.take().expect("it is piped");
    let line = BufReader::new(stdout).lines().next_line().await;
    let line = line.expect("readable").expect("a line");
    let announced: Value = serde_json::from_str(&line).expect("JSON");
    let ca = announced["ca_file"].as_str().expect("a path");
    let ca = std::fs::read_to_string(ca).expect("the CA was written");
    assert!(ca.starts_with("-----BEGIN CERTIFICATE-----"));
    let server = announced["server_file"].as_str().expect("a path");
    let server = std::fs::read_to_string(server).expect("a certificate was written");
    assert!(server.contains("-----BEGIN PRIVATE KEY-----"));
    let control = announced["control_url"].as_str().expect("a URL");
    let control = control.trim_start_matches("http://").parse();
    let control = Client::new(control.expect("an address"));
    let state = control.get("/state").await.expect("a reply");
    assert_eq!(state.json()["requests"], 0);

    drop(child.stdin.take());
    let status = child.wait().await.expect("it ends");
    assert!(status.success());
}
