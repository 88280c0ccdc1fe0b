//! What the tests have in common: a server, an app with its keys, and waiting for a condition.

use std::time::Duration;

use bytes::Bytes;
use hato_testkit::TestDatabase;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::BrowserSubscription;
use hato_testkit::server::{HatoServer, ServerLaunch};
use http::{HeaderValue, Method, Request};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

/// The program under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_hato-server");

/// A p256dh and an auth that are well-formed.
pub const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
pub const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// How long a condition may take to hold: leases that end included.
pub const WAIT_TIMEOUT: Duration = Duration::from_mins(2);
/// Between two looks at it.
pub const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A server with the default settings.
pub async fn server(database: TestDatabase) -> HatoServer {
    start(ServerLaunch::on(BINARY, database)).await
}

/// The server that `launch` describes.
pub async fn start(launch: ServerLaunch) -> HatoServer {
    launch.start().await.expect("the server starts")
}

/// A server and an app on it.
pub async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = server(database).await;
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
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header value");
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

/// The app's owner deletes its key of this name.
pub async fn delete_key(app: &OwnedApp, name: &str) {
    let path = format!("/api/v1/apps/{}/keys", app.id);
    let keys = get(&app.owner, &path).await.json();
    let mut keys = keys.as_array().expect("a list").iter();
    let key = keys.find(|key| key["name"] == name).expect("the key");
    let id = key["id"].as_str().expect("an id");
    let deleted = app.owner.delete(&format!("{path}/{id}")).await;
    assert_eq!(deleted.expect("an answer").status, 200);
}

/// Status and code of a refusal.
pub fn status_and_code(reply: &Reply) -> (u16, String) {
    (reply.status.as_u16(), reply.code())
}

/// Everything that the API shows of an app, less the last uses of keys and what passes with time.
pub async fn snapshot(app: &OwnedApp) -> Value {
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    let mut keys = get(&app.owner, &path("/keys")).await.json();
    for key in keys.as_array_mut().expect("a list") {
        key["last_used_at"].take();
    }
    let mut stats = get(&app.owner, &path("/stats")).await.json();
    for passing in ["daily", "monthResetsAt"] {
        stats[passing].take();
    }
    json!({
        "apps": get(&app.owner, "/api/v1/apps").await.json(),
        "app": get(&app.owner, &path("")).await.json(),
        "keys": keys,
        "key events": get(&app.owner, &path("/key-events?limit=100")).await.json(),
        "sends": get(&app.owner, &path("/notifications?limit=100")).await.json(),
        "dead letters": get(&app.owner, &path("/dead-letters?limit=100")).await.json(),
        "stats": stats,
    })
}

/// The answers to requests that are on their way at the same time.
pub async fn concurrently<R>(requests: impl IntoIterator<Item = R>) -> Vec<Reply>
where
    R: Future<Output = Reply> + Send + 'static,
{
    requests
        .into_iter()
        .collect::<JoinSet<_>>()
        .join_all()
        .await
}

/// How many of the answers have this status.
pub fn count(replies: &[Reply], status: u16) -> usize {
    let with_status = replies.iter().filter(|reply| reply.status == status);
    with_status.count()
}

/// Registers as many new endpoints with the app, and returns them. Its backend does: a key that strangers have makes few a minute.
pub async fn subscribe(app: &OwnedApp, count: usize) -> Vec<String> {
    let endpoints: Vec<_> = (0..count)
        .map(|it| format!("https://push.example.com/{it}"))
        .collect();
    let shares = endpoints
        .chunks(count.div_ceil(16).max(1))
        .map(<[String]>::to_vec);
    let register = |share: Vec<String>| {
        let client = app.backend.clone();
        async move {
            for endpoint in share {
                let reply = post(&client, "/api/v1/subscriptions", &registration(&endpoint)).await;
                assert_eq!(reply.status, 201, "{reply}");
            }
        }
    };
    shares
        .map(register)
        .collect::<JoinSet<_>>()
        .join_all()
        .await;
    endpoints
}

/// Registers the browsers, many at a time.
pub async fn register(client: &Client, browsers: &[BrowserSubscription]) {
    let mut tasks = JoinSet::new();
    for share in browsers.chunks(browsers.len().div_ceil(16)) {
        let (client, share) = (client.clone(), share.to_vec());
        tasks.spawn(async move {
            for browser in share {
                let reply = post(&client, "/api/v1/subscriptions", &browser.registration()).await;
                assert_eq!(reply.status, 201, "{reply}");
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("every browser is registered");
    }
}

/// Registers the browsers a thousand at a time (CONTRACT 16), with a session or a full key.
pub async fn register_in_bulk(admin: &Client, app: &str, browsers: &[BrowserSubscription]) {
    let registrations = browsers.iter().map(BrowserSubscription::registration);
    bulk(admin, app, &registrations.collect::<Vec<_>>()).await;
}

/// The same of registrations with further members, or of those that are registered already.
pub async fn bulk(admin: &Client, app: &str, registrations: &[Value]) {
    let path = format!("/api/v1/apps/{app}/subscriptions/bulk");
    for items in registrations.chunks(1_000) {
        let reply = post(admin, &path, &json!({ "items": items })).await;
        assert_eq!(reply.status, 200, "{reply}");
        assert_eq!(reply.json()["rejected"], json!([]), "{reply}");
    }
}

/// Asks until the answer satisfies `done`; panics with the last answer when that takes too long.
pub async fn wait_until(client: &Client, path: &str, done: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    let asking = async {
        let mut ticks = interval(POLL_INTERVAL);
        while !done(&last) {
            ticks.tick().await;
            last = get(client, path).await.json();
        }
    };
    let in_time = timeout(WAIT_TIMEOUT, asking).await.is_ok();
    assert!(in_time, "not within {WAIT_TIMEOUT:?}: {last:#}");
    last
}

/// The program of a long run: that of `HATO_TEST_SERVER`, or the one that was built with the tests.
pub fn tested_program() -> String {
    std::env::var("HATO_TEST_SERVER").unwrap_or_else(|_| BINARY.to_owned())
}

/// What the variable `name` says, which makes a run longer, or `usual`.
pub fn env_or(name: &str, usual: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(usual, |number| number.parse().expect("it is a number"))
}

/// Asks for a page until it has this text; panics with the last one when that takes too long.
pub async fn wait_until_shown(
    client: &Client,
    path: &str,
    headers: &[(&'static str, &str)],
    text: &str,
) -> String {
    let mut last = String::new();
    let asking = async {
        let mut ticks = interval(POLL_INTERVAL);
        while !last.contains(text) {
            ticks.tick().await;
            let reply = send(client, Method::GET, path, headers, "").await;
            last = String::from_utf8_lossy(&reply.body).into_owned();
        }
    };
    let in_time = timeout(WAIT_TIMEOUT, asking).await.is_ok();
    assert!(in_time, "no {text} in {last}");
    last
}

/// Waits until the server's log has a line with this text.
pub async fn wait_until_logged(server: &HatoServer, text: &str) {
    let reading = async {
        let mut ticks = interval(POLL_INTERVAL);
        while !server.log().contains(text) {
            ticks.tick().await;
        }
    };
    let in_time = timeout(WAIT_TIMEOUT, reading).await.is_ok();
    assert!(in_time, "no {text} in {}", server.log());
}
