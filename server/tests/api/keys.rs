//! API keys (SPEC 3.3, 4.6, 4.7).

use hato_service::ports::{Clock as _, SystemClock};
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, get, post, registration, setup, start, status_and_code, subscribe, wait_until,
};

#[on_each_database]
async fn a_raw_key_is_shown_once(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}/keys", app.id);
    for (client, scope) in [(&app.owner, "subscribe_only"), (&app.admin, "full")] {
        let reply = post(client, &path, &json!({"name": " CI ", "scope": scope})).await;
        assert_eq!(reply.status, 201, "{reply}");
        let mut made = reply.json();
        let raw = made["key"].take();
        let raw = raw
            .as_str()
            .and_then(|key| key.strip_prefix("pk_"))
            .expect("a raw key");
        let digits = |key: &str| key.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        assert!(raw.len() == 64 && digits(raw));
        assert_eq!(
            (&made["name"], &made["scope"]),
            (&json!("CI"), &json!(scope))
        );
        assert!(made["last_used_at"].is_null() && made["created_at"].is_i64());
        made.as_object_mut().expect("an object").remove("key");
        let list = get(client, &path).await;
        assert!(!list.text().contains(raw));
        let list = list.json();
        assert_eq!(list.as_array().and_then(|keys| keys.last()), Some(&made));
    }
}

#[on_each_database]
async fn what_is_wrong_with_a_key_is_told(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}/keys", app.id);
    for (body, code) in [
        (json!({"scope": "full"}), "MISSING_FIELDS"),
        (json!({"name": "", "scope": "full"}), "MISSING_FIELDS"),
        (json!({"name": "CI"}), "INVALID_SCOPE"),
        (json!({"name": "CI", "scope": "Full"}), "INVALID_SCOPE"),
        (
            json!({"name": "x".repeat(101), "scope": "full"}),
            "INVALID_INPUT",
        ),
    ] {
        let reply = post(&app.owner, &path, &body).await;
        assert_eq!(status_and_code(&reply), (400, code.into()), "{body}");
    }
}

#[on_each_database]
async fn the_last_use_is_seen_at_once_and_survives_a_restart(database: TestDatabase) {
    let (mut server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}/keys", app.id);
    let used = |keys: &Value| {
        let mut keys = keys.as_array().into_iter().flatten();
        let key = keys.find(|key| key["name"] == "frontend");
        key.map_or(Value::Null, |key| key["last_used_at"].clone())
    };
    assert!(used(&get(&app.owner, &path).await.json()).is_null());
    let endpoint = registration("https://push.example.com/1");
    post(&app.frontend, "/api/v1/subscriptions", &endpoint).await;
    let at = used(&get(&app.owner, &path).await.json());
    assert!(at.is_i64());
    let status = server.terminate().await.expect("it stops");
    assert_eq!(status.code(), Some(0));
    server.restart().await.expect("it starts again");
    let session = server
        .client()
        .log_in("owner@example.com", hato_testkit::owner::PASSWORD)
        .await;
    let owner = server.client().bearer(&session.expect("a session"));
    wait_until(&owner, &path, |keys| used(keys) == at).await;
}

/// The id of the app's key with this name.
async fn key_id(app: &OwnedApp, name: &str) -> String {
    let keys = get(&app.owner, &format!("/api/v1/apps/{}/keys", app.id)).await;
    let keys = keys.json();
    let mut keys = keys.as_array().into_iter().flatten();
    let key = keys.find(|key| key["name"] == name).expect("the key");
    key["id"].as_str().expect("an id").to_owned()
}

async fn delete(client: &Client, app: &OwnedApp, key: &str) -> Reply {
    let path = format!("/api/v1/apps/{}/keys/{key}", app.id);
    client.delete(&path).await.expect("an answer")
}

