//! Two servers that do not listen, as behind a transaction pooler: what one accepts, the other finds by asking again and again.

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::webhook_receiver::WebhookReceiver;
use http::Method;
use serde_json::json;

use super::launch;
use crate::fixtures::{app, post, register, send, start};

const SENDS: usize = 3;

#[tokio::test]
async fn who_does_not_listen_finds_sends_and_events_by_polling() {
    let push = PushService::start().await;
    let receiver = WebhookReceiver::start(push.ca()).await;
    let launch = launch()
        .await
        .with_push_service(&push)
        .env("HATO_DEFAULT_PLAN", "pro")
        .env("HATO_DATABASE_LISTEN", "false");
    let worker = start(launch.clone().env("HATO_ROLE", "worker")).await;
    let api = start(launch.env("HATO_ROLE", "api")).await;
    let app = app(&api, "owner@example.com").await;
    let app_path = format!("/api/v1/apps/{}", app.id);
    let webhook = json!({"webhook_url": receiver.url()}).to_string();
    let set = send(&app.owner, Method::PATCH, &app_path, &[], webhook).await;
    assert_eq!(set.status, 200, "{set}");
    // A send to nobody ends where it is accepted, and has one event. Whoever has posted that has nothing to do before the next.
    let mut events = 0;
    for _ in 0..SENDS {
        notify(&app).await;
        events += 1;
        receiver.wait_until(|seen| seen.len() == events).await;
    }
    // One to somebody has two: what became of the recipient, and the end.
    let browser = push.subscribe(Some(&app.vapid_public_key));
    register(&app.backend, &[browser]).await;
    for _ in 0..SENDS {
        notify(&app).await;
        events += 2;
        receiver.wait_until(|seen| seen.len() == events).await;
    }
    assert!(!worker.log().contains("wake-ups of other processes"));
}

async fn notify(app: &OwnedApp) {
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
}
