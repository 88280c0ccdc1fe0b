//! Registering and removing browsers (SPEC 4.1, 4.3, 4.4).

use serde_json::json;

use crate::stage::{app, everything, get, post, refused, registration, stage};

const ENDPOINT: &str = "https://push.example.com/1";

#[tokio::test]
async fn registering_is_an_upsert_on_the_endpoint() {
    let (_server, app) = stage().await;
    let mut ids = Vec::new();
    for (client, status) in [(&app.frontend, 201), (&app.backend, 200), (&app.admin, 200)] {
        let reply = post(client, "/api/v1/subscriptions", &registration(ENDPOINT)).await;
        assert_eq!(reply.status, status, "{reply}");
        let body = reply.json();
        ids.push(body["id"].as_str().expect("an id").to_owned());
        assert_eq!(body, json!({"id": ids[0]}));
    }
    assert!(ids[0].starts_with("sub_"));
    assert_eq!(everything(&app).await["app"]["active_subscriptions"], 1);
}

#[tokio::test]
async fn two_apps_may_hold_the_same_endpoint() {
    let (server, first) = stage().await;
    let second = app(&server, "other@example.com").await;
    for app in [&first, &second] {
        let reply = post(
            &app.frontend,
            "/api/v1/subscriptions",
            &registration(ENDPOINT),
        )
        .await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let path = format!("/api/v1/apps/{}/subscriptions", first.id);
    let gone = first
        .frontend
        .delete_with(&path, &json!({"endpoint": ENDPOINT}))
        .await;
    assert_eq!(gone.expect("an answer").status, 200);
    assert_eq!(everything(&first).await["app"]["active_subscriptions"], 0);
    assert_eq!(everything(&second).await["app"]["active_subscriptions"], 1);
}

#[tokio::test]
async fn unsubscribing_is_idempotent_and_can_be_undone() {
    let (_server, app) = stage().await;
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let first = post(
        &app.frontend,
        "/api/v1/subscriptions",
        &registration(ENDPOINT),
    )
    .await;
    for _ in 0..2 {
        let reply = app
            .frontend
            .delete_with(&path, &json!({"endpoint": ENDPOINT}))
            .await;
        let reply = reply.expect("an answer");
        assert_eq!(
            (reply.status.as_u16(), reply.json()),
            (200, json!({"ok": true}))
        );
        assert_eq!(everything(&app).await["app"]["active_subscriptions"], 0);
    }
    let again = post(
        &app.frontend,
        "/api/v1/subscriptions",
        &registration(ENDPOINT),
    )
    .await;
    assert_eq!((again.status.as_u16(), again.json()), (200, first.json()));
    assert_eq!(everything(&app).await["app"]["active_subscriptions"], 1);
}

#[tokio::test]
async fn what_is_no_endpoint_cannot_be_unsubscribed() {
    let (_server, app) = stage().await;
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    for (body, code) in [
        (json!({}), "MISSING_FIELDS"),
        (json!({"endpoint": ""}), "MISSING_FIELDS"),
        (
            json!({"endpoint": "http://push.example.com/1"}),
            "INVALID_URL",
        ),
        (json!({"endpoint": "https://"}), "INVALID_ENDPOINT"),
        (json!({"endpoint": 1}), "INVALID_INPUT"),
    ] {
        let reply = app
            .frontend
            .delete_with(&path, &body)
            .await
            .expect("an answer");
        assert_eq!(refused(&reply), (400, code.into()), "{body}");
    }
}

#[tokio::test]
async fn every_scope_reads_the_public_key() {
    let (_server, app) = stage().await;
    let expected = json!({"publicKey": app.vapid_public_key, "appId": app.id});
    for client in [&app.frontend, &app.backend, &app.admin] {
        assert_eq!(
            get(client, "/api/v1/vapid-public-key").await.json(),
            expected
        );
    }
    assert_eq!(app.vapid_public_key.len(), 87);
}
