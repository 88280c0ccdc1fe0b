//! Taking a key along: for the owner alone, who shows who they are once more.

use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{add, list, path};
use crate::database::DatabaseConnection;
use crate::fixtures::{app, get, post, send, setup, status_and_code};

async fn export_path(app: &OwnedApp) -> String {
    let keys = list(app).await;
    let id = keys[0]["id"].as_str().expect("an id");
    path(app, &format!("/{id}/export"))
}

#[on_each_database]
async fn an_exported_key_is_the_same_key_elsewhere(database: TestDatabase) {
    let (server, own) = setup(database).await;
    let exported = post(
        &own.owner,
        &export_path(&own).await,
        &json!({"password": PASSWORD}),
    )
    .await;
    assert_eq!(exported.status, 200, "{exported}");
    let exported = exported.json();
    assert_eq!(exported["jwk"]["d"], exported["private_key"]);
    let events = format!("/api/v1/apps/{}/key-events?limit=1", own.id);
    let event = get(&own.owner, &events).await.json()["items"][0].clone();
    assert_eq!(
        (&event["event"], &event["key_name"]),
        (&json!("vapid_exported"), &json!(own.vapid_public_key))
    );
    for (number, form) in ["private_key", "jwk", "pem"].into_iter().enumerate() {
        let other = app(&server, &format!("{number}@example.com")).await;
        let body = json!({"private_key": exported[form]});
        let imported = add(&other.owner, &other, &body).await;
        assert_eq!(
            imported["public_key"],
            own.vapid_public_key.as_str(),
            "{form}"
        );
    }
}

#[on_each_database]
async fn only_the_owner_who_shows_it_gets_a_key(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let path = export_path(&app).await;
    let by_key = post(&app.admin, &path, &json!({"password": PASSWORD})).await;
    assert_eq!(status_and_code(&by_key), (403, "INSUFFICIENT_SCOPE".into()));
    for (body, expected) in [
        (json!({}), (400, "MISSING_FIELDS")),
        (
            json!({"email": "owner@example.com"}),
            (400, "MISSING_FIELDS"),
        ),
        (
            json!({"password": "another password"}),
            (401, "INVALID_CREDENTIALS"),
        ),
        (json!({"password": "x".repeat(129)}), (400, "INVALID_INPUT")),
    ] {
        let refused = post(&app.owner, &path, &body).await;
        assert_eq!(
            status_and_code(&refused),
            (expected.0, expected.1.into()),
            "{body}"
        );
    }
    let mut database = DatabaseConnection::to(&server).await;
    database
        .execute("UPDATE accounts SET password_hash = NULL")
        .await;
    for (body, status) in [
        (json!({"password": PASSWORD}), 400),
        (json!({"email": "other@example.com"}), 401),
        (json!({"email": "Owner@example.com"}), 200),
    ] {
        let answer = post(&app.owner, &path, &body).await;
        assert_eq!(answer.status, status, "{answer}");
    }
    let events = format!("/api/v1/apps/{}/key-events", app.id);
    let events = get(&app.owner, &events).await.json();
    let events = events["items"].as_array().into_iter().flatten();
    let exports = events.filter(|event: &&Value| event["event"] == "vapid_exported");
    assert_eq!(exports.count(), 1);
}

#[on_each_database]
async fn guesses_count_like_those_at_the_login(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let path = export_path(&app).await;
    for _ in 0..10 {
        let refused = post(&app.owner, &path, &json!({"password": "a guess"})).await;
        assert_eq!(refused.status, 401, "{refused}");
    }
    let refused = post(&app.owner, &path, &json!({"password": PASSWORD})).await;
    assert_eq!(status_and_code(&refused), (429, "RATE_LIMITED".into()));
    let body = json!({"email": "owner@example.com", "password": PASSWORD}).to_string();
    let login = send(
        &server.client(),
        http::Method::POST,
        "/auth/login",
        &[],
        body,
    )
    .await;
    assert_eq!(status_and_code(&login), (429, "RATE_LIMITED".into()));
}
