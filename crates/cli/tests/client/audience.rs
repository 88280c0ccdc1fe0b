//! Who subscribes, and whom a send would go to.

use serde_json::{Value, json};

use crate::setup::CliSetup;

/// Three browsers: two of a user, of which one has left, and one of nobody.
async fn setup() -> CliSetup {
    let setup = CliSetup::new().await;
    for (name, user, tags) in [
        ("a", "山田 4711", json!(["news", "_plan:pro"])),
        ("b", "山田 4711", json!([])),
        ("c", "", json!(["news"])),
    ] {
        let body = json!({
            "endpoint": format!("https://{name}.example/1"), "user_id": user, "tags": tags, "lang": "ja",
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        });
        let registered = setup.app.admin.post("/api/v1/subscriptions", &body).await;
        assert_eq!(registered.expect("an answer").status, 201);
    }
    let leave = ["subscriptions", "remove", "https://b.example/1"];
    let leave = setup.with_key("subscribe_only", &leave).await;
    leave.success().await;
    setup
}

/// The first letters of the hosts on a page.
fn names(page: &Value) -> String {
    let items = page["items"].as_array().expect("a list").iter();
    let endpoints = items.map(|item| item["endpoint"].as_str().expect("a text"));
    endpoints.filter_map(|it| it.chars().nth(8)).collect()
}

#[tokio::test]
async fn subscriptions_are_listed_by_user_tag_and_state() {
    let setup = setup().await;
    let cases: [(&[&str], &str); 8] = [
        (&[], "cba"),
        (&["--limit", "2"], "cb"),
        (&["--user", "山田 4711"], "ba"),
        (&["--user", "nobody"], ""),
        (&["--tag", "news"], "ca"),
        (&["--tag", "_plan:pro", "--state", "active"], "a"),
        (&["--state", "deactivated"], "b"),
        (
            &["--state", "active", "--user", "山田 4711", "--tag", "news"],
            "a",
        ),
    ];
    for (conditions, found) in cases {
        let line = [&["subscriptions", "list"], conditions].concat();
        let page = setup.with_key("full", &line).await.json().await;
        assert_eq!(names(&page), found, "{conditions:?}");
    }
    let path = format!("/api/v1/apps/{}/subscriptions", setup.app.id);
    let all = setup.app.owner.get(&path).await.expect("an answer").json();
    let line = ["subscriptions", "list"];
    assert_eq!(setup.with_key("full", &line).await.json().await, all);

    let table = setup.with_key("full", &line).await.success().await;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(lines[0].starts_with("ID ") && lines[0].ends_with("  ENDPOINT"));
    assert!(lines[1].contains("  active  ") && lines[1].contains("  news  "));
    assert!(lines[2].contains("  deactivated  unsubscribed  "));
    assert!(lines[3].contains("  山田 4711  _plan:pro,news  ja  "));
    assert!(lines[3].ends_with("  https://a.example/1"), "{table}");
}

#[tokio::test]
async fn a_list_of_subscriptions_goes_on_where_it_ended() {
    let setup = setup().await;
    let line = ["subscriptions", "list", "--tag", "news", "--limit", "1"];
    let first = setup.with_key("full", &line).await.json().await;
    let before = first["next_before"].to_string();
    let id = first["next_before_id"].as_str().expect("an id");
    let rest = [&line[..], &["--before", &before, "--before-id", id]].concat();
    let rest = setup.with_key("full", &rest).await.json().await;
    assert_eq!((names(&first), names(&rest)), ("c".into(), "a".into()));
}

#[tokio::test]
async fn an_audience_is_told_by_age_and_host() {
    let setup = setup().await;
    let path = format!("/api/v1/apps/{}/audience?tags=news", setup.app.id);
    let tagged = setup.app.owner.get(&path).await.expect("an answer").json();
    let line = ["audience", "--tags", "news"];
    assert_eq!(setup.with_key("full", &line).await.json().await, tagged);
    assert_eq!(tagged["recipients"], 2);
    let own = ["audience", "--user", "山田 4711", "--tags", "news && !beta"];
    let own = setup.with_key("full", &own).await.json().await;
    assert_eq!(own["recipients"], 1);

    let shown = setup.with_key("full", &["audience"]).await.success().await;
    let expected = "\
recipients      2
took last send  0

AGE_DAYS  RECIPIENTS  TOOK_LAST_SEND
0-30      2           0
31-90     0           0
91-270    0           0
271+      0           0

HOST       RECIPIENTS  TOOK_LAST_SEND
a.example  1           0
c.example  1           0
";
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn what_is_no_user_tag_or_state_is_wrong_usage() {
    let setup = CliSetup::new().await;
    for line in [
        &["subscriptions", "list", "--user", ""][..],
        &["subscriptions", "list", "--tag", "a b"],
        &["subscriptions", "list", "--tag", "タグ"],
        &["subscriptions", "list", "--state", "gone"],
        &["subscriptions", "list", "--limit", "0"],
        &["audience", "--tags", "news &&"],
        &["audience", "--tags", ""],
        &["audience", "--user", ""],
    ] {
        let output = setup.with_key("full", line).await.output().await;
        assert_eq!(output.code, 2, "{output:?}");
    }
    for line in [&["subscriptions", "list"][..], &["audience"]] {
        let output = setup.with_key("notify", line).await.output().await;
        assert_eq!(output.error_code(), (4, "INSUFFICIENT_SCOPE"));
    }
}
