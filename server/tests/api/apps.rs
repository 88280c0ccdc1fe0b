//! Apps (SPEC 4.13, 4.14, 8, CONTRACT 4).

use hato_testkit::client::{Client, Reply};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, get, post, registration, setup, snapshot, start, status_and_code,
};

async fn delete(client: &Client, path: &str) -> Reply {
    client.delete(path).await.expect("an answer")
}

async fn patch(client: &Client, path: &str, body: &Value) -> Reply {
    client.patch(path, body).await.expect("an answer")
}

#[on_each_database]
async fn an_app_is_shown_alike_everywhere(database: TestDatabase) {
    let (_server, app) = setup(database).await;
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
        "site_url": null,
        "declarative": false,
        "tracking": "off",
    });
    assert_eq!(shown, expected);
}

#[on_each_database]
async fn the_free_plan_has_one_app(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let reply = post(&app.owner, "/api/v1/apps", &json!({"name": "Second"})).await;
    assert_eq!(reply.status, 403);
    let expected = json!({
        "error": "現在のプランで作成できるアプリ数の上限に達しました。",
        "code": "PLAN_LIMIT_EXCEEDED",
        "upgrade_url": "http://localhost:3000/pricing",
    });
    assert_eq!(reply.json(), expected);
}

#[on_each_database]
async fn pro_has_no_such_limit(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let reply = post(&app.owner, "/api/v1/apps", &json!({"name": " Second "})).await;
    assert_eq!(reply.status, 201, "{reply}");
    assert_eq!(reply.json()["name"], "Second");
    assert_eq!(reply.json()["plan"], "pro");
    let apps = get(&app.owner, "/api/v1/apps").await.json();
    assert_eq!(apps.as_array().map(Vec::len), Some(2));
}

#[on_each_database]
async fn a_name_has_1_to_100_characters(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for (name, code) in [
        ("  ".to_owned(), "MISSING_FIELDS"),
        ("鳩".repeat(101), "INVALID_INPUT"),
    ] {
        let reply = post(&app.owner, "/api/v1/apps", &json!({"name": name})).await;
        assert_eq!(status_and_code(&reply), (400, code.into()), "{name}");
    }
}

#[on_each_database]
async fn a_deleted_app_is_gone_for_everybody(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let (gone, other) = (
        app(&server, "owner@example.com").await,
        app(&server, "other@example.com").await,
    );
    for app in [&gone, &other] {
        let endpoint = registration("https://push.example.com/1");
        post(&app.frontend, "/api/v1/subscriptions", &endpoint).await;
        let message = json!({"title": "t", "body": "b"});
        let sent = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(sent.json()["queued"], 1, "{sent}");
    }
    let before = snapshot(&other).await;
    let path = format!("/api/v1/apps/{}", gone.id);
    let reply = delete(&gone.admin, &path).await;
    assert_eq!(
        (reply.status.as_u16(), reply.json()),
        (200, json!({"ok": true}))
    );
    for rest in ["", "/keys", "/key-events", "/notifications", "/stats"] {
        let path = format!("{path}{rest}");
        for key in [&gone.frontend, &gone.backend, &gone.admin] {
            assert_eq!(
                status_and_code(&get(key, &path).await),
                (401, "INVALID_API_KEY".into())
            );
        }
        assert_eq!(
            status_and_code(&get(&gone.owner, &path).await),
            (404, "NOT_FOUND".into())
        );
    }
    assert_eq!(
        status_and_code(&delete(&gone.owner, &path).await),
        (404, "NOT_FOUND".into())
    );
    assert_eq!(get(&gone.owner, "/api/v1/apps").await.json(), json!([]));
    assert_eq!(snapshot(&other).await, before);
}

