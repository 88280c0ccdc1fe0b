//! The order of checks: who asks, what they may, and only then what they ask for (CONTRACT 2, 3).

use hato_testkit::owner::PASSWORD;
use hato_testkit::server::HatoServer;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{app, post, send, setup, start, status_and_code};

/// A cookie with a new session of the owner.
async fn cookie(server: &HatoServer) -> String {
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    format!("hato_session={}", session.expect("a session"))
}

#[on_each_database]
async fn the_header_wins_over_the_cookie(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let nobody = server.client();
    let cookie = cookie(&server).await;
    for (header, expected) in [
        (None, 200),
        (Some("Bearer dead"), 401),
        (Some("Basic dTpw"), 401),
    ] {
        let mut headers = vec![("cookie", cookie.as_str())];
        headers.extend(header.map(|header| ("authorization", header)));
        let path = format!("/api/v1/apps/{}", app.id);
        let reply = send(&nobody, Method::GET, &path, &headers, "").await;
        assert_eq!(reply.status, expected, "{header:?}");
    }
}

#[on_each_database]
async fn the_body_is_looked_at_last(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    let large = vec![b' '; 300 * 1024];
    let keys = |app: &str| format!("/api/v1/apps/{app}/keys");
    for (client, path, expected) in [
        (&server.client(), keys(&first.id), (401, "UNAUTHORIZED")),
        (&first.backend, keys(&first.id), (403, "INSUFFICIENT_SCOPE")),
        (
            &first.backend,
            keys(&second.id),
            (403, "INSUFFICIENT_SCOPE"),
        ),
        (&first.admin, keys(&second.id), (403, "APP_MISMATCH")),
        (&first.owner, keys(&second.id), (404, "NOT_FOUND")),
        (&first.admin, keys(&first.id), (413, "PAYLOAD_TOO_LARGE")),
    ] {
        let (status, code) = expected;
        let reply = send(client, Method::POST, &path, &[], large.clone()).await;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{path}");
    }
}

#[on_each_database]
async fn the_origin_is_judged_after_the_credential_and_before_the_secret(database: TestDatabase) {
    let (mut server, app) = setup(database).await;
    server.terminate().await.expect("it stops");
    let bare = start(server.launch().clone().without_secrets()).await;
    let (live, dead) = (cookie(&bare).await, "hato_session=dead".to_owned());
    let path = format!("/api/v1/apps/{}/keys", app.id);
    for (cookie, site, expected) in [
        (&dead, "cross-site", (401, "INVALID_SESSION")),
        (&live, "cross-site", (403, "INVALID_ORIGIN")),
        (&live, "same-origin", (503, "CONFIG_ERROR")),
    ] {
        let (status, code) = expected;
        let headers = [("cookie", cookie.as_str()), ("sec-fetch-site", site)];
        let reply = send(&bare.client(), Method::POST, &path, &headers, "").await;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{site}");
    }
}

#[on_each_database]
async fn the_plan_is_asked_after_what_is_wrong_with_the_body(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let reply = post(&app.owner, "/api/v1/apps", &json!({"name": ""})).await;
    assert_eq!(status_and_code(&reply), (400, "MISSING_FIELDS".into()));
    let path = format!("/api/v1/apps/{}", app.id);
    for (url, expected) in [
        (json!("http://example.com/"), (400, "INVALID_URL")),
        (json!(1), (400, "INVALID_INPUT")),
        (json!("https://example.com/"), (403, "PLAN_REQUIRED")),
    ] {
        let (status, code) = expected;
        let reply = app.owner.patch(&path, &json!({"webhook_url": url})).await;
        assert_eq!(
            status_and_code(&reply.expect("an answer")),
            (status, code.into()),
            "{url}"
        );
    }
}
