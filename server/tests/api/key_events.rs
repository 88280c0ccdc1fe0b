//! What happened to keys (SPEC 2.6, 4.12).

use hato_testkit::owner::PASSWORD;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{get, post, setup};

#[on_each_database]
async fn making_and_deleting_a_key_are_told_with_who_did_it(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let keys = format!("/api/v1/apps/{}/keys", app.id);
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let owner = server.client().bearer(&session.expect("a session"));
    let user = get(&owner, "/auth/session").await.json()["user"]["id"].clone();
    let listed = get(&owner, &keys).await.json();
    let mut listed = listed.as_array().into_iter().flatten();
    let admin = listed.find(|key| key["name"] == "admin").expect("the key");

    let body = json!({"name": "CI", "scope": "notify"});
    let made = post(&app.admin, &keys, &body).await.json();
    let id = made["id"].as_str().expect("an id");
    let gone = owner.delete(&format!("{keys}/{id}")).await;
    assert_eq!(gone.expect("an answer").status, 200);

    let path = format!("/api/v1/apps/{}/key-events?limit=2", app.id);
    let page = get(&app.admin, &path).await.json();
    let event = |index: usize, event: &str, actor: Value| {
        let shown = &page["items"][index];
        assert!(shown["created_at"].is_i64(), "{shown}");
        assert!(
            shown["id"]
                .as_str()
                .is_some_and(|id| id.starts_with("evt_"))
        );
        json!({
            "id": shown["id"],
            "event": event,
            "key_id": id,
            "key_name": "CI",
            "key_scope": "notify",
            "created_at": shown["created_at"],
            "actor": actor,
        })
    };
    let deleted_by = json!({"type": "user", "id": user, "name": "owner@example.com"});
    let created_by = json!({"type": "api_key", "id": admin["id"], "name": "admin"});
    let expected = json!([
        event(0, "deleted", deleted_by),
        event(1, "created", created_by),
    ]);
    assert_eq!(page["items"], expected);
}
