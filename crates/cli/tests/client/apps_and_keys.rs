//! Apps, keys and what is known about them.

use hato_testkit::owner::PASSWORD;
use serde_json::json;

use crate::setup::{CliSetup, EMAIL};

async fn logged_in() -> CliSetup {
    let setup = CliSetup::new().await;
    let login = setup.hato(&["login", "--email", EMAIL]).input(PASSWORD);
    login.success().await;
    setup
}

#[tokio::test]
async fn apps_are_created_shown_listed_and_deleted() {
    let setup = logged_in().await;
    let only = &setup.app.id;
    let shown = setup.hato(&["apps", "show"]).json().await;
    assert_eq!(shown["appId"], **only);
    let refused = setup.hato(&["apps", "create", "Second"]).output().await;
    assert_eq!(refused.error_code(), (5, "PLAN_LIMIT_EXCEEDED"));
    assert!(refused.stderr.contains("/pricing"), "{refused:?}");

    setup.hato(&["apps", "delete", only]).success().await;
    assert_eq!(setup.hato(&["apps", "list"]).json().await, json!([]));
    let none = setup.hato(&["apps", "show"]).output().await;
    assert_eq!(none.error_code(), (2, "usage"));

    let made = setup.hato(&["apps", "create", "鳩の店"]).json().await;
    let id = made["appId"].as_str().expect("an id");
    let table = setup.hato(&["apps", "list"]).success().await;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 2, "{table}");
    assert!(
        lines[0].starts_with("ID ") && lines[1].starts_with(id),
        "{table}"
    );
    assert!(lines[1].contains("鳩の店"), "{table}");
    let text = setup.hato(&["apps", "show", id]).success().await;
    assert!(
        text.contains(made["vapid_public_key"].as_str().expect("a key")),
        "{text}"
    );
}

#[tokio::test]
async fn a_key_is_printed_once_used_and_deleted() {
    let setup = logged_in().await;
    let created = setup.hato(&["keys", "create", "ci", "--scope", "notify"]);
    let key = created.success().await.trim().to_owned();
    assert!(key.starts_with("pk_") && key.len() == 67, "{key}");

    let sent = setup
        .hato(&["notify", "Hello", "It works."])
        .env("HATO_KEY", &key);
    assert!(sent.success().await.contains("Queued for 0 recipients."));
    let keys = setup.hato(&["keys", "list"]).json().await;
    let keys = keys.as_array().expect("a list");
    let ci = keys
        .iter()
        .find(|it| it["name"] == "ci")
        .expect("it is listed");
    assert!(ci["last_used_at"].is_i64() && ci["key"].is_null(), "{ci}");

    let id = ci["id"].as_str().expect("an id");
    setup.hato(&["keys", "delete", id]).success().await;
    let again = setup.hato(&["keys", "delete", id]).output().await;
    assert_eq!(again.error_code(), (3, "NOT_FOUND"));
    let dead = setup
        .hato(&["notify", "a", "b"])
        .env("HATO_KEY", &key)
        .output()
        .await;
    assert_eq!(dead.error_code(), (4, "INVALID_API_KEY"));
    let events = setup.hato(&["key-events", "--limit", "2"]).json().await;
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
    let setup = logged_in().await;
    let output = setup
        .hato(&["keys", "create", "x", "--scope", "root"])
        .output()
        .await;
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("subscribe_only"), "{output:?}");
}

#[tokio::test]
async fn a_webhook_needs_the_pro_plan() {
    let setup = logged_in().await;
    let set = setup
        .hato(&["webhook", "set", "https://hooks.example.com/"])
        .output()
        .await;
    assert_eq!(set.error_code(), (5, "PLAN_REQUIRED"));
    let cleared = setup.hato(&["webhook", "clear"]).json().await;
    let expected = json!({
        "ok": true, "webhook_url": null, "site_url": null, "declarative": false, "tracking": "off",
    });
    assert_eq!(cleared, expected);
}

#[tokio::test]
async fn what_an_app_says_of_its_messages_is_set_and_shown() {
    let setup = logged_in().await;
    let site = "https://shop.example/";
    let refused = setup
        .hato(&["apps", "set", "--declarative", "true"])
        .output()
        .await;
    assert_eq!(refused.error_code(), (3, "INVALID_INPUT"));
    let set = ["apps", "set", "--site-url", site, "--declarative", "true"];
    let changed = setup.hato(&set).json().await;
    let shown = (
        &changed["site_url"],
        &changed["declarative"],
        &changed["tracking"],
    );
    assert_eq!(shown, (&json!(site), &json!(true), &json!("off")));
    let set = ["apps", "set", "--tracking", "counts"];
    let lines = setup.hato(&set).output().await.stdout;
    assert!(lines.contains("counts") && lines.contains(site), "{lines}");
    let shown = setup.hato(&["apps", "show"]).output().await.stdout;
    assert!(shown.contains(site) && shown.contains("counts"), "{shown}");
    let nothing = setup.hato(&["apps", "set"]).output().await;
    assert_eq!(nothing.code, 2);
}

#[tokio::test]
async fn statistics_are_those_of_the_api() {
    let setup = logged_in().await;
    let shown = setup.hato(&["stats"]).json().await;
    let path = format!("/api/v1/apps/{}/stats", setup.app.id);
    let expected = setup.app.owner.get(&path).await.expect("an answer").json();
    assert_eq!(shown, expected);
    let text = setup.hato(&["stats"]).success().await;
    assert!(text.contains("this month       0 of 30000"), "{text}");
}
