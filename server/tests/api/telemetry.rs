//! Traces and the log as OTLP (CONTRACT 1, `HATO_OTLP_ENDPOINT`), at a collector that keeps what it is sent.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post as post_route;
use bytes::Bytes;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::Launch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::{Duration, interval, timeout};

use crate::fixtures::{BINARY, app, get, post, start, wait_until};

type Received = Arc<Mutex<Vec<(String, Bytes)>>>;

/// A collector of traces and logs.
struct Collector {
    url: String,
    received: Received,
}

async fn keep(
    State(received): State<Received>,
    Path(signal): Path<String>,
    body: Bytes,
) -> &'static str {
    let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
    received.push((signal, body));
    ""
}

impl Collector {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let received = Received::default();
        let routes = Router::new().route("/v1/{signal}", post_route(keep));
        let routes = routes.with_state(Arc::clone(&received));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, received }
    }

    /// The requests of a signal in which each of these texts stands. Protobuf has texts as they are.
    fn count(&self, signal: &str, texts: &[&str]) -> usize {
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let has = |body: &Bytes, text: &str| {
            let mut windows = body.windows(text.len());
            windows.any(|window| window == text.as_bytes())
        };
        let of_signal = received.iter().filter(|(name, _)| name == signal);
        of_signal
            .filter(|(_, body)| texts.iter().all(|text| has(body, text)))
            .count()
    }

    async fn wait_for(&self, signal: &str, texts: &[&str]) {
        let waiting = async {
            let mut ticks = interval(Duration::from_millis(50));
            while self.count(signal, texts) == 0 {
                ticks.tick().await;
            }
        };
        let in_time = timeout(Duration::from_mins(1), waiting).await.is_ok();
        assert!(in_time, "no {signal} with {texts:?}");
    }
}

#[on_each_database]
async fn a_send_is_found_from_its_request_to_its_push(database: TestDatabase) {
    let (push, collector) = (PushService::start().await, Collector::start().await);
    let launch = Launch::on(BINARY, database).with_push_service(&push);
    let mut server = start(launch.env("HATO_OTLP_ENDPOINT", &collector.url)).await;
    let app = app(&server, "owner@example.com").await;
    let browser = push.subscribe(Some(&app.vapid_public_key));
    let registration = browser.registration();
    post(&app.frontend, "/api/v1/subscriptions", &registration).await;
    let message = json!({"title": "a secret title", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    let send = accepted.json()["send_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    push.wait_until(|seen| seen.total.created == 1).await;
    get(&server.client(), "/api/v1/apps").await;
    let ended = server.terminate().await.expect("it ends");
    assert!(ended.success());

    collector
        .wait_for("traces", &["request", "/api/v1/notify", &send])
        .await;
    collector
        .wait_for("traces", &["page", "attempt", &send])
        .await;
    collector
        .wait_for("traces", &["push", "127.0.0.1", "outcome", "sent"])
        .await;
    collector
        .wait_for("traces", &["service.name", "hato.role", "all"])
        .await;
    collector
        .wait_for("logs", &["refused", "UNAUTHORIZED"])
        .await;
    for signal in ["traces", "logs"] {
        for secret in ["a secret title", "owner@example.com", "/push/"] {
            assert_eq!(collector.count(signal, &[secret]), 0, "{secret}");
        }
    }
}

#[tokio::test]
async fn a_collector_that_is_not_there_is_told_once_and_stops_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let nobody = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let launch = Launch::new(BINARY).env("HATO_OTLP_ENDPOINT", nobody);
    let mut server = start(launch).await;
    app(&server, "owner@example.com").await;
    let ended = server.terminate().await.expect("it ends");
    assert!(ended.success());
    let told = "the collector takes no traces and no log";
    assert_eq!(server.log().matches(told).count(), 1, "{}", server.log());
}

#[tokio::test]
async fn without_a_collector_pages_and_pushes_are_no_spans() {
    let push = PushService::start().await;
    let launch = Launch::new(BINARY).with_push_service(&push);
    let server = start(launch.env("HATO_LOG", "debug")).await;
    let app = app(&server, "owner@example.com").await;
    let browser = push.subscribe(Some(&app.vapid_public_key));
    push.always_respond(&browser, ScriptedResponse::Status(410));
    let registration = browser.registration();
    post(&app.frontend, "/api/v1/subscriptions", &registration).await;
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    let send = accepted.json()["send_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let path = format!("/api/v1/apps/{}/notifications/{send}", app.id);
    wait_until(&app.owner, &path, |it| it["status"] == "done").await;
    let log = server.log();
    let line = log
        .lines()
        .find(|line| line.contains("a push was not taken"));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    assert!(!line.contains("page{") && !line.contains("push{"), "{line}");
}
