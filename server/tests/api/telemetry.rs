//! Traces and the log as OTLP (CONTRACT 1, `HATO_OTLP_ENDPOINT`), at a collector that keeps what it is sent.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post as post_route;
use bytes::Bytes;
use hato_testkit::owner::PASSWORD;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AttributeValue;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::{Duration, interval, timeout};

use crate::fixtures::{BINARY, app, get, post, send, start, wait_until};
use crate::mcp::call;

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

    /// The spans that have come.
    fn spans(&self) -> Vec<CollectedSpan> {
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let traces = received.iter().filter(|(name, _)| name == "traces");
        let requests = traces.map(|(_, body)| {
            let request = ExportTraceServiceRequest::decode(body.clone());
            request.expect("a request of OTLP")
        });
        let of_processes = requests.flat_map(|request| request.resource_spans);
        let spans = of_processes.flat_map(|process| {
            let resource = process.resource.expect("it says who it is");
            let service = text_attribute(&resource.attributes, "service.name");
            assert_eq!(service, Some("hato"));
            let role = text_attribute(&resource.attributes, "hato.role");
            let role = role.expect("a role").to_owned();
            let spans = process.scope_spans.into_iter().flat_map(|it| it.spans);
            spans.map(move |span| CollectedSpan {
                role: role.clone(),
                span,
            })
        });
        spans.collect()
    }

    async fn wait_for(&self, signal: &str, texts: &[&str]) {
        let in_time = came_true(|| self.count(signal, texts) > 0).await;
        assert!(in_time, "no {signal} with {texts:?}");
    }

    /// Waits until a span of this name has come that names the send.
    async fn wait_for_span(&self, name: &str, send: &str) {
        let is_it = |it: &CollectedSpan| it.span.name == name && it.attribute("send") == Some(send);
        let in_time = came_true(|| self.spans().iter().any(is_it)).await;
        assert!(in_time, "no {name}: {:#?}", self.spans());
    }
}

/// Whether it becomes true within a minute.
async fn came_true(is_true: impl Fn() -> bool) -> bool {
    let waiting = async {
        let mut ticks = interval(Duration::from_millis(50));
        while !is_true() {
            ticks.tick().await;
        }
    };
    timeout(Duration::from_mins(1), waiting).await.is_ok()
}

/// A span that the collector has got.
#[derive(Clone, Debug)]
struct CollectedSpan {
    /// Of the process that it is from.
    role: String,
    span: Span,
}

impl CollectedSpan {
    fn attribute(&self, name: &str) -> Option<&str> {
        text_attribute(&self.span.attributes, name)
    }

    /// Whether it happened within `other`.
    fn is_child_of(&self, other: &Self) -> bool {
        let (own, other) = (&self.span, &other.span);
        own.trace_id == other.trace_id && own.parent_span_id == other.span_id
    }
}

fn text_attribute<'a>(attributes: &'a [KeyValue], name: &str) -> Option<&'a str> {
    let attribute = attributes.iter().find(|it| it.key == name)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        AttributeValue::StringValue(text) => Some(text),
        _ => None,
    }
}

