//! An assistant's sends to a part of the audience (CONTRACT 12).

use super::*;
use crate::fixtures::{post, registration, snapshot};

#[on_each_database]
async fn an_assistant_sends_to_users_and_tags_and_never_to_everybody_by_mistake(
    database: TestDatabase,
) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    for (endpoint, user, tags) in [
        ("https://push.example.com/1", "anna", json!(["news"])),
        ("https://push.example.com/2", "anna", json!([])),
        ("https://push.example.com/3", "ben", json!(["news"])),
    ] {
        let mut body = registration(endpoint);
        (body["user_id"], body["tags"]) = (json!(user), tags);
        let reply = post(&app.backend, "/api/v1/subscriptions", &body).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let message = |to: Value| json!({"title": "t", "body": "b", "to": to});
    for (to, queued) in [
        (json!({"user_ids": ["anna"]}), 2),
        (json!({"tags": "news"}), 2),
        (json!({"user_ids": ["anna"], "tags": "news"}), 1),
        (json!({"tags": "nobody"}), 0),
    ] {
        let sent = call(&app.admin, "send_notification", message(to.clone())).await;
        assert_eq!(text_content(&sent)["queued"], queued, "{to}: {sent}");
    }
    let before = snapshot(&app).await;
    for to in [
        json!(null),
        json!({}),
        json!("news"),
        json!({"tags": null}),
        json!({"tag": "news"}),
        json!({"user_ids": []}),
        json!({"tags": "news &&"}),
    ] {
        let refused = call(&app.admin, "send_notification", message(to.clone())).await;
        assert_eq!(code(&refused), "INVALID_INPUT", "{to}");
    }
    assert_eq!(snapshot(&app).await, before);
}
