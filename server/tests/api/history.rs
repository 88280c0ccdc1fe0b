//! The history of sends and its pages (SPEC 4.11).

use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{get, post, setup, status_and_code};

#[on_each_database]
async fn pages_follow_each_other_without_gaps(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let mut sent = Vec::new();
    for number in 0..5 {
        let body = json!({"title": format!("{number}"), "body": "b"});
        let reply = post(&app.backend, "/api/v1/notify", &body).await;
        sent.insert(0, reply.json()["send_id"].clone());
    }
    let mut seen = Vec::new();
    let mut query = "?limit=2".to_owned();
    loop {
        let page = get(&app.owner, &format!("{path}{query}")).await.json();
        let items = page["items"].as_array().expect("items").iter();
        seen.extend(items.map(|send| send["send_id"].clone()));
        let (Some(before), Some(id)) = (
            page["next_before"].as_i64(),
            page["next_before_id"].as_str(),
        ) else {
            assert_eq!(
                (&page["next_before"], &page["next_before_id"]),
                (&Value::Null, &Value::Null)
            );
            break;
        };
        query = format!("?limit=2&before={before}&before_id={id}");
    }
    assert_eq!(seen, sent);
}

#[on_each_database]
async fn an_item_has_every_field(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    post(
        &app.backend,
        "/api/v1/notify",
        &json!({"title": "t", "body": "b"}),
    )
    .await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let page = get(&app.admin, &path).await.json();
    let item = &page["items"][0];
    let expected = json!({
        "send_id": item["send_id"],
        "title": "t",
        "body": "b",
        "url": null,
        "sent_count": 0,
        "failed_count": 0,
        "failed_expired": 0,
        "failed_other": 0,
        "created_at": item["created_at"],
        "actor": {"type": "api_key", "id": item["actor"]["id"], "name": "backend"},
        "status": "done",
        "recipients": 0,
        "skipped_count": 0,
        "cancelled_count": 0,
        "dead_letters_omitted": 0,
        "send_at": null,
        "expires_at": null,
        "max_per_minute": null,
        "refused_reason": null,
        "displayed_count": 0,
        "clicked_count": 0,
        "dismissed_count": 0,
        "clicks_by_action": {},
    });
    assert_eq!(item, &expected);
    assert!(
        item["send_id"]
            .as_str()
            .is_some_and(|id| id.starts_with("snd_"))
    );
    assert!(
        item["actor"]["id"]
            .as_str()
            .is_some_and(|id| id.starts_with("key_"))
    );
}

#[on_each_database]
async fn a_bad_limit_or_cursor_is_refused(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    for query in [
        "limit=0",
        "limit=101",
        "limit=",
        "limit=x",
        "before=x",
        "before_id=snd_1",
        "limit=1&limit=2",
    ] {
        let reply = get(&app.owner, &format!("{path}?{query}")).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{query}"
        );
    }
    for query in [
        "limit=100",
        "before=1",
        "before=1&before_id=snd_1",
        "unknown=x",
    ] {
        assert_eq!(
            get(&app.owner, &format!("{path}?{query}")).await.status,
            200,
            "{query}"
        );
    }
}
