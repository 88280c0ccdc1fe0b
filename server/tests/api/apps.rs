//! Apps (CONTRACT 4, SPEC 8).

use hato_testkit::server::Launch;
use serde_json::json;

use crate::stage::{BINARY, app, get, post, refused, stage, start};

#[tokio::test]
async fn an_app_is_shown_alike_everywhere() {
    let (_server, app) = stage().await;
    let path = format!("/api/v1/apps/{}", app.id);
    let shown = get(&app.owner, &path).await.json();
    assert_eq!(get(&app.admin, &path).await.json(), shown);
    assert_eq!(get(&app.owner, "/api/v1/apps").await.json(), json!([shown]));
    let created_at = shown["created_at"].as_i64().expect("a time");
    let expected = json!({
        "appId": app.id,
        "name": "Test app",
        "vapid_public_key": app.vapid_public_key,
        "webhook_url": null,
        "vapid_subject": "mailto:admin@example.com",
        "plan": "free",
        "active_subscriptions": 0,
        "created_at": created_at,
    });
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn the_free_plan_has_one_app() {
    let (_server, app) = stage().await;
    let reply = post(&app.owner, "/api/v1/apps", &json!({"name": "Second"})).await;
    assert_eq!(reply.status, 403);
    let expected = json!({
        "error": "現在のプランで作成できるアプリ数の上限に達しました。",
        "code": "PLAN_LIMIT_EXCEEDED",
        "upgrade_url": "http://localhost:3000/pricing",
    });
    assert_eq!(reply.json(), expected);
}

#[tokio::test]
async fn pro_has_no_such_limit() {
    let server = start(Launch::new(BINARY).env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let reply = post(&app.owner, "/api/v1/apps", &json!({"name": " Second "})).await;
    assert_eq!(reply.status, 201, "{reply}");
    assert_eq!(reply.json()["name"], "Second");
    assert_eq!(reply.json()["plan"], "pro");
    let apps = get(&app.owner, "/api/v1/apps").await.json();
    assert_eq!(apps.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_name_has_1_to_100_characters() {
    let (_server, app) = stage().await;
    for (name, code) in [
        ("  ".to_owned(), "MISSING_FIELDS"),
        ("鳩".repeat(101), "INVALID_INPUT"),
    ] {
        let reply = post(&app.owner, "/api/v1/apps", &json!({"name": name})).await;
        assert_eq!(refused(&reply), (400, code.into()), "{name}");
    }
}
