//! The VAPID keys of an app (CONTRACT 16).

mod deliveries;
mod export;
mod import;

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{app, get, post, registration, setup, status_and_code};

/// A key that openssl made, and its public half.
pub const PRIVATE: &str = "hoJBPPBuAxchRE-9HlTEBl_qUK7kZuP_X7WF_fE2I44";
const PUBLIC: &str =
    "BOE2goHZF-IS08XYN7y9wWfCqo1Z68zaCaVWBQn4DloX-AU2580Ws3Q8WlNzkclSNPpVTV0WATfclTpWoiN6uco";

/// Where the app's keys are, or one of them.
fn path(app: &OwnedApp, rest: &str) -> String {
    format!("/api/v1/apps/{}/vapid-keys{rest}", app.id)
}

async fn list(app: &OwnedApp) -> Vec<Value> {
    let keys = get(&app.admin, &path(app, "")).await;
    assert_eq!(keys.status, 200, "{keys}");
    keys.json().as_array().expect("a bare array").clone()
}

/// Adds a key, and returns it as it is shown.
async fn add(client: &Client, app: &OwnedApp, body: &Value) -> Value {
    let added = post(client, &path(app, ""), body).await;
    assert_eq!(added.status, 201, "{added}");
    added.json()
}

async fn make_primary(app: &OwnedApp, key: &Value) -> Reply {
    let id = key["id"].as_str().expect("an id");
    post(
        &app.owner,
        &path(app, &format!("/{id}/primary")),
        &json!({}),
    )
    .await
}

async fn delete(app: &OwnedApp, key: &Value) -> Reply {
    let id = key["id"].as_str().expect("an id");
    let deleted = app.admin.delete(&path(app, &format!("/{id}"))).await;
    deleted.expect("an answer")
}

/// What the API says that browsers are to subscribe with.
async fn public_key(app: &OwnedApp) -> Value {
    let shown = get(&app.frontend, "/api/v1/vapid-public-key").await.json();
    shown["publicKey"].clone()
}

async fn register(app: &OwnedApp, number: u32, vapid_public_key: Option<&str>) -> Reply {
    let mut body = registration(&format!("https://push.example.com/{number}"));
    if let Some(key) = vapid_public_key {
        body["vapid_public_key"] = key.into();
    }
    post(&app.backend, "/api/v1/subscriptions", &body).await
}

/// How many active subscriptions each key has, by its place in the list.
async fn counts(app: &OwnedApp) -> Vec<i64> {
    let keys = list(app).await;
    let count = |key: &Value| key["active_subscriptions"].as_i64();
    keys.iter()
        .map(|key| count(key).expect("a number"))
        .collect()
}

#[on_each_database]
async fn an_app_begins_with_one_key_and_gets_others(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let [first] = &list(&app).await[..] else {
        panic!("one key")
    };
    assert_eq!(first["public_key"], app.vapid_public_key.as_str());
    assert_eq!(first["primary"], true);
    assert_eq!(first["active_subscriptions"], 0);
    let shown = get(&app.owner, &format!("/api/v1/apps/{}", app.id))
        .await
        .json();
    assert_eq!(first["created_at"], shown["created_at"]);

    let made = add(&app.owner, &app, &json!({})).await;
    assert_eq!(made["primary"], false);
    assert_ne!(made["public_key"], first["public_key"]);
    let imported = add(&app.admin, &app, &json!({"private_key": PRIVATE})).await;
    assert_eq!(imported["public_key"], PUBLIC);
    assert_eq!(list(&app).await, [first.clone(), made, imported]);
    assert_eq!(public_key(&app).await, first["public_key"]);
}

#[on_each_database]
async fn another_key_becomes_the_primary_one_and_back(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let made = add(&app.owner, &app, &json!({})).await;
    for key in [&made, &made, &list(&app).await[0]] {
        let done = make_primary(&app, key).await;
        assert_eq!(
            (done.status.as_u16(), done.json()),
            (200, json!({"ok": true}))
        );
        let primary: Vec<_> = list(&app)
            .await
            .into_iter()
            .filter(|it| it["primary"] == true)
            .collect();
        let [primary] = &primary[..] else {
            panic!("one primary key: {primary:?}")
        };
        assert_eq!(primary["id"], key["id"]);
        assert_eq!(primary["created_at"], key["created_at"]);
        assert_eq!(public_key(&app).await, key["public_key"]);
        let shown = get(&app.owner, &format!("/api/v1/apps/{}", app.id))
            .await
            .json();
        assert_eq!(shown["vapid_public_key"], key["public_key"]);
    }
}

