//! Whom subscriptions belong to and what they care for: registration and `PATCH /api/v1/subscriptions` (CONTRACT 12).

mod refusals;
mod replacing;

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, post, registration, send, start, status_and_code};

pub const SUBSCRIPTIONS: &str = "/api/v1/subscriptions";
pub const ENDPOINT: &str = "https://push.example.com/1";
const OTHER: &str = "https://push.example.com/2";

/// A server that delivers nothing, and an app on it.
pub async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    (server, app)
}

/// The answer to a registration of the endpoint with these members.
pub async fn register(client: &Client, endpoint: &str, members: Value) -> Reply {
    post(
        client,
        SUBSCRIPTIONS,
        &with(registration(endpoint), members),
    )
    .await
}

/// The answer to a change of the endpoint's subscription.
pub async fn change(client: &Client, endpoint: &str, members: Value) -> Reply {
    let body = with(json!({"endpoint": endpoint}), members);
    let reply = client.patch(SUBSCRIPTIONS, &body).await;
    reply.expect("an answer")
}

/// What is stored of the endpoint's subscription, without its id.
pub async fn stored(app: &OwnedApp, endpoint: &str) -> Value {
    let reply = change(&app.frontend, endpoint, json!({})).await;
    assert_eq!(reply.status, 200, "{reply}");
    let mut stored = reply.json();
    stored.as_object_mut().expect("an object").remove("id");
    stored
}

fn with(mut body: Value, members: Value) -> Value {
    let Value::Object(members) = members else {
        panic!("no object: {members}");
    };
    body.as_object_mut().expect("an object").extend(members);
    body
}

fn profile(
    user_id: Option<&str>,
    tags: &[&str],
    lang: Option<&str>,
    time_zone: Option<&str>,
) -> Value {
    json!({"user_id": user_id, "tags": tags, "lang": lang, "time_zone": time_zone})
}

/// A profile that has tags alone.
fn tagged(tags: &[&str]) -> Value {
    profile(None, tags, None, None)
}

/// How many active subscriptions a send to this expression of tags is for.
async fn having(app: &OwnedApp, tags: &str) -> Value {
    let message = json!({"title": "t", "body": "b", "to": {"tags": tags}});
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(reply.status, 202, "{reply}");
    reply.json()["queued"].clone()
}

async fn unsubscribe(app: &OwnedApp, endpoint: &str) {
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let gone = json!({"endpoint": endpoint});
    let reply = app.frontend.delete_with(&path, &gone).await;
    assert_eq!(reply.expect("an answer").status, 200);
}

#[on_each_database]
async fn a_registration_sets_what_it_names_and_leaves_the_rest(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let all = json!({"user_id": "山田 4711", "tags": ["b", "a", "b", "_vip"], "lang": "ja",
                     "time_zone": "Asia/Tokyo", "user_token": "ignored"});
    let first = register(&app.backend, ENDPOINT, all).await;
    assert_eq!(first.status, 201, "{first}");
    let after = profile(
        Some("山田 4711"),
        &["_vip", "a", "b"],
        Some("ja"),
        Some("Asia/Tokyo"),
    );
    assert_eq!(stored(&app, ENDPOINT).await, after);
    let absent =
        json!({"user_id": null, "user_token": null, "tags": null, "lang": null, "time_zone": null});
    let empty = json!({"user_id": "", "user_token": "", "tags": "", "lang": "", "time_zone": ""});
    for nothing in [json!({}), absent, empty] {
        let again = register(&app.frontend, ENDPOINT, nothing).await;
        assert_eq!(again.status, 200, "{again}");
        assert_eq!(stored(&app, ENDPOINT).await, after);
    }
    let some = json!({"tags": ["c"], "time_zone": "Not/A_Zone"});
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let again = post(&app.admin, &path, &with(registration(ENDPOINT), some)).await;
    assert_eq!(again.status, 200, "{again}");
    let after = profile(Some("山田 4711"), &["c"], Some("ja"), Some("Not/A_Zone"));
    assert_eq!(stored(&app, ENDPOINT).await, after);
    assert_eq!(having(&app, "a || b || _vip").await, 0);
    assert_eq!(having(&app, "c").await, 1);
    register(&app.admin, ENDPOINT, json!({"tags": []})).await;
    assert_eq!(stored(&app, ENDPOINT).await["tags"], json!([]));
    assert_eq!(having(&app, "c").await, 0);
}

