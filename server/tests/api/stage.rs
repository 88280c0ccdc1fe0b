//! What the tests have in common: a server, an app with its keys, and waiting for a condition.

use std::time::Duration;

use bytes::Bytes;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, Launch};
use http::{HeaderValue, Method, Request};
use serde_json::{Value, json};
use tokio::time::{interval, timeout};

/// The program under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_hato-server");

/// A p256dh and an auth that are well-formed.
pub const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
pub const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// How long a condition may take to hold: leases that end included.
const PATIENCE: Duration = Duration::from_mins(2);
/// Between two looks at it.
const PAUSE: Duration = Duration::from_millis(100);

/// A server with the default settings.
pub async fn server() -> HatoServer {
    start(Launch::new(BINARY)).await
}

/// The server that `launch` describes.
pub async fn start(launch: Launch) -> HatoServer {
    launch.start().await.expect("the server starts")
}

/// A server and an app on it.
pub async fn stage() -> (HatoServer, OwnedApp) {
    let server = server().await;
    let app = app(&server, "owner@example.com").await;
    (server, app)
}

/// An app of a new account.
pub async fn app(server: &HatoServer, email: &str) -> OwnedApp {
    OwnedApp::set_up(&server.client(), email)
        .await
        .expect("an app")
}

/// A registration of this endpoint.
pub fn registration(endpoint: &str) -> Value {
    json!({"endpoint": endpoint, "p256dh": P256DH, "auth": AUTH})
}

/// The answer to a request with any body and headers.
pub async fn send(
    client: &Client,
    method: Method,
    path: &str,
    headers: &[(&'static str, &str)],
    body: impl Into<Bytes>,
) -> Reply {
    let mut request = Request::new(body.into());
    *request.method_mut() = method;
    *request.uri_mut() = path.parse().expect("a path");
    for (name, value) in headers {
        let value = HeaderValue::from_str(value).expect("a header value");
        request.headers_mut().append(*name, value);
    }
    client.send(request).await.expect("an answer")
}

/// The answer to a GET.
pub async fn get(client: &Client, path: &str) -> Reply {
    client.get(path).await.expect("an answer")
}

/// The answer to a POST of JSON.
pub async fn post(client: &Client, path: &str, body: &Value) -> Reply {
    client.post(path, body).await.expect("an answer")
}

/// Status and code of a refusal.
pub fn refused(reply: &Reply) -> (u16, String) {
    (reply.status.as_u16(), reply.code())
}

/// Everything that the API shows of an app, less the last uses of keys.
pub async fn everything(app: &OwnedApp) -> Value {
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    let mut keys = get(&app.owner, &path("/keys")).await.json();
    for key in keys.as_array_mut().expect("a list") {
        key["last_used_at"].take();
    }
    json!({
        "app": get(&app.owner, &path("")).await.json(),
        "keys": keys,
        "sends": get(&app.owner, &path("/notifications")).await.json(),
    })
}

/// Asks until the answer satisfies `done`; panics with the last answer when that takes too long.
pub async fn until(client: &Client, path: &str, done: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    let asking = async {
        let mut ticks = interval(PAUSE);
        while !done(&last) {
            ticks.tick().await;
            last = get(client, path).await.json();
        }
    };
    let in_time = timeout(PATIENCE, asking).await.is_ok();
    assert!(in_time, "not within {PATIENCE:?}: {last:#}");
    last
}

/// Waits until the server's log has a line with this text.
pub async fn until_logged(server: &HatoServer, text: &str) {
    let reading = async {
        let mut ticks = interval(PAUSE);
        while !server.log().contains(text) {
            ticks.tick().await;
        }
    };
    let in_time = timeout(PATIENCE, reading).await.is_ok();
    assert!(in_time, "no {text} in {}", server.log());
}
