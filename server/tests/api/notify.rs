//! Sending, from the request to the browser (SPEC 4.8, 4.10).

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{PushService, ReceivedMessage};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, post, register, registration, setup, snapshot, start, status_and_code, wait_until,
};

async fn connected(database: TestDatabase) -> (PushService, HatoServer, OwnedApp) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    (push, server, app)
}

fn done(history: &Value) -> bool {
    history["items"]
        .as_array()
        .is_some_and(|sends| !sends.is_empty() && sends.iter().all(|send| send["status"] == "done"))
}

#[on_each_database]
async fn a_notification_reaches_every_browser(database: TestDatabase) {
    let (push, _server, app) = connected(database).await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 3);
    for browser in &browsers {
        let reply = post(
            &app.frontend,
            "/api/v1/subscriptions",
            &browser.registration(),
        )
        .await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let message = json!({"title": "題", "body": "本文", "url": "https://example.com/"});
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(reply.status, 202, "{reply}");
    let accepted = reply.json();
    assert_eq!(
        (&accepted["ok"], &accepted["queued"]),
        (&json!(true), &json!(3))
    );

    push.wait_until(|seen| seen.subscriptions_served() == 3)
        .await;
    push.assert_no_violations();
    let seen: Vec<_> = push.seen(|seen| seen.messages.iter().map(ReceivedMessage::json).collect());
    assert_eq!(seen, [message.clone(), message.clone(), message]);

    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let history = wait_until(&app.owner, &path, done).await;
    let send = &history["items"][0];
    assert_eq!(send["send_id"], accepted["send_id"]);
    assert_eq!(
        (&send["sent_count"], &send["failed_count"]),
        (&json!(3), &json!(0))
    );
    assert_eq!(
        (&send["actor"]["type"], &send["actor"]["name"]),
        (&json!("api_key"), &json!("backend"))
    );
}

#[on_each_database]
async fn a_send_may_go_to_one_browser_alone(database: TestDatabase) {
    let (push, _server, app) = connected(database).await;
    let browsers = push.subscribe_many(None, 2);
    register(&app.frontend, &browsers).await;
    let body = json!({"title": "t", "body": "b", "endpoint": browsers[1].endpoint});
    let reply = post(&app.backend, "/api/v1/notify", &body).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["queued"]),
        (202, &json!(1))
    );
    wait_until(
        &app.owner,
        &format!("/api/v1/apps/{}/notifications", app.id),
        done,
    )
    .await;
    push.seen(|seen| {
        assert_eq!(seen.counts(&browsers[0].id).requests, 0);
        assert_eq!(seen.counts(&browsers[1].id).created, 1);
    });
    push.assert_no_violations();
}

#[on_each_database]
async fn an_owner_sends_to_everyone_only(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}/notify", app.id);
    for client in [&app.owner, &app.admin] {
        let reply = post(client, &path, &json!({"title": "t", "body": "b"})).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["queued"]),
            (202, &json!(0))
        );
        for endpoint in [json!("https://push.example.com/1"), json!(""), json!(null)] {
            let body = json!({"title": "t", "body": "b", "endpoint": endpoint});
            let reply = post(client, &path, &body).await;
            assert_eq!(
                status_and_code(&reply),
                (400, "INVALID_INPUT".into()),
                "{body}"
            );
        }
    }
    let sends = snapshot(&app).await["sends"]["items"].clone();
    assert_eq!(sends[0]["status"], "done");
    assert_eq!(sends[0]["actor"]["type"], "api_key");
    assert_eq!(sends[1]["actor"]["type"], "user");
    assert_eq!(sends[1]["actor"]["name"], "owner@example.com");
}

#[on_each_database]
async fn what_is_wrong_with_a_send_is_told(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let endpoint = "https://push.example.com/1";
    post(
        &app.frontend,
        "/api/v1/subscriptions",
        &registration(endpoint),
    )
    .await;
    let before = snapshot(&app).await;
    for (member, value, expected) in [
        ("title", json!(""), (400, "MISSING_FIELDS")),
        ("body", json!(null), (400, "MISSING_FIELDS")),
        ("url", json!("javascript:alert(1)"), (400, "INVALID_URL")),
        ("icon", json!("https://"), (400, "INVALID_URL")),
        ("endpoint", json!(""), (400, "INVALID_URL")),
        ("endpoint", json!(null), (400, "INVALID_INPUT")),
        (
            "endpoint",
            json!("https://push.example.com/2"),
            (404, "NOT_FOUND"),
        ),
        ("ttl", json!(2_419_201), (400, "INVALID_INPUT")),
        ("urgency", json!("urgent"), (400, "INVALID_INPUT")),
        ("topic", json!("no topic"), (400, "INVALID_INPUT")),
        ("body", json!("x".repeat(3_072)), (413, "PAYLOAD_TOO_LARGE")),
    ] {
        let mut body = json!({"title": "t", "body": "b"});
        body[member] = value;
        let reply = post(&app.backend, "/api/v1/notify", &body).await;
        let (status, code) = expected;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{member}");
    }
    assert_eq!(snapshot(&app).await, before);
}
