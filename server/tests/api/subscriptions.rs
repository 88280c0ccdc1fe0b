//! Registering and removing browsers (SPEC 4.1 to 4.4).

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{app, get, post, registration, setup, snapshot, status_and_code};

const ENDPOINT: &str = "https://push.example.com/1";

#[on_each_database]
async fn registering_is_an_upsert_on_the_endpoint(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let mut ids = Vec::new();
    for (client, status) in [(&app.frontend, 201), (&app.backend, 200), (&app.admin, 200)] {
        let reply = post(client, "/api/v1/subscriptions", &registration(ENDPOINT)).await;
        assert_eq!(reply.status, status, "{reply}");
        let body = reply.json();
        ids.push(body["id"].as_str().expect("an id").to_owned());
        assert_eq!(body, json!({"id": ids[0]}));
    }
    assert!(ids[0].starts_with("sub_"));
    assert_eq!(snapshot(&app).await["app"]["active_subscriptions"], 1);
}

#[on_each_database]
async fn two_apps_may_hold_the_same_endpoint(database: TestDatabase) {
    let (server, first) = setup(database).await;
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
    assert_eq!(snapshot(&first).await["app"]["active_subscriptions"], 0);
    assert_eq!(snapshot(&second).await["app"]["active_subscriptions"], 1);
}

#[on_each_database]
async fn unsubscribing_is_idempotent_and_can_be_undone(database: TestDatabase) {
    let (_server, app) = setup(database).await;
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
        assert_eq!(snapshot(&app).await["app"]["active_subscriptions"], 0);
    }
    let again = post(
        &app.frontend,
        "/api/v1/subscriptions",
        &registration(ENDPOINT),
    )
    .await;
    let reactivated = json!({"id": first.json()["id"], "reactivated": true});
    assert_eq!((again.status.as_u16(), again.json()), (200, reactivated));
    assert_eq!(snapshot(&app).await["app"]["active_subscriptions"], 1);
}

/// Registers `endpoint` in the place of `replaced`; the number of the app's active subscriptions.
async fn replace(app: &OwnedApp, path: &str, endpoint: &str, replaced: &Value) -> Value {
    let mut body = registration(endpoint);
    body["replaces"] = replaced.clone();
    let reply = post(&app.frontend, path, &body).await;
    assert!(reply.status.is_success(), "{reply}");
    snapshot(app).await["app"]["active_subscriptions"].clone()
}

#[on_each_database]
async fn a_new_endpoint_deactivates_the_one_that_it_replaces(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let paths = [
        "/api/v1/subscriptions".to_owned(),
        format!("/api/v1/apps/{}/subscriptions", app.id),
    ];
    let mut replaced = json!(null);
    for (path, number) in paths.iter().cycle().zip(1..=4) {
        let endpoint = format!("https://push.example.com/{number}");
        assert_eq!(replace(&app, path, &endpoint, &replaced).await, 1);
        replaced = json!(endpoint);
    }
    // Itself, nothing, and what nobody knows.
    for nothing in [&replaced, &json!(""), &json!("https://push.example.com/9")] {
        let endpoint = "https://push.example.com/4";
        assert_eq!(replace(&app, &paths[0], endpoint, nothing).await, 1);
    }
    let back = post(&app.frontend, &paths[0], &registration(ENDPOINT)).await;
    assert_eq!(back.json()["reactivated"], true);
}

#[on_each_database]
async fn nobody_replaces_an_endpoint_of_another_app(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    let path = "/api/v1/subscriptions";
    let mut theirs = registration(ENDPOINT);
    theirs["tags"] = json!(["theirs"]);
    post(&first.backend, path, &theirs).await;
    let before = subscribers(&first).await;
    let stolen = "https://push.example.com/2";
    assert_eq!(replace(&second, path, stolen, &json!(ENDPOINT)).await, 1);
    assert_eq!(snapshot(&first).await["app"]["active_subscriptions"], 1);
    assert_eq!(subscribers(&first).await, before);
    let own = subscribers(&second).await;
    assert_eq!(own["items"][0]["tags"], json!([]), "{own}");
}

