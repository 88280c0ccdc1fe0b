//! What a visitor can do with the key of a page: nothing about anybody else.

use super::*;

const USER: &str = "user-4711";
const VICTIM: &str = "https://push.example.com/victim";

/// Every request that would tell of somebody or reach somebody.
async fn questions(client: &Client, app: &OwnedApp) -> Vec<Reply> {
    let to_user = json!({"title": "t", "body": "b", "to": {"user_ids": [USER]}});
    let mut replies = Vec::new();
    for rest in [
        "/subscriptions",
        "/subscriptions?user_id=user-4711",
        "/audience",
        "/audience?user_id=user-4711",
        "/identity",
        "/stats",
        "/notifications",
        "/dead-letters",
    ] {
        replies.push(get(client, &path(app, rest)).await);
    }
    for (path, body) in [
        (path(app, "/identity/secret"), json!({})),
        (path(app, "/users/erase"), json!({"user_id": USER})),
        (path(app, "/notify"), to_user.clone()),
        ("/api/v1/notify".to_owned(), to_user),
    ] {
        replies.push(post(client, &path, &body).await);
    }
    replies
}

#[on_each_database]
async fn a_visitor_learns_nothing_and_takes_nobody_over(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    let known = json!({"user_id": USER, "tags": ["_vip", "secret"], "lang": "ja"});
    let victim = register(&first.backend, VICTIM, known).await;
    let id = victim.json()["id"].as_str().expect("an id").to_owned();
    let before = (snapshot(&first).await, stored(&first, VICTIM).await);

    let mut replies = Vec::new();
    for visitor in [&first.frontend, &second.frontend] {
        for reply in questions(visitor, &first).await {
            assert_eq!(reply.status, 403, "{reply}");
            replies.push(reply);
        }
    }
    let own = "https://push.example.com/own";
    for claim in [
        json!({"user_id": USER}),
        json!({"user_id": USER, "user_token": ""}),
        json!({"user_id": USER, "replaces": "https://push.example.com/guessed"}),
    ] {
        let refused = register(&first.frontend, own, claim).await;
        let refusal = status_and_code(&refused);
        assert_eq!(refusal, (403, "INVALID_USER_TOKEN".into()));
        replies.push(refused);
    }
    let guessed = json!({"replaces": "https://push.example.com/guessed", "tags": ["mine"]});
    replies.push(register(&first.frontend, own, guessed).await);
    replies.push(change(&first.frontend, own, json!({})).await);
    let nobody = profile_of(&replies);
    assert_eq!(
        nobody,
        json!({"user_id": null, "tags": ["mine"], "lang": null})
    );
    for reply in &replies {
        let text = reply.text();
        for secret in [USER, "_vip", "secret", VICTIM, &*id] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    let gone = json!({"endpoint": own});
    let subscriptions = path(&first, "/subscriptions");
    let left = first.frontend.delete_with(&subscriptions, &gone).await;
    assert_eq!(left.expect("an answer").status, 200);
    assert_eq!(stored(&first, VICTIM).await, before.1);
    let (mut after, mut before) = (snapshot(&first).await, before.0);
    for snapshot in [&mut after, &mut before] {
        snapshot["stats"]["deactivatedSubscribers"].take();
    }
    assert_eq!(after, before);
}

/// What the last answer says of a subscription.
fn profile_of(replies: &[Reply]) -> Value {
    let last = replies.last().expect("an answer").json();
    json!({"user_id": last["user_id"], "tags": last["tags"], "lang": last["lang"]})
}
