//! One payload to listed browsers (SPEC 4.9, CONTRACT 6).

use hato_testkit::client::Reply;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{PushService, ReceivedMessage};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, post, register, snapshot, start, status_and_code, subscribe, wait_until,
};

const BATCH: &str = "/api/v1/notify/batch";

/// A server that delivers nothing, and an app with subscribers.
async fn setup(database: TestDatabase, subscribers: usize) -> (HatoServer, OwnedApp, Vec<String>) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    let endpoints = subscribe(&app, subscribers).await;
    (server, app, endpoints)
}

fn batch(endpoints: impl Into<Value>) -> Value {
    json!({"endpoints": endpoints.into(), "payload": {"title": "t", "body": "b"}})
}

fn assert_queued(reply: &Reply, queued: usize) {
    assert_eq!(reply.status, 202, "{reply}");
    let body = reply.json();
    assert_eq!(body["queued"], queued, "{reply}");
    assert!(
        body["send_id"]
            .as_str()
            .is_some_and(|id| id.starts_with("snd_"))
    );
}

#[on_each_database]
async fn what_is_no_subscriber_is_skipped_and_duplicates_count_once(database: TestDatabase) {
    let (server, first, endpoints) = setup(database, 4).await;
    let second = app(&server, "other@example.com").await;
    let path = format!("/api/v1/apps/{}/subscriptions", first.id);
    let gone = json!({"endpoint": endpoints[3]});
    first
        .frontend
        .delete_with(&path, &gone)
        .await
        .expect("an answer");
    let listed = [
        endpoints.clone(),
        endpoints.clone(),
        vec!["https://push.example.com/unknown".to_owned()],
    ];
    assert_queued(
        &post(&first.backend, BATCH, &batch(listed.concat())).await,
        3,
    );
    assert_queued(
        &post(&second.backend, BATCH, &batch(endpoints.clone())).await,
        0,
    );

    let snapshot = snapshot(&first).await;
    assert_eq!(snapshot["stats"]["monthlySent"], 3);
    let send = &snapshot["sends"]["items"][0];
    assert_eq!(
        (&send["recipients"], &send["title"]),
        (&json!(3), &json!("t"))
    );
}

#[on_each_database]
async fn a_batch_to_nobody_is_done(database: TestDatabase) {
    let (_server, app, _) = setup(database, 0).await;
    let listed = json!(["https://push.example.com/unknown"]);
    assert_queued(&post(&app.backend, BATCH, &batch(listed)).await, 0);
    assert_eq!(snapshot(&app).await["sends"]["items"][0]["status"], "done");
}

