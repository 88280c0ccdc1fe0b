//! Two servers deliver and post: each event once.

use std::collections::HashSet;

use hato_testkit::push_service::PushService;
use hato_testkit::webhook_receiver::{Event, WebhookReceiver};
use http::Method;
use serde_json::json;

use super::ServerPair;
use crate::fixtures::{count, post, send};

const SENDS: usize = 40;

#[tokio::test]
async fn each_event_is_posted_once() {
    let push = PushService::start().await;
    let receiver = WebhookReceiver::start(push.ca()).await;
    let mut fleet = ServerPair::with(|launch| {
        launch
            .with_push_service(&push)
            .env("HATO_DEFAULT_PLAN", "pro")
    })
    .await;
    let app = fleet.app().await;
    let webhook = json!({"webhook_url": receiver.url()}).to_string();
    let path = format!("/api/v1/apps/{}", app.id);
    let set = send(&app.owner, Method::PATCH, &path, &[], webhook).await;
    assert_eq!(set.status, 200, "{set}");
    let browser = push.subscribe(Some(&app.vapid_public_key)).registration();
    let registered = post(&app.backend, "/api/v1/subscriptions", &browser).await;
    assert_eq!(registered.status, 201, "{registered}");

    let message = |_: usize| json!({"title": "t", "body": "b"});
    let sending = fleet.post_concurrently(&app.backend, "/api/v1/notify", SENDS, message);
    assert_eq!(count(&sending.await, 202), SENDS);
    // What became of the recipient, and that the send is complete.
    receiver.wait_until(|seen| seen.len() >= 2 * SENDS).await;
    for server in &mut fleet.servers {
        let ended = server.terminate().await.expect("an end");
        assert!(ended.success(), "{ended}");
    }
    let events = receiver.seen();
    let ids: HashSet<_> = events.iter().map(Event::id).collect();
    assert_eq!((events.len(), ids.len()), (2 * SENDS, 2 * SENDS));
    push.assert_no_violations();
}
