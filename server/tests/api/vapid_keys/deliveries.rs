//! Deliveries are signed with the key that each subscription was made with; the push service refuses any other.

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{BrowserSubscription, PushService};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{PRIVATE, add, make_primary};
use crate::fixtures::{BINARY, app, post, start, wait_until};

async fn connected(database: TestDatabase) -> (PushService, HatoServer, OwnedApp) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    (push, server, app)
}

/// Registers browsers that have subscribed with this key, and say so.
async fn subscribe(
    push: &PushService,
    app: &OwnedApp,
    key: &str,
    count: usize,
) -> Vec<BrowserSubscription> {
    let browsers = push.subscribe_many(Some(key), count);
    for browser in &browsers {
        let mut body = browser.registration();
        body["vapid_public_key"] = key.into();
        let reply = post(&app.frontend, "/api/v1/subscriptions", &body).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    browsers
}

/// Sends a message to everybody, and waits until it is done.
async fn broadcast(app: &OwnedApp) -> Value {
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    let id = sent.json()["send_id"].as_str().expect("an id").to_owned();
    let path = format!("/api/v1/apps/{}/notifications/{id}", app.id);
    wait_until(&app.owner, &path, |send| send["status"] == "done").await
}

#[on_each_database]
async fn each_browser_is_pushed_to_with_its_own_key(database: TestDatabase) {
    let (push, mut server, app) = connected(database).await;
    let imported = add(&app.owner, &app, &json!({"private_key": PRIVATE})).await;
    let made = add(&app.owner, &app, &json!({})).await;
    subscribe(&push, &app, &app.vapid_public_key, 2).await;
    for key in [&imported, &made] {
        subscribe(&push, &app, key["public_key"].as_str().expect("a key"), 2).await;
    }
    let send = broadcast(&app).await;
    assert_eq!(
        (&send["sent_count"], &send["failed_count"]),
        (&json!(6), &json!(0))
    );
    make_primary(&app, &made).await;
    let send = broadcast(&app).await;
    assert_eq!(
        (&send["sent_count"], &send["failed_count"]),
        (&json!(6), &json!(0))
    );
    // Each key has signed once for the push service, however many recipients have it.
    assert_eq!(push.tokens(), 3);
    // Nothing is kept in memory then.
    let status = server.terminate().await.expect("it stops");
    assert_eq!(status.code(), Some(0));
    server.restart().await.expect("it starts again");
    let message = json!({"title": "t", "body": "b"});
    let backend = app.backend.at(server.client().address());
    assert_eq!(post(&backend, "/api/v1/notify", &message).await.status, 202);
    push.wait_until(|seen| seen.total.created == 18).await;
    assert_eq!(push.tokens(), 6);
    push.assert_no_violations();
}

#[on_each_database]
async fn a_browser_moves_to_the_primary_key_with_who_it_is(database: TestDatabase) {
    let (push, _server, app) = connected(database).await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 1);
    let mut old = browsers[0].registration();
    old["user_id"] = "user-1".into();
    old["tags"] = json!(["news"]);
    let reply = post(&app.backend, "/api/v1/subscriptions", &old).await;
    assert_eq!(reply.status, 201, "{reply}");
    let made = add(&app.owner, &app, &json!({})).await;
    make_primary(&app, &made).await;
    let key = made["public_key"].as_str().expect("a key");
    old["vapid_public_key"] = app.vapid_public_key.as_str().into();
    let registered = post(&app.backend, "/api/v1/subscriptions", &old).await;
    assert_eq!(registered.json()["vapid_public_key"], key, "{registered}");
    let mut new = push.subscribe(Some(key)).registration();
    new["vapid_public_key"] = key.into();
    new["replaces"] = old["endpoint"].clone();
    let reply = post(&app.frontend, "/api/v1/subscriptions", &new).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["vapid_public_key"]),
        (201, &Value::Null)
    );
    let message = json!({"title": "t", "body": "b", "to": {"tags": "news"}});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(
        (sent.status.as_u16(), &sent.json()["queued"]),
        (202, &json!(1)),
        "{sent}"
    );
    push.wait_until(|seen| seen.total.created == 1).await;
    push.assert_no_violations();
}
