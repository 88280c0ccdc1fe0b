//! Erasing a user: nothing that names the subscriptions is left.

use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::{BrowserSubscription, PushService, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use hato_testkit::webhook_receiver::{Event, ReceiverResponse, WebhookReceiver};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use super::path;
use crate::database::{execute, value};
use crate::fixtures::{
    BINARY, app, get, post, send, snapshot, start, status_and_code, wait_until, wait_until_shown,
};
use crate::profiles::{change, register, setup, stored};

pub async fn erase(app: &OwnedApp, user: &str) -> Value {
    let body = json!({"user_id": user});
    let reply = post(&app.admin, &path(app, "/users/erase"), &body).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()
}

fn endpoint(number: usize) -> String {
    format!("https://push.example.com/{number}")
}

#[on_each_database]
async fn every_subscription_of_the_user_goes_and_no_other(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    for (app, number, user) in [
        (&first, 1, Some("u")),
        (&first, 2, Some("u")),
        (&first, 3, Some("u ")),
        (&first, 4, None),
        (&second, 1, Some("u")),
    ] {
        let members = json!({"user_id": user, "tags": ["a"]});
        register(&app.backend, &endpoint(number), members).await;
    }
    let gone = json!({"endpoint": endpoint(2)});
    let subscriptions = path(&first, "/subscriptions");
    let reply = first.frontend.delete_with(&subscriptions, &gone).await;
    reply.expect("an answer");
    let message = json!({"title": "t", "body": "b", "to": {"tags": "a"}});
    let before = post(&first.backend, "/api/v1/notify", &message)
        .await
        .json();
    assert_eq!(before["queued"], 3);

    assert_eq!(erase(&first, "u").await, json!({"ok": true, "removed": 2}));
    let counts = get(&first.owner, &path(&first, "/stats")).await.json();
    assert_eq!(counts["activeSubscribers"], 2);
    assert_eq!(counts["deactivatedSubscribers"], 0);
    let after = post(&first.backend, "/api/v1/notify", &message)
        .await
        .json();
    assert_eq!(after["queued"], 2);
    for number in [1, 2] {
        let unknown = change(&first.frontend, &endpoint(number), json!({})).await;
        assert_eq!(status_and_code(&unknown), (404, "NOT_FOUND".into()));
        let new = register(&first.frontend, &endpoint(number), json!({})).await;
        assert_eq!(new.status, 201, "nothing is known of it: {new}");
    }
    assert_eq!(stored(&first, &endpoint(3)).await["user_id"], "u ");
    assert_eq!(stored(&second, &endpoint(1)).await["user_id"], "u");
    assert_eq!(erase(&first, "u").await, json!({"ok": true, "removed": 0}));
}

#[on_each_database]
async fn a_user_with_very_many_goes_whole(database: TestDatabase) {
    let (server, app) = setup(database).await;
    register(&app.backend, &endpoint(1), json!({"user_id": "u"})).await;
    let copies = "WITH RECURSIVE numbers (number) AS
            (SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000)
        INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position,
                                   created_at, user_id)
        SELECT 'sub_' || number, app_id, endpoint || number, CAST('hash' || number AS BYTES), p256dh,
               auth, number, created_at, user_id
        FROM subscriptions, numbers;
        UPDATE apps SET active_subscriptions = 1000, last_position = 1000";
    let bytes = if server.database().is_postgres() {
        "BYTEA"
    } else {
        "BLOB"
    };
    execute(&server, &copies.replace("BYTES", bytes)).await;
    assert_eq!(erase(&app, "u").await["removed"], 1_000);
    assert_eq!(snapshot(&app).await["app"]["active_subscriptions"], 0);
}

#[on_each_database]
async fn what_is_no_user_is_refused(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app.backend, &endpoint(1), json!({"user_id": "u"})).await;
    for (body, code) in [
        (json!({}), "MISSING_FIELDS"),
        (json!({"user_id": null}), "MISSING_FIELDS"),
        (json!({"user_id": ""}), "MISSING_FIELDS"),
        (json!({"user_id": "a\n"}), "INVALID_INPUT"),
        (json!({"user_id": "u".repeat(129)}), "INVALID_INPUT"),
        (json!({"user_id": ["u"]}), "INVALID_INPUT"),
    ] {
        let refused = post(&app.admin, &path(&app, "/users/erase"), &body).await;
        assert_eq!(status_and_code(&refused), (400, code.into()), "{body}");
    }
    assert_eq!(snapshot(&app).await["app"]["active_subscriptions"], 1);
}

