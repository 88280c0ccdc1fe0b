//! Which credential opens what (SPEC 5, CONTRACT 3).

use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use http::Method;

use crate::stage::{app, refused, send, stage};

const ANYBODY: &str = "app_00000000000000000000000000000000";

/// Every endpoint with a method, its path in this app, and the code that each credential gets: none, a session, and keys
/// from the lowest scope to the highest ("" is let through to the body).
fn matrix(app: &str) -> Vec<(Method, String, [&'static str; 4])> {
    const UNAUTHORIZED: &str = "UNAUTHORIZED";
    const SCOPE: &str = "INSUFFICIENT_SCOPE";
    let path = |rest: &str| format!("/api/v1{rest}");
    let of_app = |rest: &str| format!("/api/v1/apps/{app}{rest}");
    vec![
        (
            Method::POST,
            path("/subscriptions"),
            [UNAUTHORIZED, "", "", ""],
        ),
        (
            Method::DELETE,
            of_app("/subscriptions"),
            [UNAUTHORIZED, "", "", ""],
        ),
        (
            Method::GET,
            path("/vapid-public-key"),
            [UNAUTHORIZED, "", "", ""],
        ),
        (Method::POST, of_app("/keys"), ["", SCOPE, SCOPE, ""]),
        (Method::GET, of_app("/keys"), ["", SCOPE, SCOPE, ""]),
        (Method::POST, path("/notify"), [UNAUTHORIZED, SCOPE, "", ""]),
        (Method::POST, of_app("/notify"), ["", SCOPE, SCOPE, ""]),
        (
            Method::GET,
            of_app("/notifications"),
            ["", SCOPE, SCOPE, ""],
        ),
        (Method::POST, path("/apps"), ["", SCOPE, SCOPE, SCOPE]),
        (Method::GET, path("/apps"), ["", SCOPE, SCOPE, SCOPE]),
        (Method::GET, of_app(""), ["", SCOPE, SCOPE, ""]),
    ]
}

fn clients(app: &OwnedApp) -> [&Client; 4] {
    [&app.owner, &app.frontend, &app.backend, &app.admin]
}

/// An empty body is refused by whatever reads it, after access was decided.
async fn code(client: &Client, method: &Method, path: &str) -> String {
    let reply = send(client, method.clone(), path, &[], "").await;
    match reply.code().as_str() {
        "MISSING_FIELDS" => String::new(),
        code => code.to_owned(),
    }
}

#[tokio::test]
async fn each_credential_opens_what_it_should() {
    let (_server, app) = stage().await;
    for (method, path, expected) in matrix(&app.id) {
        for (client, expected) in clients(&app).into_iter().zip(expected) {
            assert_eq!(
                code(client, &method, &path).await,
                expected,
                "{method} {path}"
            );
        }
    }
}

#[tokio::test]
async fn nothing_opens_without_a_credential() {
    let (server, app) = stage().await;
    let nobody = server.client();
    let malformed = [
        "Basic dTpw",
        "Bearer",
        "Bearer a b",
        &format!("pk_{}", "0".repeat(64)),
    ];
    for (method, path, _) in matrix(&app.id) {
        assert_eq!(
            code(&nobody, &method, &path).await,
            "UNAUTHORIZED",
            "{method} {path}"
        );
    }
    for header in malformed {
        let headers = [("authorization", header)];
        let reply = send(&nobody, Method::GET, "/api/v1/apps", &headers, "").await;
        assert_eq!(refused(&reply), (401, "UNAUTHORIZED".into()), "{header}");
    }
}

#[tokio::test]
async fn a_dead_session_opens_nothing() {
    let (server, app) = stage().await;
    let dead = server.client().bearer("dead");
    for (method, path, _) in matrix(&app.id) {
        assert_eq!(
            code(&dead, &method, &path).await,
            "INVALID_SESSION",
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn the_header_wins_over_the_cookie() {
    let (server, app) = stage().await;
    let nobody = server.client();
    let login = serde_json::json!({"email": "owner@example.com", "password": hato_testkit::owner::PASSWORD});
    let reply = crate::stage::post(&nobody, "/auth/login", &login)
        .await
        .json();
    let cookie = format!(
        "hato_session={}",
        reply["session_token"].as_str().expect("a token")
    );
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

#[tokio::test]
async fn a_key_is_bound_to_its_app() {
    let (server, first) = stage().await;
    let second = app(&server, "other@example.com").await;
    for other in [second.id.as_str(), ANYBODY, "nonsense", "%ff"] {
        for (method, path, expected) in matrix(other) {
            if !path.contains(other) {
                continue;
            }
            let is_text = other != "%ff";
            let expected_full = if is_text { "APP_MISMATCH" } else { "NOT_FOUND" };
            assert_eq!(
                code(&first.admin, &method, &path).await,
                expected_full,
                "{method} {path}"
            );
            if expected[2] == "INSUFFICIENT_SCOPE" && is_text {
                let low = code(&first.backend, &method, &path).await;
                assert_eq!(low, "INSUFFICIENT_SCOPE", "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn a_session_does_not_see_the_apps_of_others() {
    let (server, first) = stage().await;
    let second = app(&server, "other@example.com").await;
    for other in [second.id.as_str(), ANYBODY, "nonsense"] {
        for (method, path, expected) in matrix(other) {
            if path.contains(other) && expected[0].is_empty() {
                assert_eq!(
                    code(&first.owner, &method, &path).await,
                    "NOT_FOUND",
                    "{method} {path}"
                );
            }
        }
    }
}

#[tokio::test]
async fn the_body_is_looked_at_last() {
    let (_server, app) = stage().await;
    let large = vec![b' '; 300 * 1024];
    let path = format!("/api/v1/apps/{}/keys", app.id);
    let reply = send(&app.backend, Method::POST, &path, &[], large.clone()).await;
    assert_eq!(refused(&reply), (403, "INSUFFICIENT_SCOPE".into()));
    let reply = send(&app.admin, Method::POST, &path, &[], large).await;
    assert_eq!(refused(&reply), (413, "PAYLOAD_TOO_LARGE".into()));
}
