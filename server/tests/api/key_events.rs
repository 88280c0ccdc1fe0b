//! What happened to keys (SPEC 2.6, 4.12).

use hato_testkit::owner::PASSWORD;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::database::DatabaseConnection;
use crate::fixtures::{get, post, setup, status_and_code};

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

#[on_each_database]
async fn keys_that_come_and_go_all_day_are_refused_in_the_end(database: TestDatabase) {
    /// As many events as leave room for one.
    const FILL: &str = "
        WITH RECURSIVE filled (number) AS
            (SELECT COUNT(*) FROM key_events UNION ALL SELECT number + 1 FROM filled WHERE number < 3998)
        INSERT INTO key_events (id, app_id, event, key_id, key_name, key_scope,
                                actor_kind, actor_id, actor_name, created_at)
        SELECT 'evt_filled' || number, (SELECT id FROM apps), 'deleted', 'key_filled', 'filled', 'full',
               'user', 'usr_filled', 'filled', (SELECT created_at FROM apps) - 3600000
        FROM filled";
    let (server, app) = setup(database).await;
    let mut database = DatabaseConnection::to(&server).await;
    database.execute(FILL).await;
    let keys = format!("/api/v1/apps/{}/keys", app.id);
    let body = json!({"name": "CI", "scope": "notify"});
    let made = post(&app.admin, &keys, &body).await;
    assert_eq!(made.status, 201, "{made}");
    for client in [&app.admin, &app.owner] {
        let refused = post(client, &keys, &body).await;
        assert_eq!(status_and_code(&refused), (429, "RATE_LIMITED".into()));
    }
    let made = made.json();
    let id = made["id"].as_str().expect("an id");
    let gone = app.admin.delete(&format!("{keys}/{id}")).await;
    assert_eq!(gone.expect("an answer").status, 200);
    database
        .execute("UPDATE key_events SET created_at = created_at - 86400000")
        .await;
    let later = post(&app.admin, &keys, &body).await;
    assert_eq!(later.status, 201, "{later}");
}