#[on_each_database]
async fn a_registration_names_its_key_or_gets_the_one_that_it_should(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let first = app.vapid_public_key.clone();
    let second = add(&app.owner, &app, &json!({})).await;
    let second_key = second["public_key"].as_str().expect("a key");
    // New endpoints: the primary one, or the one that is named.
    register(&app, 1, None).await;
    register(&app, 2, Some(second_key)).await;
    assert_eq!(counts(&app).await, [1, 1]);
    make_primary(&app, &second).await;
    register(&app, 3, None).await;
    assert_eq!(counts(&app).await, [1, 2]);
    // Known ones keep theirs until they name another.
    register(&app, 1, None).await;
    assert_eq!(counts(&app).await, [1, 2]);
    register(&app, 1, Some(second_key)).await;
    assert_eq!(counts(&app).await, [0, 3]);
    register(&app, 2, Some(&format!("{first}="))).await;
    assert_eq!(counts(&app).await, [1, 2]);
    // One that comes back keeps its key as well.
    unsubscribe(&app, 2).await;
    assert_eq!(counts(&app).await, [0, 2]);
    register(&app, 2, None).await;
    assert_eq!(counts(&app).await, [1, 2]);
}

async fn unsubscribe(app: &OwnedApp, number: u32) {
    let body = json!({"endpoint": format!("https://push.example.com/{number}")});
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let done = app.backend.delete_with(&path, &body).await;
    assert_eq!(done.expect("an answer").status, 200);
}

#[on_each_database]
async fn a_key_that_is_not_the_apps_is_refused(database: TestDatabase) {
    let (server, own) = setup(database).await;
    let other = app(&server, "other@example.com").await;
    for key in [
        &other.vapid_public_key,
        PUBLIC,
        "short",
        "é",
        &"A".repeat(87),
    ] {
        let reply = register(&own, 1, Some(key)).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{key}"
        );
    }
    assert_eq!(counts(&own).await, [0]);
    let empty = register(&own, 1, Some("")).await;
    assert_eq!(empty.status, 201, "{empty}");
}

#[on_each_database]
async fn a_key_goes_when_nobody_has_it(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let second = add(&app.owner, &app, &json!({})).await;
    let first = list(&app).await[0].clone();
    register(&app, 1, None).await;
    register(&app, 2, None).await;
    let in_use = (409, "KEY_IN_USE".to_owned());
    assert_eq!(
        status_and_code(&delete(&app, &first).await),
        in_use,
        "it is primary"
    );
    make_primary(&app, &second).await;
    assert_eq!(
        status_and_code(&delete(&app, &second).await),
        in_use,
        "it is primary"
    );
    assert_eq!(
        status_and_code(&delete(&app, &first).await),
        in_use,
        "two have it"
    );
    unsubscribe(&app, 1).await;
    assert_eq!(
        status_and_code(&delete(&app, &first).await),
        in_use,
        "one has it"
    );
    unsubscribe(&app, 2).await;
    let gone = delete(&app, &first).await;
    assert_eq!(
        (gone.status.as_u16(), gone.json()),
        (200, json!({"ok": true}))
    );
    assert_eq!(
        status_and_code(&delete(&app, &first).await),
        (404, "NOT_FOUND".into())
    );
    // Whoever comes back with a key that is gone gets the primary one.
    let reply = register(&app, 1, first["public_key"].as_str()).await;
    assert_eq!(status_and_code(&reply), (400, "INVALID_INPUT".into()));
    register(&app, 1, None).await;
    assert_eq!(counts(&app).await, [1]);
    let third = add(&app.owner, &app, &json!({})).await;
    assert_eq!(third["active_subscriptions"], 0);
}

#[on_each_database]
async fn only_keys_of_the_app_are_found(database: TestDatabase) {
    let (server, own) = setup(database).await;
    let other = app(&server, "other@example.com").await;
    let foreign = add(&other.owner, &other, &json!({})).await;
    let foreign = foreign["id"].as_str().expect("an id");
    for id in [foreign, "vapid_", "nonsense", "%27", "%ff"] {
        let primary = path(&own, &format!("/{id}/primary"));
        let replies = [
            post(&own.admin, &primary, &json!({})).await,
            own.owner
                .delete(&path(&own, &format!("/{id}")))
                .await
                .expect("an answer"),
        ];
        for reply in replies {
            assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()), "{id}");
        }
    }
    assert_eq!(list(&other).await.len(), 2);
}

#[on_each_database]
async fn what_happens_to_a_key_is_told(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let made = add(&app.owner, &app, &json!({})).await;
    let imported = add(&app.admin, &app, &json!({"private_key": PRIVATE})).await;
    make_primary(&app, &imported).await;
    make_primary(&app, &imported).await;
    delete(&app, &made).await;
    let events = format!("/api/v1/apps/{}/key-events?limit=4", app.id);
    let events = get(&app.owner, &events).await.json();
    let events: Vec<_> = events["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|event| {
            assert_eq!(event["key_scope"], "vapid");
            let subject = ["event", "key_id", "key_name"].map(|name| event[name].clone());
            (subject, event["actor"]["type"].clone())
        })
        .collect();
    let event = |name: &str, key: &Value, by: &str| {
        (
            [json!(name), key["id"].clone(), key["public_key"].clone()],
            json!(by),
        )
    };
    let expected = [
        event("vapid_deleted", &made, "api_key"),
        event("vapid_primary", &imported, "user"),
        event("vapid_imported", &imported, "api_key"),
        event("vapid_created", &made, "user"),
    ];
    assert_eq!(events, expected);
}
