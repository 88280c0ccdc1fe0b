//! Who listens at one server hears what happens at the other, and listeners are counted over both.

use hato_testkit::event_stream_reader::EventStreamReader;
use serde_json::json;

use super::ServerPair;
use crate::fixtures::{get, post, status_and_code};

#[tokio::test]
async fn events_are_heard_wherever_they_happen() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    let path = format!("/api/v1/apps/{}/events/stream", app.id);
    let mut listeners = Vec::new();
    for number in 0..4 {
        let client = fleet.client(&app.admin, number);
        listeners.push(EventStreamReader::open(&client, &path).await);
    }
    for number in 0..2 {
        let refused = get(&fleet.client(&app.admin, number), &path).await;
        assert_eq!(status_and_code(&refused), (429, "RATE_LIMITED".into()));
    }
    let mut sends = Vec::new();
    for number in 0..6 {
        let backend = fleet.client(&app.backend, number);
        let message = json!({"title": "t", "body": "b"});
        let sent = post(&backend, "/api/v1/notify", &message).await;
        assert_eq!(sent.status, 202, "{sent}");
        sends.push(sent.json()["send_id"].clone());
    }
    for listener in &mut listeners {
        let heard = listener.events(sends.len()).await.into_iter();
        let sent_ids = heard.map(|(_, body)| {
            let event: serde_json::Value = serde_json::from_str(&body).expect("JSON");
            event["data"]["send_id"].clone()
        });
        assert_eq!(sent_ids.collect::<Vec<_>>(), sends);
    }
}
