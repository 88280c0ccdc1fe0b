//! Sending a request again sends nothing twice (CONTRACT 6, `Idempotency-Key`).

mod refusals;

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::database::execute;
use crate::fixtures::{
    BINARY, app, concurrently, count, send, snapshot, start, status_and_code, subscribe,
};

const NOTIFY: &str = "/api/v1/notify";

/// A server that delivers nothing, and an app with three subscribers.
async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp, Vec<String>) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    let endpoints = subscribe(&app, 3).await;
    (server, app, endpoints)
}

fn message() -> Value {
    json!({"title": "t", "body": "b"})
}

/// The three sends, with a client that may use each.
fn sends(app: &OwnedApp, endpoints: &[String]) -> [(Client, String, Value); 3] {
    let batch = json!({"endpoints": endpoints, "payload": message()});
    [
        (app.backend.clone(), NOTIFY.into(), message()),
        (app.backend.clone(), "/api/v1/notify/batch".into(), batch),
        (app.admin.clone(), broadcast(app), message()),
    ]
}

fn broadcast(app: &OwnedApp) -> String {
    format!("/api/v1/apps/{}/notify", app.id)
}

async fn send_as(key: &str, client: &Client, path: &str, body: impl Into<String>) -> Reply {
    let headers = [("idempotency-key", key)];
    send(client, Method::POST, path, &headers, body.into()).await
}

/// Status and body of an answer that has to be the first one, or a repetition.
fn answered(reply: &Reply, replayed: bool) -> (u16, Value) {
    let marked = reply.header("idempotency-replayed");
    assert_eq!(marked, replayed.then_some("true"), "{reply}");
    (reply.status.as_u16(), reply.json())
}

/// How many sends there were, and how many recipients were counted.
async fn sent(app: &OwnedApp) -> (usize, Value) {
    let snapshot = snapshot(app).await;
    let sends = snapshot["sends"]["items"].as_array().map_or(0, Vec::len);
    (sends, snapshot["stats"]["monthlySent"].clone())
}

#[on_each_database]
async fn a_repeated_request_gets_the_first_answer_and_sends_nothing(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database).await;
    for (client, path, body) in sends(&app, &endpoints) {
        let body = body.to_string();
        let first = answered(&send_as("k", &client, &path, body.clone()).await, false);
        assert_eq!((first.0, &first.1["queued"]), (202, &json!(3)), "{path}");
        for _ in 0..2 {
            let again = send_as("k", &client, &path, body.clone()).await;
            assert_eq!(answered(&again, true), first, "{path}");
        }
    }
    assert_eq!(sent(&app).await, (3, json!(9)));
}

#[on_each_database]
async fn sixteen_twins_are_one_send(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database).await;
    for (client, path, body) in sends(&app, &endpoints) {
        let twins = concurrently((0..16).map(|_| {
            let (client, path, body) = (client.clone(), path.clone(), body.to_string());
            async move { send_as("k", &client, &path, body).await }
        }));
        let twins = twins.await;
        assert_eq!(count(&twins, 202), 16, "{path}");
        assert!(
            twins.iter().all(|twin| twin.json() == twins[0].json()),
            "{path}"
        );
        let replayed = twins
            .iter()
            .filter(|twin| twin.headers.contains_key("idempotency-replayed"));
        assert_eq!(replayed.count(), 15, "{path}");
    }
    assert_eq!(sent(&app).await, (3, json!(9)));
}

#[on_each_database]
async fn of_sixteen_rivals_one_is_sent_and_the_others_conflict(database: TestDatabase) {
    let (_server, app, _) = setup(database).await;
    let rivals = concurrently((0..16).map(|number| {
        let client = app.backend.clone();
        let body = json!({"title": "t", "body": number.to_string()}).to_string();
        async move { send_as("k", &client, NOTIFY, body).await }
    }));
    let rivals = rivals.await;
    assert_eq!((count(&rivals, 202), count(&rivals, 409)), (1, 15));
    assert_eq!(sent(&app).await, (1, json!(3)));
}

#[on_each_database]
async fn another_body_is_a_conflict_even_by_a_byte(database: TestDatabase) {
    let (_server, app, endpoints) = setup(database).await;
    for (client, path, body) in sends(&app, &endpoints) {
        let body = body.to_string();
        send_as("k", &client, &path, body.clone()).await;
        let before = snapshot(&app).await;
        for other in [format!("{body} "), body.replace("\"b\"", "\"c\"")] {
            let reply = send_as("k", &client, &path, other).await;
            assert_eq!(
                status_and_code(&reply),
                (409, "IDEMPOTENCY_CONFLICT".into()),
                "{path}"
            );
            assert_eq!(reply.header("idempotency-replayed"), None);
        }
        assert_eq!(snapshot(&app).await, before, "{path}");
    }
}

#[on_each_database]
async fn the_same_key_elsewhere_is_another_request(database: TestDatabase) {
    let (server, first, endpoints) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    for (client, path, body) in sends(&first, &endpoints) {
        answered(&send_as("k", &client, &path, body.to_string()).await, false);
    }
    let elsewhere = send_as("k", &second.backend, NOTIFY, message().to_string()).await;
    assert_eq!(answered(&elsewhere, false).1["queued"], 0);
    let other_key = send_as("K", &first.backend, NOTIFY, message().to_string()).await;
    answered(&other_key, false);
    assert_eq!(sent(&first).await.0, 4);
    assert_eq!(sent(&second).await.0, 1);
}

#[on_each_database]
async fn whoever_asks_for_the_app_gets_the_first_answer(database: TestDatabase) {
    let (_server, app, _) = setup(database).await;
    let body = message().to_string();
    for (path, one, other) in [
        (NOTIFY.to_owned(), &app.backend, &app.admin),
        (broadcast(&app), &app.admin, &app.owner),
    ] {
        let first = answered(&send_as("k", one, &path, body.clone()).await, false);
        let again = answered(&send_as("k", other, &path, body.clone()).await, true);
        assert_eq!(again, first, "{path}");
    }
}

#[on_each_database]
async fn a_restart_forgets_nothing(database: TestDatabase) {
    let (mut server, app, _) = setup(database).await;
    let key = app
        .owner
        .create_key(&app.id, "CI", "full")
        .await
        .expect("a key");
    let first = answered(
        &send_as("k", &app.backend, NOTIFY, message().to_string()).await,
        false,
    );
    server.kill().await;
    server.restart().await.expect("it starts again");
    let client = server.client().bearer(&key);
    let again = answered(
        &send_as("k", &client, NOTIFY, message().to_string()).await,
        true,
    );
    assert_eq!(again, first);
}

#[on_each_database]
async fn a_day_later_it_is_a_new_request(database: TestDatabase) {
    let (server, app, _) = setup(database).await;
    let body = message().to_string();
    answered(
        &send_as("k", &app.backend, NOTIFY, body.clone()).await,
        false,
    );
    execute(
        &server,
        "UPDATE idempotency_keys SET created_at = created_at - 86000000",
    )
    .await;
    answered(
        &send_as("k", &app.backend, NOTIFY, body.clone()).await,
        true,
    );
    execute(
        &server,
        "UPDATE idempotency_keys SET created_at = created_at - 400000",
    )
    .await;
    answered(
        &send_as("k", &app.backend, NOTIFY, body.clone()).await,
        false,
    );
    answered(&send_as("k", &app.backend, NOTIFY, body).await, true);
}