/// The list of an app's subscriptions.
async fn subscribers(app: &OwnedApp) -> Value {
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    get(&app.owner, &path).await.json()
}

#[on_each_database]
async fn what_is_no_endpoint_cannot_be_unsubscribed(database: TestDatabase) {
    let (_server, app) = setup(database).await;
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
        assert_eq!(status_and_code(&reply), (400, code.into()), "{body}");
    }
}

#[on_each_database]
async fn every_scope_reads_the_public_key(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let expected = json!({"publicKey": app.vapid_public_key, "appId": app.id});
    for client in [&app.frontend, &app.backend, &app.admin] {
        assert_eq!(
            get(client, "/api/v1/vapid-public-key").await.json(),
            expected
        );
    }
    assert_eq!(app.vapid_public_key.len(), 87);
}

async fn register(client: &Client, app: &str, endpoint: &str) -> Reply {
    let path = format!("/api/v1/apps/{app}/subscriptions");
    post(client, &path, &registration(endpoint)).await
}

#[on_each_database]
async fn both_forms_of_registering_are_the_same(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let first = register(&app.frontend, &app.id, ENDPOINT).await;
    assert_eq!(first.status, 201, "{first}");
    let id = first.json()["id"].clone();
    assert_eq!(first.json(), json!({"id": id}));
    for client in [&app.backend, &app.admin] {
        let again = register(client, &app.id, ENDPOINT).await;
        assert_eq!((again.status.as_u16(), again.json()), (200, first.json()));
    }
    let by_key = post(
        &app.frontend,
        "/api/v1/subscriptions",
        &registration(ENDPOINT),
    )
    .await;
    assert_eq!((by_key.status.as_u16(), by_key.json()), (200, first.json()));
    assert_eq!(snapshot(&app).await["app"]["active_subscriptions"], 1);
}

#[on_each_database]
async fn both_forms_refuse_the_same(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    for id in [second.id.as_str(), "nonsense", "%ff"] {
        let reply = register(&first.admin, id, ENDPOINT).await;
        assert_eq!(
            status_and_code(&reply),
            (403, "APP_MISMATCH".into()),
            "{id}"
        );
    }
    let reply = register(&first.owner, &first.id, ENDPOINT).await;
    assert_eq!(status_and_code(&reply), (401, "UNAUTHORIZED".into()));
    for (member, value, code) in [
        ("endpoint", json!(null), "MISSING_FIELDS"),
        ("p256dh", json!(""), "MISSING_FIELDS"),
        ("auth", json!(null), "MISSING_FIELDS"),
        (
            "endpoint",
            json!("http://push.example.com/1"),
            "INVALID_URL",
        ),
        ("endpoint", json!("https://10.0.0.1/1"), "INVALID_ENDPOINT"),
        ("p256dh", json!("AA"), "INVALID_INPUT"),
        ("platform", json!("x".repeat(101)), "INVALID_INPUT"),
        (
            "replaces",
            json!("http://push.example.com/1"),
            "INVALID_URL",
        ),
        ("replaces", json!("https://"), "INVALID_ENDPOINT"),
        (
            "replaces",
            json!(["https://push.example.com/1"]),
            "INVALID_INPUT",
        ),
    ] {
        let mut body = registration(ENDPOINT);
        body[member] = value;
        for path in [
            "/api/v1/subscriptions".to_owned(),
            format!("/api/v1/apps/{}/subscriptions", first.id),
        ] {
            let reply = post(&first.frontend, &path, &body).await;
            assert_eq!(status_and_code(&reply), (400, code.into()), "{path} {body}");
        }
    }
    assert_eq!(snapshot(&first).await["app"]["active_subscriptions"], 0);
}