#[on_each_database]
async fn what_a_deleted_app_sent_still_counts(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    let endpoint = registration("https://push.example.com/1");
    post(&app.frontend, "/api/v1/subscriptions", &endpoint).await;
    let message = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &message).await;
    let gone = delete(&app.owner, &format!("/api/v1/apps/{}", app.id)).await;
    assert_eq!(gone.status, 200, "{gone}");
    app.owner
        .create_app("Next")
        .await
        .expect("room for another");
    let stats = get(&app.owner, "/api/v1/stats").await.json();
    let of_app = (&stats["totalSent"], &stats["activeSubscribers"]);
    assert_eq!(of_app, (&json!(0), &json!(0)));
    assert_eq!(stats["monthlySent"], 1);
}

/// The answer to a change of an app on which nothing else is set.
fn updated(set: &Value) -> Value {
    let mut answer = json!({
        "ok": true,
        "webhook_url": null,
        "site_url": null,
        "declarative": false,
        "tracking": "off",
    });
    for (member, value) in set.as_object().expect("members") {
        answer[member] = value.clone();
    }
    answer
}

#[on_each_database]
async fn what_an_app_says_of_its_messages_needs_no_plan(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}", app.id);
    let site = json!("https://shop.example/鳩");
    for (body, answer) in [
        (json!({"tracking": "counts"}), json!({"tracking": "counts"})),
        (
            json!({"site_url": site}),
            json!({"tracking": "counts", "site_url": site}),
        ),
        (
            json!({"declarative": true, "tracking": null, "site_url": site}),
            json!({"tracking": "counts", "site_url": site, "declarative": true}),
        ),
        (
            json!({"webhook_url": null, "tracking": "off", "declarative": ""}),
            json!({"site_url": site, "declarative": true}),
        ),
        (json!({"site_url": null, "declarative": false}), json!({})),
        (
            json!({"site_url": site, "declarative": true}),
            json!({"site_url": site, "declarative": true}),
        ),
        (json!({"declarative": false, "site_url": ""}), json!({})),
    ] {
        let reply = patch(&app.admin, &path, &body).await;
        let expected = updated(&answer);
        assert_eq!(
            (reply.status.as_u16(), reply.json()),
            (200, expected),
            "{body}"
        );
        let shown = get(&app.owner, &path).await.json();
        for member in ["site_url", "declarative", "tracking"] {
            assert_eq!(shown[member], reply.json()[member], "{body}");
        }
    }
}

#[on_each_database]
async fn a_change_of_an_app_is_made_whole_or_not_at_all(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}", app.id);
    let alone = patch(&app.owner, &path, &json!({"declarative": true})).await;
    assert_eq!(status_and_code(&alone), (400, "INVALID_INPUT".into()));
    let set = json!({"site_url": "https://shop.example/", "declarative": true});
    let before = patch(&app.owner, &path, &set).await.json();
    let hook = "https://hooks.example.com/1";
    for (body, expected) in [
        (json!({}), (400, "MISSING_FIELDS")),
        (
            json!({"declarative": null, "tracking": ""}),
            (400, "MISSING_FIELDS"),
        ),
        (json!({"site_url": null}), (400, "INVALID_INPUT")),
        (
            json!({"site_url": "", "tracking": "counts"}),
            (400, "INVALID_INPUT"),
        ),
        (json!({"declarative": "true"}), (400, "INVALID_INPUT")),
        (json!({"tracking": "people"}), (400, "INVALID_INPUT")),
        (
            json!({"site_url": "http://shop.example/", "tracking": "counts"}),
            (400, "INVALID_URL"),
        ),
        (
            json!({"tracking": "counts", "webhook_url": hook}),
            (403, "PLAN_REQUIRED"),
        ),
        (
            json!({"webhook_url": hook, "site_url": null}),
            (400, "INVALID_INPUT"),
        ),
    ] {
        let (status, code) = expected;
        let reply = patch(&app.owner, &path, &body).await;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{body}");
        let shown = get(&app.owner, &path).await.json();
        for member in ["webhook_url", "site_url", "declarative", "tracking"] {
            assert_eq!(shown[member], before[member], "{body}");
        }
    }
}