#[on_each_database]
async fn a_deleted_key_opens_nothing_at_once(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for (client, name, used) in [
        (&app.owner, "frontend", &app.frontend),
        (&app.admin, "backend", &app.backend),
        (&app.admin, "admin", &app.admin),
    ] {
        let id = key_id(&app, name).await;
        let before = get(used, "/api/v1/vapid-public-key").await;
        assert_eq!(before.status, 200, "{before}");
        let gone = delete(client, &app, &id).await;
        assert_eq!(
            (gone.status.as_u16(), gone.json()),
            (200, json!({"ok": true}))
        );
        let after = get(used, "/api/v1/vapid-public-key").await;
        assert_eq!(
            status_and_code(&after),
            (401, "INVALID_API_KEY".into()),
            "{name}"
        );
        let again = delete(&app.owner, &app, &id).await;
        assert_eq!(status_and_code(&again), (404, "NOT_FOUND".into()), "{name}");
    }
    let path = format!("/api/v1/apps/{}/keys", app.id);
    assert_eq!(get(&app.owner, &path).await.json(), json!([]));
}

#[on_each_database]
async fn only_a_key_of_the_app_can_be_deleted(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    let foreign = key_id(&second, "frontend").await;
    let unknown = format!("key_{}", "0".repeat(32));
    for id in [foreign.as_str(), &unknown, "nonsense", "key_%27", "%ff"] {
        for client in [&first.owner, &first.admin] {
            let reply = delete(client, &first, id).await;
            assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()), "{id}");
        }
    }
    let reply = get(&second.frontend, "/api/v1/vapid-public-key").await;
    assert_eq!(reply.status, 200, "{reply}");
}

/// The server delivers nothing, so that what is queued stays there.
async fn without_delivery(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    subscribe(&app, 3).await;
    (server, app)
}

/// A send of this client, scheduled or not; its path.
async fn sent(app: &OwnedApp, client: &Client, members: &Value) -> String {
    let mut message = json!({"title": "t", "body": "b"});
    let members = members.as_object().expect("an object").clone();
    message.as_object_mut().expect("an object").extend(members);
    let reply = post(client, "/api/v1/notify", &message).await;
    assert_eq!(reply.status, 202, "{reply}");
    let id = reply.json()["send_id"].as_str().expect("an id").to_owned();
    format!("/api/v1/apps/{}/notifications/{id}", app.id)
}

fn tomorrow() -> Value {
    json!({"send_at": SystemClock.now().0 + 24 * 3_600_000})
}

async fn statuses<const N: usize>(app: &OwnedApp, paths: &[String; N]) -> [Value; N] {
    let mut statuses = [const { Value::Null }; N];
    for (status, path) in statuses.iter_mut().zip(paths) {
        *status = get(&app.owner, path).await.json()["status"].take();
    }
    statuses
}

#[on_each_database]
async fn what_a_key_has_sent_goes_with_it_where_that_is_asked_for(database: TestDatabase) {
    let (_server, app) = without_delivery(database).await;
    let sends = [
        sent(&app, &app.backend, &tomorrow()).await,
        sent(&app, &app.backend, &json!({})).await,
        sent(&app, &app.admin, &tomorrow()).await,
        sent(&app, &app.admin, &json!({})).await,
    ];
    let backend = key_id(&app, "backend").await;
    let wrong = delete(&app.owner, &app, &format!("{backend}?cancel_sends=yes")).await;
    assert_eq!(status_and_code(&wrong), (400, "INVALID_INPUT".into()));

    let gone = delete(&app.admin, &app, &format!("{backend}?cancel_sends=true")).await;
    assert_eq!(
        (gone.status.as_u16(), gone.json()),
        (200, json!({"ok": true}))
    );
    let expected = ["cancelled", "cancelled", "scheduled", "queued"];
    assert_eq!(statuses(&app, &sends).await, expected);
    let again = delete(&app.owner, &app, &format!("{backend}?cancel_sends=true")).await;
    assert_eq!(status_and_code(&again), (404, "NOT_FOUND".into()));

    // A key that is only replaced leaves its sends alone, and they can be cancelled later.
    let admin = key_id(&app, "admin").await;
    assert_eq!(delete(&app.owner, &app, &admin).await.status, 200);
    assert_eq!(statuses(&app, &sends).await, expected);
    let rest = delete(&app.owner, &app, &format!("{admin}?cancel_sends=true")).await;
    assert_eq!(rest.status, 200, "{rest}");
    assert_eq!(statuses(&app, &sends).await, ["cancelled"; 4]);
}
