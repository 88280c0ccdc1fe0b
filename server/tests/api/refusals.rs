//! What is wrong is refused with the specification's error body, and changes nothing.

use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{AUTH, P256DH, registration, send, setup, snapshot};

async fn assert_refused(
    client: &Client,
    path: &str,
    body: impl Into<Vec<u8>>,
    status: u16,
    expected: &Value,
) {
    let reply = send(client, Method::POST, path, &[], body.into()).await;
    assert_eq!(reply.status, status, "{path}: {reply}");
    assert_eq!(&reply.json(), expected, "{path}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
}

/// The three endpoints that change something, with a client that may use each.
fn endpoints(app: &OwnedApp) -> [(&Client, String); 4] {
    [
        (&app.frontend, "/api/v1/subscriptions".into()),
        (&app.backend, "/api/v1/notify".into()),
        (&app.admin, format!("/api/v1/apps/{}/notify", app.id)),
        (&app.admin, format!("/api/v1/apps/{}/keys", app.id)),
    ]
}

#[on_each_database]
async fn a_wrong_key(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let before = snapshot(&app).await;
    let expected =
        json!({"error": "API キーが無効か、削除されています。", "code": "INVALID_API_KEY"});
    for key in [format!("pk_{}", "0".repeat(64)), "pk_".into()] {
        let stranger = server.client().bearer(&key);
        for (_, path) in endpoints(&app) {
            assert_refused(&stranger, &path, "{}", 401, &expected).await;
        }
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn an_http_endpoint(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let before = snapshot(&app).await;
    let expected = json!({
        "error": "URL は https:// で始まる正しい形式で指定してください。",
        "code": "INVALID_URL",
    });
    let body = registration("http://push.example.com/1").to_string();
    assert_refused(&app.frontend, "/api/v1/subscriptions", body, 400, &expected).await;
    for member in ["endpoint", "url", "icon", "badge"] {
        let mut body = json!({"title": "t", "body": "b"});
        body[member] = json!("http://example.com/");
        let body = body.to_string();
        assert_refused(&app.backend, "/api/v1/notify", body, 400, &expected).await;
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn a_missing_field(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let before = snapshot(&app).await;
    let expected = json!({"error": "必須項目が入力されていません。", "code": "MISSING_FIELDS"});
    for (client, path) in endpoints(&app) {
        for body in ["", "{}"] {
            assert_refused(client, &path, body, 400, &expected).await;
        }
    }
    let complete = [
        (
            "/api/v1/subscriptions",
            registration("https://push.example.com/1"),
        ),
        ("/api/v1/notify", json!({"title": "t", "body": "b"})),
    ];
    for (path, complete) in complete {
        for member in complete.as_object().expect("an object").keys() {
            for nothing in [json!(null), json!("")] {
                let mut body = complete.clone();
                body[member] = nothing;
                let body = body.to_string();
                assert_refused(&app.admin, path, body, 400, &expected).await;
            }
        }
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn a_body_that_is_not_json(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let before = snapshot(&app).await;
    let expected = json!({"error": "入力内容が正しくありません。", "code": "INVALID_INPUT"});
    for (client, path) in endpoints(&app) {
        for body in [
            "title=t&body=b",
            "[]",
            "\"text\"",
            "null",
            "{\"title\":\"t\"",
            "{\"title\":1,\"name\":1,\"endpoint\":1}",
            "\u{0}",
        ] {
            assert_refused(client, &path, body, 400, &expected).await;
        }
        assert_refused(client, &path, b"{\"title\":\"\xff\"}", 400, &expected).await;
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn an_endpoint_or_key_that_is_malformed(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let before = snapshot(&app).await;
    let endpoint = "https://push.example.com/1";
    for (endpoint, p256dh, auth, code) in [
        ("https://", P256DH, AUTH, "INVALID_ENDPOINT"),
        (
            "https://u:p@push.example.com/",
            P256DH,
            AUTH,
            "INVALID_ENDPOINT",
        ),
        ("https://127.0.0.1/1", P256DH, AUTH, "INVALID_ENDPOINT"),
        (endpoint, AUTH, AUTH, "INVALID_INPUT"),
        (endpoint, P256DH, P256DH, "INVALID_INPUT"),
        (endpoint, &P256DH.replace('C', "D"), AUTH, "INVALID_INPUT"),
    ] {
        let body = json!({"endpoint": endpoint, "p256dh": p256dh, "auth": auth});
        let reply = crate::fixtures::post(&app.frontend, "/api/v1/subscriptions", &body).await;
        assert_eq!(
            crate::fixtures::status_and_code(&reply),
            (400, code.into()),
            "{body}"
        );
    }
    assert_eq!(snapshot(&app).await, before);
}