#[on_each_database]
async fn a_webhook_takes_the_pro_plan(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}", app.id);
    let url = json!({"webhook_url": "https://hooks.example.com/hato"});
    let reply = patch(&app.owner, &path, &url).await;
    let expected = json!({
        "error": reply.json()["error"],
        "code": "PLAN_REQUIRED",
        "upgrade_url": "http://localhost:3000/pricing",
    });
    assert_eq!((reply.status.as_u16(), reply.json()), (403, expected));
    assert!(get(&app.owner, &path).await.json()["webhook_url"].is_null());
    for nothing in [json!(null), json!("")] {
        let reply = patch(&app.admin, &path, &json!({"webhook_url": nothing})).await;
        let expected = updated(&json!({}));
        assert_eq!((reply.status.as_u16(), reply.json()), (200, expected));
    }
}

#[on_each_database]
async fn a_webhook_is_set_replaced_and_cleared(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let path = format!("/api/v1/apps/{}", app.id);
    for (input, url) in [
        (
            json!("https://hooks.example.com/1"),
            json!("https://hooks.example.com/1"),
        ),
        (
            json!("https://hooks.example.com/2"),
            json!("https://hooks.example.com/2"),
        ),
        (json!(""), json!(null)),
        (
            json!("https://hooks.example.com/3"),
            json!("https://hooks.example.com/3"),
        ),
        (json!(null), json!(null)),
    ] {
        let reply = patch(&app.admin, &path, &json!({"webhook_url": input})).await;
        let expected = updated(&json!({"webhook_url": url}));
        assert_eq!((reply.status.as_u16(), reply.json()), (200, expected));
        assert_eq!(get(&app.owner, &path).await.json()["webhook_url"], url);
    }
}

#[on_each_database]
async fn what_is_no_webhook_is_refused_before_the_plan_is_looked_at(database: TestDatabase) {
    for plan in ["free", "pro"] {
        let launch = ServerLaunch::on(BINARY, database.another().await);
        let server = start(launch.env("HATO_DEFAULT_PLAN", plan)).await;
        let app = app(&server, "owner@example.com").await;
        let path = format!("/api/v1/apps/{}", app.id);
        for (body, code) in [
            (json!({}), "MISSING_FIELDS"),
            (json!({"webhook_url": 1}), "INVALID_INPUT"),
            (
                json!({"webhook_url": ["https://a.example/"]}),
                "INVALID_INPUT",
            ),
            (json!({"webhook_url": "http://a.example/"}), "INVALID_URL"),
            (json!({"webhook_url": "https://"}), "INVALID_URL"),
            (
                json!({"webhook_url": "https://u:p@a.example/"}),
                "INVALID_URL",
            ),
            (json!({"webhook_url": "https://10.0.0.1/"}), "INVALID_URL"),
            (json!({"webhook_url": "https://[::1]/"}), "INVALID_URL"),
            (
                json!({"webhook_url": format!("https://a.example/{}", "x".repeat(2_048))}),
                "INVALID_URL",
            ),
        ] {
            let reply = patch(&app.owner, &path, &body).await;
            assert_eq!(status_and_code(&reply), (400, code.into()), "{body}");
        }
        assert!(get(&app.owner, &path).await.json()["webhook_url"].is_null());
    }
}

#[on_each_database]
async fn a_webhook_may_be_where_the_operator_allows(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_DEFAULT_PLAN", "pro")
        .env("HATO_OUTBOUND_ALLOW", "10.0.0.0/8");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let path = format!("/api/v1/apps/{}", app.id);
    for (url, status) in [("https://10.0.0.1/", 200), ("https://127.0.0.1/", 400)] {
        let reply = patch(&app.owner, &path, &json!({"webhook_url": url})).await;
        assert_eq!(reply.status, status, "{reply}");
    }
}
