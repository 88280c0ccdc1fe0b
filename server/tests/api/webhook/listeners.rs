//! Who listens to an app's events without a webhook, or besides it (CONTRACT 16).

use hato_testkit::event_stream_reader::EventStreamReader;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use super::WebhookFixture;
use crate::database::value;
use crate::fixtures::{BINARY, app, get, post, start, status_and_code};

/// Where the app's events are streamed.
pub fn stream_path(app: &OwnedApp) -> String {
    format!("/api/v1/apps/{}/events/stream", app.id)
}

/// Listens to the app's events with its full key, once the server has begun.
pub async fn listen(app: &OwnedApp) -> EventStreamReader {
    EventStreamReader::open(&app.admin, &stream_path(app)).await
}

#[on_each_database]
async fn listeners_get_what_the_webhook_gets(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    let (mut one, mut other) = (listen(&fixture.app).await, listen(&fixture.app).await);
    fixture.subscribe(ScriptedResponse::Created).await;
    fixture.subscribe(ScriptedResponse::Status(404)).await;
    fixture.send().await;
    let posted = fixture.events(2).await;
    let mut posted: Vec<_> = posted.iter().map(|it| (it.id(), it.body.clone())).collect();
    posted.sort();
    for listener in [&mut one, &mut other] {
        let mut heard = listener.events(2).await;
        heard.sort();
        assert_eq!(heard, posted);
    }
}

#[on_each_database]
async fn a_listener_needs_no_webhook_and_leaves_nothing_to_it(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let message = json!({"title": "t", "body": "b"});
    let mut sends = Vec::new();
    let send = async || {
        let reply = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(reply.status, 202, "{reply}");
        reply.json()["send_id"].as_str().expect("an id").to_owned()
    };
    // What was before is not heard.
    send().await;
    let mut listener = listen(&app).await;
    sends.push(send().await);
    sends.push(send().await);
    let heard = listener.events(2).await;
    let sent_ids = heard.iter().map(|(_, body)| {
        let event: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(event["type"], "send.completed");
        event["data"]["send_id"].as_str().expect("an id").to_owned()
    });
    assert_eq!(sent_ids.collect::<Vec<_>>(), sends);
    let written: i64 = value(&server, "SELECT COUNT(*) FROM webhook_events").await;
    assert_eq!(written, 0);
    drop(listener);
    let mut left = 1;
    for _ in 0..10_000 {
        left = value(&server, "SELECT COUNT(*) FROM listeners").await;
        if left == 0 {
            break;
        }
    }
    assert_eq!(left, 0, "the place is free again");
    send().await;
    let written: i64 = value(&server, "SELECT COUNT(*) FROM heard_events").await;
    assert_eq!(written, 2, "nobody listens any more");
}

#[on_each_database]
async fn a_fifth_listener_waits_until_one_has_left(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let mut listeners = Vec::new();
    for _ in 0..4 {
        listeners.push(listen(&app).await);
    }
    let path = stream_path(&app);
    let refused = get(&app.admin, &path).await;
    assert_eq!(status_and_code(&refused), (429, "RATE_LIMITED".into()));
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    listeners.pop();
    let mut last = refused;
    for _ in 0..10_000 {
        last = get(&app.admin, &path).await;
        if last.status == 200 {
            break;
        }
    }
    assert_eq!(last.status, 200, "{last}");
    assert_eq!(last.header("content-type"), Some("text/event-stream"));
}

#[on_each_database]
async fn listening_ends_with_the_key_the_app_and_the_server(database: TestDatabase) {
    let mut server = start(ServerLaunch::on(BINARY, database)).await;
    let owned = app(&server, "owner@example.com").await;
    let other = app(&server, "other@example.com").await;
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", owned.id);
    let listener = listen(&owned).await;
    let until_deleted = EventStreamReader::open(&owned.owner, &stream_path(&owned)).await;
    let until_stopped = listen(&other).await;
    let keys = get(&owned.owner, &path("/keys")).await.json();
    let full = keys.as_array().expect("a list").iter();
    let full = full.filter(|key| key["scope"] == "full");
    for key in full {
        let key = key["id"].as_str().expect("an id");
        let deleted = owned.owner.delete(&path(&format!("/keys/{key}"))).await;
        assert_eq!(deleted.expect("an answer").status, 200);
    }
    listener.end().await;
    let deleted = owned.owner.delete(&path("")).await;
    assert_eq!(deleted.expect("an answer").status, 200);
    until_deleted.end().await;
    let ended = server.terminate().await.expect("an end");
    assert!(ended.success(), "{ended}");
    assert!(!server.log().contains("draining takes too long"));
    until_stopped.end().await;
}
