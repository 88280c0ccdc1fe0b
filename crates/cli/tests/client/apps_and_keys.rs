//! Apps, keys and what is known about them.

use hato_testkit::owner::PASSWORD;

use crate::stage::{EMAIL, Stage};

async fn signed_in() -> Stage {
    let stage = Stage::new().await;
    let login = stage.hato(&["login", "--email", EMAIL]).input(PASSWORD);
    login.done().await;
    stage
}

#[tokio::test]
async fn apps_are_created_shown_listed_and_deleted() {
    let stage = signed_in().await;
    let only = &stage.app.id;
    let shown = stage.hato(&["apps", "show"]).json().await;
    assert_eq!(shown["appId"], **only);
    let refused = stage.hato(&["apps", "create", "Second"]).ran().await;
    assert_eq!(refused.refusal(), (5, "PLAN_LIMIT_EXCEEDED"));
    assert!(refused.errors.contains("/pricing"), "{refused:?}");

    stage.hato(&["apps", "delete", only]).done().await;
    assert_eq!(
        stage.hato(&["apps", "list"]).json().await,
        serde_json::json!([])
    );
    let none = stage.hato(&["apps", "show"]).ran().await;
    assert_eq!(none.refusal(), (2, "usage"));

    let made = stage.hato(&["apps", "create", "鳩の店"]).json().await;
    let id = made["appId"].as_str().expect("an id");
    let table = stage.hato(&["apps", "list"]).done().await;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 2, "{table}");
    assert!(
        lines[0].starts_with("ID ") && lines[1].starts_with(id),
        "{table}"
    );
    assert!(lines[1].contains("鳩の店"), "{table}");
    let text = stage.hato(&["apps", "show", id]).done().await;
    assert!(
        text.contains(made["vapid_public_key"].as_str().expect("a key")),
        "{text}"
    );
}

#[tokio::test]
async fn a_key_is_printed_once_used_and_deleted() {
    let stage = signed_in().await;
    let created = stage.hato(&["keys", "create", "ci", "--scope", "notify"]);
    let key = created.done().await.trim().to_owned();
    assert!(key.starts_with("pk_") && key.len() == 67, "{key}");

    let sent = stage
        .hato(&["notify", "Hello", "It works."])
        .env("HATO_KEY", &key);
    assert!(sent.done().await.contains("Queued for 0 recipients."));
    let keys = stage.hato(&["keys", "list"]).json().await;
    let keys = keys.as_array().expect("a list");
    let ci = keys
        .iter()
        .find(|it| it["name"] == "ci")
        .expect("it is listed");
    assert!(ci["last_used_at"].is_i64() && ci["key"].is_null(), "{ci}");

    let id = ci["id"].as_str().expect("an id");
    stage.hato(&["keys", "delete", id]).done().await;
    let again = stage.hato(&["keys", "delete", id]).ran().await;
    assert_eq!(again.refusal(), (3, "NOT_FOUND"));
    let dead = stage
        .hato(&["notify", "a", "b"])
        .env("HATO_KEY", &key)
        .ran()
        .await;
    assert_eq!(dead.refusal(), (4, "INVALID_API_KEY"));
    let events = stage.hato(&["key-events", "--limit", "2"]).json().await;
    let events: Vec<_> = events["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["event"])
        .collect();
    assert_eq!(events, ["deleted", "created"]);
}

#[tokio::test]
async fn a_scope_that_does_not_exist_is_wrong_usage() {
    let stage = signed_in().await;
    let ran = stage
        .hato(&["keys", "create", "x", "--scope", "root"])
        .ran()
        .await;
    assert_eq!(ran.code, 2);
    assert!(ran.errors.contains("subscribe_only"), "{ran:?}");
}

#[tokio::test]
async fn a_webhook_needs_the_pro_plan() {
    let stage = signed_in().await;
    let set = stage
        .hato(&["webhook", "set", "https://hooks.example.com/"])
        .ran()
        .await;
    assert_eq!(set.refusal(), (5, "PLAN_REQUIRED"));
    let cleared = stage.hato(&["webhook", "clear"]).json().await;
    assert_eq!(
        cleared,
        serde_json::json!({"ok": true, "webhook_url": null})
    );
}

#[tokio::test]
async fn statistics_are_those_of_the_api() {
    let stage = signed_in().await;
    let shown = stage.hato(&["stats"]).json().await;
    let path = format!("/api/v1/apps/{}/stats", stage.app.id);
    let told = stage.app.owner.get(&path).await.expect("an answer").json();
    assert_eq!(shown, told);
    let text = stage.hato(&["stats"]).done().await;
    assert!(text.contains("this month       0 of 30000"), "{text}");
}