#[on_each_database]
async fn who_comes_back_keeps_everything(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let all = json!({"user_id": "u", "tags": ["a", "b"], "lang": "ja", "time_zone": "UTC"});
    register(&app.backend, ENDPOINT, all).await;
    let before = stored(&app, ENDPOINT).await;
    unsubscribe(&app, ENDPOINT).await;
    assert_eq!(having(&app, "a").await, 0);
    let back = register(&app.frontend, ENDPOINT, json!({})).await;
    assert_eq!(back.json()["reactivated"], true, "{back}");
    assert_eq!(stored(&app, ENDPOINT).await, before);
    assert_eq!(having(&app, "a && b").await, 1);
    unsubscribe(&app, ENDPOINT).await;
    register(&app.frontend, ENDPOINT, json!({"tags": ["c"]})).await;
    assert_eq!(stored(&app, ENDPOINT).await["tags"], json!(["c"]));
    assert_eq!(
        (having(&app, "a").await, having(&app, "c").await),
        (json!(0), json!(1))
    );
}

/// By whom a subscription is changed, how, and what it is like afterwards: one after the other.
fn changes(app: &OwnedApp) -> Vec<(&Client, Value, Value)> {
    let (lang, zone) = (Some("zh-Hant-TW"), Some("Etc/GMT+9"));
    let absent =
        json!({"lang": null, "time_zone": "", "tags": null, "add_tags": null, "remove_tags": ""});
    vec![
        (
            &app.backend,
            json!({"user_id": "u"}),
            profile(Some("u"), &[], None, None),
        ),
        (
            &app.frontend,
            json!({"user_id": "", "tags": ["b", "a"]}),
            profile(Some("u"), &["a", "b"], None, None),
        ),
        (
            &app.frontend,
            json!({"user_id": null, "lang": lang, "time_zone": zone}),
            profile(None, &["a", "b"], lang, zone),
        ),
        (
            &app.frontend,
            json!({"add_tags": ["c", "a"], "remove_tags": ["b", "x"]}),
            profile(None, &["a", "c"], lang, zone),
        ),
        (
            &app.frontend,
            absent,
            profile(None, &["a", "c"], None, zone),
        ),
        (
            &app.admin,
            json!({"time_zone": null, "add_tags": ["_vip"]}),
            tagged(&["_vip", "a", "c"]),
        ),
        (&app.frontend, json!({"tags": []}), tagged(&["_vip"])),
        (&app.admin, json!({"tags": []}), tagged(&[])),
    ]
}

#[on_each_database]
async fn a_change_answers_what_is_stored_afterwards(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let id = register(&app.frontend, ENDPOINT, json!({})).await.json()["id"].clone();
    let answer = change(&app.frontend, ENDPOINT, json!({})).await;
    let nothing = with(json!({"id": id}), tagged(&[]));
    assert_eq!((answer.status.as_u16(), answer.json()), (200, nothing));
    for (client, members, after) in changes(&app) {
        let answer = change(client, ENDPOINT, members.clone()).await;
        assert_eq!(answer.status, 200, "{members}: {answer}");
        let expected = with(json!({"id": id}), after.clone());
        assert_eq!(answer.json(), expected, "{members}");
        assert_eq!(stored(&app, ENDPOINT).await, after, "{members}");
        for tag in ["a", "b", "c", "_vip"] {
            let tags = after["tags"].as_array().expect("tags");
            let has = i64::from(tags.contains(&json!(tag)));
            assert_eq!(having(&app, tag).await, has, "{tag} after {members}");
        }
    }
}

#[on_each_database]
async fn only_active_subscriptions_of_the_keys_app_are_changed(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    register(&first.frontend, ENDPOINT, json!({"tags": ["a"]})).await;
    register(&first.frontend, OTHER, json!({})).await;
    unsubscribe(&first, OTHER).await;
    for (client, endpoint) in [
        (&second.frontend, ENDPOINT),
        (&second.admin, ENDPOINT),
        (&first.frontend, OTHER),
        (&first.admin, "https://push.example.com/9"),
    ] {
        for members in [json!({}), json!({"tags": ["b"]}), json!({"lang": null})] {
            let refused = change(client, endpoint, members).await;
            assert_eq!(
                status_and_code(&refused),
                (404, "NOT_FOUND".into()),
                "{endpoint}"
            );
        }
    }
    let session = change(&first.owner, ENDPOINT, json!({})).await;
    assert_eq!(status_and_code(&session), (401, "UNAUTHORIZED".into()));
    assert_eq!(stored(&first, ENDPOINT).await, tagged(&["a"]));
}

#[tokio::test]
async fn pages_of_other_origins_may_change_their_subscription() {
    let (_server, app) = setup(TestDatabase::sqlite().await).await;
    let headers = [
        ("origin", "https://shop.example"),
        ("access-control-request-method", "PATCH"),
        (
            "access-control-request-headers",
            "authorization,content-type",
        ),
    ];
    let preflight = send(&app.frontend, Method::OPTIONS, SUBSCRIPTIONS, &headers, "").await;
    let methods = preflight.header("access-control-allow-methods");
    assert!(
        methods.is_some_and(|it| it.contains("PATCH")),
        "{preflight}"
    );
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
}
