//! Requests whose credential or app goes before the last byte of their body has come.

use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::HatoServer;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::fixtures::{delete_key, get, post, registration, setup, snapshot, status_and_code};
use crate::held_requests::hold;

/// Failures of an address until keys from there are refused (CONTRACT 3).
const MAX_FAILURES: usize = 20;

/// A request that lacks the last byte of its body.
struct UnfinishedRequest {
    stream: TcpStream,
    last_byte: [u8; 1],
}

impl UnfinishedRequest {
    /// What was asked for with the token is in work when this returns, and its body is awaited.
    async fn begin(server: &HatoServer, token: &str, line: &str, body: &Value) -> Self {
        let mut body = body.to_string().into_bytes();
        let head = format!(
            "{line} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
             expect: 100-continue\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = hold(server, head.as_bytes()).await;
        let last_byte = [body.pop().expect("a body")];
        stream.write_all(&body).await.expect("written");
        Self { stream, last_byte }
    }

    /// The status and the body of the answer.
    async fn finish(mut self) -> (String, Value) {
        let written = self.stream.write_all(&self.last_byte).await;
        written.expect("it is awaited");
        let mut answer = String::new();
        let read = self.stream.read_to_string(&mut answer).await;
        read.expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).expect("a status").to_owned();
        (status, serde_json::from_str(body).expect("JSON"))
    }

    async fn assert_refused(self, status: &str, code: &str) {
        let (answered, body) = self.finish().await;
        assert_eq!((&*answered, &body["code"]), (status, &code.into()));
    }
}

/// What a key may do with a body.
fn requests(app: &OwnedApp) -> Vec<(String, Value)> {
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    let subscription = registration("https://push.example.com/1");
    let endpoint = json!({"endpoint": "https://push.example.com/1"});
    let message = json!({"title": "t", "body": "b"});
    let key = json!({"name": "mine", "scope": "full"});
    let tool = json!({"name": "create_api_key", "arguments": key});
    [
        ("POST", path("/keys"), key),
        ("POST", "/api/v1/notify".to_owned(), message.clone()),
        (
            "POST",
            "/api/v1/notify/batch".to_owned(),
            json!({"endpoints": [endpoint["endpoint"]], "payload": message}),
        ),
        ("POST", path("/notify"), message),
        (
            "POST",
            path("/subscriptions/bulk"),
            json!({"items": [subscription]}),
        ),
        ("POST", "/api/v1/subscriptions".to_owned(), subscription),
        ("DELETE", path("/subscriptions"), endpoint),
        ("PATCH", path(""), json!({"tracking": "counts"})),
        ("POST", path("/users/erase"), json!({"user_id": "u1"})),
        (
            "POST",
            "/mcp".to_owned(),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}),
        ),
    ]
    .map(|(method, path, body)| (format!("{method} {path}"), body))
    .into()
}

#[on_each_database]
async fn nothing_is_done_with_a_key_that_goes_before_the_body_ends(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let stolen = app.owner.create_key(&app.id, "stolen", "full").await;
    let stolen = stolen.expect("a key");
    let mut unfinished = Vec::new();
    for (line, body) in requests(&app) {
        unfinished.push(UnfinishedRequest::begin(&server, &stolen, &line, &body).await);
    }
    let kept = app.owner.create_key(&app.id, "kept", "full").await;
    let message = json!({"title": "t", "body": "b"});
    let sending = UnfinishedRequest::begin(
        &server,
        &kept.expect("a key"),
        "POST /api/v1/notify",
        &message,
    )
    .await;
    delete_key(&app, "stolen").await;
    let before = snapshot(&app).await;
    let failures = unfinished.len();
    for request in unfinished {
        request.assert_refused("401", "INVALID_API_KEY").await;
    }
    assert_eq!(snapshot(&app).await, before);
    assert_eq!(sending.finish().await.0, "202");

    // Each has failed once.
    let stranger = server.client().bearer(&stolen);
    for _ in failures..MAX_FAILURES {
        let refused = get(&stranger, "/api/v1/vapid-public-key").await;
        assert_eq!(status_and_code(&refused), (401, "INVALID_API_KEY".into()));
    }
    let refused = get(&stranger, "/api/v1/vapid-public-key").await;
    assert_eq!(status_and_code(&refused), (429, "RATE_LIMITED".into()));
}

#[on_each_database]
async fn nothing_is_done_with_a_session_or_in_an_app_that_goes_before_the_body_ends(
    database: TestDatabase,
) {
    let (server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}", app.id);
    let keys = get(&app.owner, &format!("{path}/vapid-keys")).await.json();
    let vapid_key = keys[0]["id"].as_str().expect("an id");
    let new_key = (
        format!("POST {path}/keys"),
        json!({"name": "mine", "scope": "full"}),
    );
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let session = session.expect("a session");
    let mut unfinished = Vec::new();
    for (line, body) in [
        &new_key,
        &("POST /api/v1/apps".to_owned(), json!({"name": "mine"})),
        &(
            format!("POST {path}/vapid-keys/{vapid_key}/export"),
            json!({"password": PASSWORD}),
        ),
    ] {
        unfinished.push(UnfinishedRequest::begin(&server, &session, line, body).await);
    }
    let before = snapshot(&app).await;
    let ended = post(
        &server.client().bearer(&session),
        "/auth/logout",
        &json!({}),
    )
    .await;
    assert_eq!(ended.status, 200, "{ended}");
    for request in unfinished {
        request.assert_refused("401", "INVALID_SESSION").await;
    }
    assert_eq!(snapshot(&app).await, before);

    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let session = session.expect("a session");
    let (line, body) = &new_key;
    let in_app = UnfinishedRequest::begin(&server, &session, line, body).await;
    let deleted = app.owner.delete(&path).await;
    assert_eq!(deleted.expect("an answer").status, 200);
    in_app.assert_refused("404", "NOT_FOUND").await;
}
