//! Sends that are accepted by both servers.

use hato_testkit::client::Reply;
use http::Method;
use serde_json::json;

use super::ServerPair;
use crate::fixtures::{concurrently, count, get, send, subscribe};

#[tokio::test]
async fn twins_at_both_are_one_send() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    subscribe(&app, 3).await;
    let body = json!({"title": "t", "body": "b"}).to_string();
    for key in ["one", "two", "three"] {
        let twins = (0..16).map(|number| {
            let (client, body) = (fleet.client(&app.backend, number), body.clone());
            let headers = [("idempotency-key", key)];
            async move { send(&client, Method::POST, "/api/v1/notify", &headers, body).await }
        });
        let replies = concurrently(twins).await;
        assert_eq!(count(&replies, 202), 16);
        let first = replies[0].json();
        assert!(replies.iter().all(|reply| reply.json() == first));
        let replayed = replies.iter().filter(|reply| is_replayed(reply));
        assert_eq!(replayed.count(), 15);
    }
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    for number in 0..2 {
        let history = get(&fleet.client(&app.owner, number), &path).await.json();
        assert_eq!(history["items"].as_array().map(Vec::len), Some(3));
    }
    let stats = format!("/api/v1/apps/{}/stats", app.id);
    let stats = get(&app.owner, &stats).await.json();
    assert_eq!(stats["monthlySent"], 9, "{stats}");
}

fn is_replayed(reply: &Reply) -> bool {
    reply.header("idempotency-replayed") == Some("true")
}

#[tokio::test]
async fn what_one_accepts_the_other_cancels() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    subscribe(&app, 3).await;
    let message = json!({"title": "t", "body": "b"}).to_string();
    let accepted = send(&app.backend, Method::POST, "/api/v1/notify", &[], message).await;
    let accepted = accepted.json();
    let id = accepted["send_id"].as_str().expect("an id");
    let path = format!("/api/v1/apps/{}/notifications/{id}", app.id);
    let cancelled = fleet.client(&app.owner, 1).delete(&path).await;
    assert_eq!(cancelled.expect("an answer").json()["cancelled"], 3);
    let record = get(&app.owner, &path).await.json();
    assert_eq!(record["status"], "cancelled");
}
