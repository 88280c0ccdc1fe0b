//! When the key of a request is judged, and what a refusal leaves behind (CONTRACT 2, 6).

use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use super::{NOTIFY, answered, message, send_as, setup};
use crate::database::execute;
use crate::fixtures::{get, post, registration, send, snapshot, status_and_code};

#[on_each_database]
async fn a_refused_request_does_not_use_up_its_key(database: TestDatabase) {
    let (_server, app, _) = setup(database).await;
    let unknown = "https://push.example.com/new";
    let to_unknown = json!({"title": "t", "body": "b", "endpoint": unknown}).to_string();
    let large = json!({"title": "t", "body": "b".repeat(3_072)}).to_string();
    for (client, body, expected) in [
        (&app.backend, "{}", (400, "MISSING_FIELDS")),
        (&app.backend, "no json", (400, "INVALID_INPUT")),
        (&app.backend, &large, (413, "PAYLOAD_TOO_LARGE")),
        (&app.frontend, "{}", (403, "INSUFFICIENT_SCOPE")),
        (&app.backend, &to_unknown, (404, "NOT_FOUND")),
    ] {
        let (status, code) = expected;
        let reply = send_as("k", client, NOTIFY, body).await;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{body}");
    }
    post(
        &app.frontend,
        "/api/v1/subscriptions",
        &registration(unknown),
    )
    .await;
    answered(
        &send_as("k", &app.backend, NOTIFY, to_unknown.as_str()).await,
        false,
    );
    answered(&send_as("k", &app.backend, NOTIFY, to_unknown).await, true);
}

#[on_each_database]
async fn a_key_has_1_to_255_printable_characters(database: TestDatabase) {
    let (_server, app, _) = setup(database).await;
    for good in ["k", &"k".repeat(255), "!\"#~ {}"] {
        answered(
            &send_as(good, &app.backend, NOTIFY, message().to_string()).await,
            false,
        );
    }
    let before = snapshot(&app).await;
    for bad in ["", &"k".repeat(256), "鳩", "é", "a\tb"] {
        let reply = send_as(bad, &app.backend, NOTIFY, message().to_string()).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{bad}"
        );
    }
    let twice = [("idempotency-key", "a"), ("idempotency-key", "b")];
    let reply = send(
        &app.backend,
        Method::POST,
        NOTIFY,
        &twice,
        message().to_string(),
    )
    .await;
    assert_eq!(status_and_code(&reply), (400, "INVALID_INPUT".into()));
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn a_repetition_is_recognised_after_the_body_and_before_the_rest(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database).await;
    let to_one = json!({"title": "t", "body": "b", "endpoint": endpoints[0]}).to_string();
    let first = answered(
        &send_as("k", &app.backend, NOTIFY, to_one.clone()).await,
        false,
    );
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let gone = json!({"endpoint": endpoints[0]});
    app.frontend
        .delete_with(&path, &gone)
        .await
        .expect("an answer");
    let again = send_as("k", &app.backend, NOTIFY, to_one.clone()).await;
    assert_eq!(answered(&again, true), first);
    let fresh = send_as("fresh", &app.backend, NOTIFY, to_one.clone()).await;
    assert_eq!(status_and_code(&fresh), (404, "NOT_FOUND".into()));
    let large = json!({"title": "t", "body": "b".repeat(3_072)}).to_string();
    for (client, body, expected) in [
        (
            &app.backend,
            format!("{to_one} "),
            (409, "IDEMPOTENCY_CONFLICT"),
        ),
        (&app.backend, "{}".into(), (400, "MISSING_FIELDS")),
        (&app.backend, large, (413, "PAYLOAD_TOO_LARGE")),
        (&app.frontend, to_one, (403, "INSUFFICIENT_SCOPE")),
    ] {
        let (status, code) = expected;
        let reply = send_as("k", client, NOTIFY, body.clone()).await;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{body}");
    }
}

#[on_each_database]
async fn a_repetition_is_answered_when_the_month_is_used_up(database: TestDatabase) {
    let (server, app, _) = setup(database).await;
    let body = message().to_string();
    let first = answered(
        &send_as("k", &app.backend, NOTIFY, body.clone()).await,
        false,
    );
    execute(&server, "UPDATE monthly_usage SET recipients = 30000").await;
    let again = answered(
        &send_as("k", &app.backend, NOTIFY, body.clone()).await,
        true,
    );
    assert_eq!(again, first);
    for _ in 0..2 {
        let reply = send_as("later", &app.backend, NOTIFY, body.clone()).await;
        assert_eq!(
            status_and_code(&reply),
            (429, "MONTHLY_LIMIT_EXCEEDED".into())
        );
    }
    execute(&server, "UPDATE monthly_usage SET recipients = 0").await;
    answered(&send_as("later", &app.backend, NOTIFY, body).await, false);
}

#[on_each_database]
async fn other_endpoints_do_not_know_the_header(database: TestDatabase) {
    let (_server, app, _) = setup(database).await;
    let headers = [("idempotency-key", "")];
    let reply = send(
        &app.frontend,
        Method::GET,
        "/api/v1/vapid-public-key",
        &headers,
        "",
    )
    .await;
    assert_eq!(reply.status, 200, "{reply}");
    let keys = format!("/api/v1/apps/{}/keys", app.id);
    let body = json!({"name": "n", "scope": "full"}).to_string();
    for _ in 0..2 {
        let made = send_as("k", &app.owner, &keys, body.clone()).await;
        assert_eq!(answered(&made, false).0, 201);
    }
    assert_eq!(
        get(&app.owner, &keys).await.json().as_array().map(Vec::len),
        Some(5)
    );
}