/// An app with three subscribers, and a send to them; its id.
async fn send_to_three(server: &HatoServer, push: &PushService) -> String {
    let app = app(server, "owner@example.com").await;
    for _ in 0..3 {
        let registration = push.subscribe(Some(&app.vapid_public_key)).registration();
        post(&app.frontend, "/api/v1/subscriptions", &registration).await;
    }
    let message = json!({"title": "a secret title", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    let send = accepted.json()["send_id"].clone();
    send.as_str().expect("an id").to_owned()
}

/// The request that was accepted by a process of this role names the send, and so does the page of the other role's, within which
/// each push is.
fn assert_found(spans: &[CollectedSpan], send: &str, [api, worker]: [&str; 2]) {
    let of_send = |name: &str| {
        let of_name = spans.iter().filter(|it| it.span.name == name);
        let found: Vec<_> = of_name
            .filter(|it| it.attribute("send") == Some(send))
            .collect();
        assert_eq!(found.len(), 1, "{name}: {spans:#?}");
        found[0]
    };
    let (request, page) = (of_send("request"), of_send("page"));
    assert_eq!(request.attribute("path"), Some("/api/v1/notify"));
    assert_eq!((&*request.role, &*page.role), (api, worker));
    let pushes: Vec<_> = spans.iter().filter(|it| it.span.name == "push").collect();
    assert_eq!(pushes.len(), 3, "{spans:#?}");
    for push in pushes {
        assert!(push.is_child_of(page), "{push:#?} of {page:#?}");
        assert_eq!(push.attribute("host"), Some("127.0.0.1"));
        assert_eq!(push.attribute("outcome"), Some("sent"));
    }
}

#[on_each_database]
async fn a_send_is_found_from_its_request_to_its_push(database: TestDatabase) {
    let (push, collector) = (PushService::start().await, Collector::start().await);
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let mut server = start(launch.env("HATO_OTLP_ENDPOINT", &collector.url)).await;
    let send = send_to_three(&server, &push).await;
    push.wait_until(|seen| seen.total.created == 3).await;
    get(&server.client(), "/api/v1/apps").await;
    let ended = server.terminate().await.expect("it ends");
    assert!(ended.success());

    assert_found(&collector.spans(), &send, ["all"; 2]);
    collector
        .wait_for("logs", &["refused", "UNAUTHORIZED"])
        .await;
    for signal in ["traces", "logs"] {
        for secret in ["a secret title", "owner@example.com", "/push/"] {
            assert_eq!(collector.count(signal, &[secret]), 0, "{secret}");
        }
    }
}

#[on_each_database]
async fn a_send_is_found_whichever_process_delivers_it(database: TestDatabase) {
    let (push, collector) = (PushService::start().await, Collector::start().await);
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let launch = launch.env("HATO_OTLP_ENDPOINT", &collector.url);
    let api = start(launch.clone().env("HATO_ROLE", "api")).await;
    let _worker = start(launch.env("HATO_ROLE", "worker")).await;
    let send = send_to_three(&api, &push).await;
    // A page ends after its pushes.
    for name in ["request", "page"] {
        collector.wait_for_span(name, &send).await;
    }
    assert_found(&collector.spans(), &send, ["api", "worker"]);
}

#[on_each_database]
async fn an_assistants_request_and_a_form_name_their_sends(database: TestDatabase) {
    let collector = Collector::start().await;
    let launch = ServerLaunch::on(BINARY, database).env("HATO_OTLP_ENDPOINT", &collector.url);
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let message = json!({"title": "t", "body": "b"});
    let sent = call(&app.admin, "send_notification", message).await;
    let sent = sent["structuredContent"]["send_id"].as_str();
    collector
        .wait_for_span("request", sent.expect("an id"))
        .await;

    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let cookie = format!("hato_session={}", session.expect("a session"));
    let headers = [
        ("cookie", cookie.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "same-origin"),
    ];
    let path = format!("/apps/{}/send", app.id);
    let draft = "title=t&body=b&step=send&idempotency_key=0123";
    let sent = send(&server.client(), Method::POST, &path, &headers, draft).await;
    let page = sent.header("location").expect("the page of the send");
    let (_, sent) = page.rsplit_once('/').expect("a path");
    collector.wait_for_span("request", sent).await;
}

#[tokio::test]
async fn a_collector_that_is_not_there_is_told_once_and_stops_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let nobody = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let launch = ServerLaunch::new(BINARY).env("HATO_OTLP_ENDPOINT", nobody);
    let mut server = start(launch).await;
    app(&server, "owner@example.com").await;
    let ended = server.terminate().await.expect("it ends");
    assert!(ended.success());
    let warning = "the collector takes no traces and no log";
    assert_eq!(server.log().matches(warning).count(), 1, "{}", server.log());
}

#[tokio::test]
async fn without_a_collector_pages_and_pushes_are_no_spans() {
    let push = PushService::start().await;
    let launch = ServerLaunch::new(BINARY).with_push_service(&push);
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