pub fn members(browser: &BrowserSubscription) -> Value {
    let mut body = browser.registration();
    body["user_id"] = json!("u");
    body
}

#[on_each_database]
async fn dead_letters_and_events_name_nobody_any_more(database: TestDatabase) {
    let push = PushService::start().await;
    let receiver = WebhookReceiver::start(push.ca()).await;
    let launch = ServerLaunch::on(BINARY, database)
        .with_push_service(&push)
        .env("HATO_DEFAULT_PLAN", "pro");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let hook = json!({"webhook_url": receiver.url()});
    app.owner.patch(&path(&app, ""), &hook).await.expect("set");
    let browsers = [push.subscribe(None), push.subscribe(None)];
    for browser in &browsers {
        push.always_respond(browser, ScriptedResponse::Status(400));
    }
    let user = post(
        &app.backend,
        "/api/v1/subscriptions",
        &members(&browsers[0]),
    )
    .await
    .json();
    let stays = browsers[1].registration();
    let stays = post(&app.backend, "/api/v1/subscriptions", &stays)
        .await
        .json();
    receiver.respond_with(ReceiverResponse::Status(503));
    post(
        &app.backend,
        "/api/v1/notify",
        &json!({"title": "t", "body": "b"}),
    )
    .await;
    let letters = path(&app, "/dead-letters");
    let both = |it: &Value| it["items"].as_array().is_some_and(|it| it.len() == 2);
    wait_until(&app.owner, &letters, both).await;
    let is_results = |it: &Event| it.kind() == "delivery.results";
    receiver
        .wait_until(|seen| seen.iter().any(is_results))
        .await;
    let event = receiver
        .seen()
        .into_iter()
        .find(is_results)
        .expect("an event");
    assert_eq!(
        event.json()["data"]["results"].as_array().map(Vec::len),
        Some(2)
    );

    assert_eq!(erase(&app, "u").await["removed"], 1);
    let left = get(&app.owner, &letters).await.json();
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(left["items"][0]["subscription_id"], stays["id"]);
    let count: i64 = value(&server, "SELECT COUNT(*) FROM refusals").await;
    assert_eq!(count, 1);

    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let cookie = format!("hato_session={}", session.expect("a session"));
    let headers = [
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let page = format!("/apps/{}/webhook?event={}", app.id, event.id());
    let stays = stays["id"].as_str().expect("an id");
    let shown = wait_until_shown(&server.client(), &page, &headers, stays).await;
    assert!(
        !shown.contains(user["id"].as_str().expect("an id")),
        "{shown}"
    );
    receiver.take();
    let form = format!("app={}&event={}", app.id, event.id());
    let resent = send(
        &server.client(),
        Method::POST,
        "/_app/resend_event",
        &headers,
        form,
    )
    .await;
    assert_eq!(resent.status, 303, "{resent}");
    receiver
        .wait_until(|seen| seen.iter().any(is_results))
        .await;
    let again = receiver
        .seen()
        .into_iter()
        .find(is_results)
        .expect("an event");
    assert_eq!(
        again.json()["data"]["results"].as_array().map(Vec::len),
        Some(1)
    );
}

#[on_each_database]
async fn what_is_queued_for_the_user_is_skipped(database: TestDatabase) {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let mut server = start(launch.clone().env("HATO_ROLE", "api")).await;
    let mut app = app(&server, "owner@example.com").await;
    let browsers = [push.subscribe(None), push.subscribe(None)];
    post(
        &app.backend,
        "/api/v1/subscriptions",
        &members(&browsers[0]),
    )
    .await;
    post(
        &app.backend,
        "/api/v1/subscriptions",
        &browsers[1].registration(),
    )
    .await;
    let everybody = json!({"title": "t", "body": "b"});
    let mut to_user = everybody.clone();
    to_user["to"] = json!({"user_ids": ["u"]});
    let mut sends = Vec::new();
    for (message, queued) in [(everybody, 2), (to_user, 1)] {
        let sent = post(&app.backend, "/api/v1/notify", &message).await.json();
        assert_eq!(sent["queued"], queued);
        sends.push(sent["send_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(erase(&app, "u").await["removed"], 1);
    server.terminate().await.expect("it stops");
    let server = start(launch).await;
    app.owner = app.owner.at(server.address());
    for (send, sent) in sends.iter().zip([1, 0]) {
        let item = path(&app, &format!("/notifications/{send}"));
        let done = wait_until(&app.owner, &item, |it| it["status"] == "done").await;
        assert_eq!(
            (&done["sent_count"], &done["skipped_count"]),
            (&json!(sent), &json!(1))
        );
    }
}
