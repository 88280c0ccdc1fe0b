//! Registering, logging in and out (CONTRACT 4).

use hato_testkit::client::Reply;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{BINARY, get, post, send, server, start, status_and_code};

const PASSWORD: &str = "correct horse";

fn account(email: &str) -> serde_json::Value {
    json!({"email": email, "password": PASSWORD})
}

fn token(reply: &Reply) -> String {
    reply.json()["session_token"]
        .as_str()
        .expect("a token")
        .to_owned()
}

#[on_each_database]
async fn an_account_is_made_and_used(database: TestDatabase) {
    let server = server(database).await;
    let client = server.client();
    let made = post(&client, "/auth/register", &account("Hato@Example.com")).await;
    assert_eq!(made.status, 201, "{made}");
    let user = made.json()["user"].clone();
    assert_eq!(
        (&user["email"], &user["plan"]),
        (&json!("Hato@Example.com"), &json!("free"))
    );
    assert!(user["id"].as_str().is_some_and(|id| id.starts_with("usr_")));
    assert!(user["created_at"].is_i64());

    let login = post(&client, "/auth/login", &account("hato@example.COM")).await;
    assert_eq!((login.status.as_u16(), &login.json()["user"]), (200, &user));
    let logged_in = client.bearer(&token(&login));
    assert_eq!(
        get(&logged_in, "/auth/session").await.json(),
        json!({"user": user})
    );

    let out = post(&logged_in, "/auth/logout", &json!({})).await;
    assert_eq!(
        (out.status.as_u16(), out.json()),
        (200, json!({"ok": true}))
    );
    let dead = get(&logged_in, "/auth/session").await;
    assert_eq!(status_and_code(&dead), (401, "INVALID_SESSION".into()));
    let other = client.bearer(&token(&made));
    assert_eq!(get(&other, "/auth/session").await.status, 200);
}

#[on_each_database]
async fn the_session_is_a_guarded_cookie(database: TestDatabase) {
    for (base_url, secure) in [
        ("http://localhost:3000", false),
        ("https://push.example", true),
    ] {
        let launch = ServerLaunch::on(BINARY, database.another().await);
        let server = start(launch.env("HATO_BASE_URL", base_url)).await;
        let reply = post(
            &server.client(),
            "/auth/register",
            &account("a@example.com"),
        )
        .await;
        let cookie = reply.header("set-cookie").expect("a cookie").to_owned();
        assert!(cookie.starts_with(&format!("hato_session={}; ", token(&reply))));
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=1209600"] {
            assert!(cookie.split("; ").any(|it| it == attribute), "{cookie}");
        }
        assert_eq!(
            cookie.split("; ").any(|it| it == "Secure"),
            secure,
            "{cookie}"
        );
        let cookie = format!("hato_session={}", token(&reply));
        let headers = [("cookie", cookie.as_str())];
        let session = send(&server.client(), Method::GET, "/auth/session", &headers, "").await;
        assert_eq!(session.status, 200);
    }
}

#[on_each_database]
async fn what_is_wrong_with_an_account_is_told(database: TestDatabase) {
    let server = server(database).await;
    let client = server.client();
    post(&client, "/auth/register", &account("a@example.com")).await;
    for (path, body, expected) in [
        (
            "/auth/register",
            account("A@example.com"),
            (409, "EMAIL_IN_USE"),
        ),
        (
            "/auth/register",
            account("no address"),
            (400, "INVALID_EMAIL"),
        ),
        (
            "/auth/register",
            json!({"email": "b@example.com"}),
            (400, "MISSING_FIELDS"),
        ),
        (
            "/auth/register",
            json!({"email": "b@example.com", "password": "short"}),
            (400, "INVALID_INPUT"),
        ),
        (
            "/auth/login",
            json!({"email": "a@example.com", "password": "wrong"}),
            (401, "INVALID_CREDENTIALS"),
        ),
        (
            "/auth/login",
            account("unknown@example.com"),
            (401, "INVALID_CREDENTIALS"),
        ),
        (
            "/auth/login",
            json!({"email": "a@example.com", "password": "x".repeat(129)}),
            (400, "INVALID_INPUT"),
        ),
        (
            "/auth/login",
            json!({"password": "x"}),
            (400, "MISSING_FIELDS"),
        ),
    ] {
        let reply = post(&client, path, &body).await;
        let (status, code) = expected;
        assert_eq!(
            status_and_code(&reply),
            (status, code.into()),
            "{path} {body}"
        );
    }
}

#[on_each_database]
async fn a_closed_server_registers_nobody(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_REGISTRATION", "closed")).await;
    let reply = post(
        &server.client(),
        "/auth/register",
        &account("a@example.com"),
    )
    .await;
    assert_eq!(status_and_code(&reply), (403, "REGISTRATION_CLOSED".into()));
}

#[on_each_database]
async fn a_closed_server_looks_at_no_registration(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_REGISTRATION", "closed")).await;
    let client = server.client();
    let large = "x".repeat(256 * 1024 + 1);
    for body in ["no json", r#"{"email": "no address"}"#, &large] {
        let reply = send(
            &client,
            Method::POST,
            "/auth/register",
            &[],
            body.to_owned(),
        )
        .await;
        assert_eq!(status_and_code(&reply), (403, "REGISTRATION_CLOSED".into()));
    }
    let form = send(&client, Method::POST, "/_app/register", &[], "email=a").await;
    assert_eq!(form.status, 403, "{form}");
    let elsewhere = [("origin", "https://evil.example")];
    let reply = send(&client, Method::POST, "/auth/register", &elsewhere, "{}").await;
    assert_eq!(status_and_code(&reply), (403, "INVALID_ORIGIN".into()));
    let reply = send(&client, Method::POST, "/auth/register", &[], "{}").await;
    assert_eq!(status_and_code(&reply), (429, "RATE_LIMITED".into()));
}

#[tokio::test]
async fn a_browser_reads_refusals_as_a_page() {
    let server = server(TestDatabase::sqlite().await).await;
    for (path, status) in [
        ("/auth/session", 401),
        ("/auth/unknown", 404),
        ("/auth/login", 405),
    ] {
        let headers = [("accept", "text/html,*/*")];
        let page = send(&server.client(), Method::GET, path, &headers, "").await;
        assert_eq!(page.status, status, "{path}");
        let kind = page.header("content-type").expect("a type");
        assert!(kind.starts_with("text/html"), "{path}: {kind}");
        let json = get(&server.client(), path).await;
        assert_eq!(
            json.header("content-type"),
            Some("application/json"),
            "{path}"
        );
    }
}
