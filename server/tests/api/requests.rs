//! Requests in general (CONTRACT 2): paths, methods, sizes, CORS, ids.

use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{
    BINARY, get, post, registration, send, server, setup, start, status_and_code, wait_until_logged,
};

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let server = server(TestDatabase::sqlite().await).await;
    let expected = json!({"error": "指定されたものが見つかりません。", "code": "NOT_FOUND"});
    for path in [
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v2/apps",
        "/auth/nothing",
        "/api/v1/notify/",
        "/mcp/",
        "/mcp/nothing",
    ] {
        for method in [Method::GET, Method::POST] {
            let reply = send(&server.client(), method, path, &[], "").await;
            assert_eq!(reply.status, 404, "{path}: {reply}");
            assert_eq!(reply.json(), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let server = server(TestDatabase::sqlite().await).await;
    for (method, path, allowed) in [
        (Method::GET, "/api/v1/notify", "POST"),
        (Method::DELETE, "/api/v1/apps", "POST,GET,HEAD"),
        (Method::PUT, "/api/v1/apps/app_1/keys", "POST,GET,HEAD"),
        (Method::GET, "/auth/login", "POST"),
        (Method::POST, "/auth/session", "GET,HEAD"),
    ] {
        let reply = send(&server.client(), method, path, &[], "").await;
        assert_eq!(
            status_and_code(&reply),
            (405, "METHOD_NOT_ALLOWED".into()),
            "{path}"
        );
        let mut actual: Vec<_> = reply
            .header("allow")
            .expect("a header")
            .split(',')
            .collect();
        let mut expected: Vec<_> = allowed.split(',').collect();
        actual.sort_unstable();
        expected.sort_unstable();
        assert_eq!(actual, expected, "{path}");
    }
}

#[tokio::test]
async fn a_request_without_a_path_is_refused() {
    let server = server(TestDatabase::sqlite().await).await;
    for (method, target) in [
        (Method::CONNECT, "evil.example:443"),
        (Method::GET, "a:1"),
        (Method::POST, "a:1"),
    ] {
        let reply = send(&server.client(), method, target, &[], "").await;
        assert_eq!(status_and_code(&reply), (400, "INVALID_INPUT".into()));
        let id = reply.header("x-request-id").expect("an id");
        wait_until_logged(&server, id).await;
    }
    let log = server.log();
    for line in log.lines().filter(|line| line.contains("status=")) {
        assert!(line.contains("status=400 code=\"INVALID_INPUT\""), "{line}");
    }
    assert!(!log.contains("panicked"), "{log}");
}

#[on_each_database]
async fn a_body_of_256_kib_is_read_and_a_larger_one_is_not(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let mut body = registration("https://push.example.com/1").to_string();
    body.push_str(&" ".repeat(256 * 1024 - body.len()));
    let path = "/api/v1/subscriptions";
    let reply = send(&app.frontend, Method::POST, path, &[], body.clone()).await;
    assert_eq!(reply.status, 201, "{reply}");
    for size in [1, 2 * 1024 * 1024] {
        let body = format!("{body}{}", " ".repeat(size));
        let reply = send(&app.frontend, Method::POST, path, &[], body).await;
        assert_eq!(status_and_code(&reply), (413, "PAYLOAD_TOO_LARGE".into()));
        let sentence = reply.json()["error"].to_string();
        assert!(sentence.contains("256 KiB"), "{sentence}");
    }
    assert_eq!(
        get(&app.frontend, "/api/v1/vapid-public-key").await.status,
        200
    );
}

#[on_each_database]
async fn the_content_type_and_unknown_members_do_not_matter(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let mut body = registration("https://push.example.com/1");
    body["unknown"] = json!([1, 2]);
    body["platform"] = json!(null);
    let headers = [("content-type", "text/plain")];
    let reply = send(
        &app.frontend,
        Method::POST,
        "/api/v1/subscriptions",
        &headers,
        body.to_string(),
    );
    assert_eq!(reply.await.status, 201);
}

#[tokio::test]
async fn every_answer_has_an_id_that_is_in_the_log() {
    let server = start(ServerLaunch::new(BINARY).env("HATO_LOG", "debug")).await;
    let mut ids = Vec::new();
    for path in [
        "/healthz",
        "/api/v1/apps",
        "/api/v1/nothing",
        "/",
        "/nothing",
        "/sdk/nothing",
    ] {
        let reply = get(&server.client(), path).await;
        let id = reply.header("x-request-id").expect("an id").to_owned();
        assert!(id.len() == 32 && !ids.contains(&id), "{path}: {id}");
        wait_until_logged(&server, &id).await;
        ids.push(id);
        assert_eq!(
            reply.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert!(reply.header("referrer-policy").is_some(), "{path}");
    }
}

#[tokio::test]
async fn other_origins_may_use_the_api_and_the_sdk() {
    let (_server, app) = setup(TestDatabase::sqlite().await).await;
    for path in ["/api/v1/subscriptions", "/sdk/hato.mjs"] {
        let preflight = [
            ("origin", "https://shop.example"),
            ("access-control-request-method", "POST"),
            (
                "access-control-request-headers",
                "authorization,content-type,idempotency-key",
            ),
        ];
        let reply = send(&app.frontend, Method::OPTIONS, path, &preflight, "").await;
        assert!(reply.status.is_success(), "{reply}");
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        assert_eq!(reply.header("access-control-allow-credentials"), None);
        let methods = reply
            .header("access-control-allow-methods")
            .expect("methods")
            .to_owned();
        let headers = reply
            .header("access-control-allow-headers")
            .expect("headers")
            .to_owned();
        for method in ["GET", "POST", "PATCH", "DELETE"] {
            assert!(methods.contains(method), "{methods}");
        }
        for header in ["authorization", "content-type", "idempotency-key"] {
            assert!(headers.to_lowercase().contains(header), "{headers}");
        }
    }
    for path in [
        "/api/v1/vapid-public-key",
        "/api/v1/nothing",
        "/api/v1/apps/x/keys",
        "/sdk/hato.js",
    ] {
        let headers = [("origin", "https://shop.example")];
        let reply = send(&app.frontend, Method::GET, path, &headers, "").await;
        assert_eq!(
            reply.header("access-control-allow-origin"),
            Some("*"),
            "{path}"
        );
        let exposed = reply
            .header("access-control-expose-headers")
            .expect("headers");
        assert!(
            exposed.contains("retry-after") && exposed.contains("x-request-id"),
            "{path}"
        );
    }
    let reply = get(&app.owner, "/auth/session").await;
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn data_is_neither_kept_nor_framed() {
    let (_server, app) = setup(TestDatabase::sqlite().await).await;
    for path in ["/api/v1/apps", "/auth/session", "/api/v1/nothing"] {
        let reply = get(&app.owner, path).await;
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}");
        let policy = reply.header("content-security-policy").expect("a policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
    }
}

#[tokio::test]
async fn large_answers_are_compressed_for_those_who_take_it() {
    let (_server, app) = setup(TestDatabase::sqlite().await).await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    for number in 0..3 {
        let body = json!({"title": format!("{number}"), "body": "b".repeat(500)});
        post(&app.backend, "/api/v1/notify", &body).await;
    }
    for (accepted, expected) in [
        ("br, gzip", Some("br")),
        ("gzip", Some("gzip")),
        ("identity", None),
    ] {
        let headers = [("accept-encoding", accepted)];
        let reply = send(&app.owner, Method::GET, &path, &headers, "").await;
        assert_eq!(reply.header("content-encoding"), expected, "{accepted}");
    }
}