#[on_each_database]
async fn a_batch_has_at_most_100_endpoints(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database, 101).await;
    assert_queued(
        &post(&app.backend, BATCH, &batch(&endpoints[..100])).await,
        100,
    );
    let before = snapshot(&app).await;
    let repeated = vec![endpoints[0].clone(); 101];
    for listed in [endpoints, repeated] {
        let reply = post(&app.backend, BATCH, &batch(listed)).await;
        assert_eq!(status_and_code(&reply), (400, "TOO_MANY_ENDPOINTS".into()));
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn what_is_wrong_with_the_list_is_told(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database, 1).await;
    let before = snapshot(&app).await;
    for (listed, code) in [
        (json!(null), "MISSING_FIELDS"),
        (json!(""), "MISSING_FIELDS"),
        (json!([]), "MISSING_FIELDS"),
        (json!(["http://push.example.com/1"]), "INVALID_URL"),
        (json!([endpoints[0], "push.example.com"]), "INVALID_URL"),
        (json!([""]), "INVALID_URL"),
        (json!(["https://"]), "INVALID_ENDPOINT"),
        (json!(["https://u:p@push.example.com/"]), "INVALID_ENDPOINT"),
        (json!(endpoints[0]), "INVALID_INPUT"),
        (json!({"0": endpoints[0]}), "INVALID_INPUT"),
        (json!([1]), "INVALID_INPUT"),
        (json!([null]), "INVALID_INPUT"),
        (json!([[endpoints[0]]]), "INVALID_INPUT"),
    ] {
        let reply = post(&app.backend, BATCH, &batch(listed.clone())).await;
        assert_eq!(status_and_code(&reply), (400, code.into()), "{listed}");
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn what_is_wrong_with_the_payload_is_told(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database, 1).await;
    let before = snapshot(&app).await;
    for payload in [
        json!("t"),
        json!([]),
        json!(["t", "b"]),
        json!(1),
        json!(true),
    ] {
        let reply = post(
            &app.backend,
            BATCH,
            &json!({"endpoints": endpoints, "payload": payload}),
        )
        .await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{payload}"
        );
    }
    for payload in [
        json!(null),
        json!(""),
        json!({}),
        json!({"title": "t"}),
        json!({"body": "b"}),
    ] {
        let reply = post(
            &app.backend,
            BATCH,
            &json!({"endpoints": endpoints, "payload": payload}),
        )
        .await;
        assert_eq!(
            status_and_code(&reply),
            (400, "MISSING_FIELDS".into()),
            "{payload}"
        );
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn what_is_wrong_with_a_member_of_the_payload_is_told(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database, 1).await;
    let before = snapshot(&app).await;
    for (member, value, expected) in [
        ("url", json!("http://example.com/"), (400, "INVALID_URL")),
        ("icon", json!("http://example.com/"), (400, "INVALID_URL")),
        ("badge", json!("https://"), (400, "INVALID_URL")),
        ("ttl", json!(-1), (400, "INVALID_INPUT")),
        ("ttl", json!(2_419_201), (400, "INVALID_INPUT")),
        ("urgency", json!("urgent"), (400, "INVALID_INPUT")),
        ("topic", json!("t".repeat(33)), (400, "INVALID_INPUT")),
        ("body", json!("b".repeat(3_072)), (413, "PAYLOAD_TOO_LARGE")),
    ] {
        let mut body = batch(endpoints.clone());
        body["payload"][member] = value;
        let (status, code) = expected;
        let reply = post(&app.backend, BATCH, &body).await;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{member}");
    }
    let message_outside = json!({"endpoints": endpoints, "title": "t", "body": "b"});
    let reply = post(&app.backend, BATCH, &message_outside).await;
    assert_eq!(status_and_code(&reply), (400, "MISSING_FIELDS".into()));
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn the_listed_browsers_get_the_whole_payload_and_the_others_nothing(database: TestDatabase) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 3);
    register(&app.frontend, &browsers).await;
    let payload = json!({
        "title": "題", "body": "本文", "url": "https://example.com/",
        "icon": "https://example.com/icon.png", "badge": "https://example.com/badge.png",
    });
    let mut body =
        json!({"endpoints": [browsers[0].endpoint, browsers[2].endpoint], "payload": payload});
    for (member, value) in [
        ("ttl", json!(60)),
        ("urgency", json!("high")),
        ("topic", json!("news")),
    ] {
        body["payload"][member] = value;
    }
    assert_queued(&post(&app.backend, BATCH, &body).await, 2);

    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let history = wait_until(&app.owner, &path, |it| it["items"][0]["status"] == "done").await;
    assert_eq!(history["items"][0]["sent_count"], 2);
    push.assert_no_violations();
    assert_eq!(push.seen(|seen| seen.counts(&browsers[1].id).requests), 0);
    push.seen(|seen| {
        for message in &seen.messages {
            assert_eq!(message.json(), payload);
            assert_eq!(headers(message), (60, Some("high"), Some("news")));
        }
    });
}

fn headers(message: &ReceivedMessage) -> (u64, Option<&str>, Option<&str>) {
    (
        message.ttl,
        message.urgency.as_deref(),
        message.topic.as_deref(),
    )
}
