//! Attempts to post events, and events that are dropped.

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch, series_value};
use hato_testkit::webhook_receiver::{ReceiverResponse, WebhookReceiver};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use super::{launch, scrape, wait_until};
use crate::database::execute;
use crate::fixtures::{app, post, send, start};

/// A server, and an app of its own without subscribers, whose sends are an event each.
async fn with_webhook(launch: ServerLaunch, url: &str) -> (HatoServer, OwnedApp) {
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let webhook = json!({"webhook_url": url}).to_string();
    let path = format!("/api/v1/apps/{}", app.id);
    let set = send(&app.owner, Method::PATCH, &path, &[], webhook).await;
    assert_eq!(set.status, 200, "{set}");
    (server, app)
}

async fn notify(app: &OwnedApp) {
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
}

#[on_each_database]
async fn attempts_to_post_are_counted_by_outcome_and_timed(database: TestDatabase) {
    let push = PushService::start().await;
    let receiver = WebhookReceiver::start(push.ca()).await;
    let launch = launch(database).with_push_service(&push);
    let launch = launch.env("HATO_WEBHOOK_RETRY_DELAYS", "1ms");
    let (server, app) = with_webhook(launch, receiver.url()).await;
    let metrics = server.metrics_client();
    // The first event arrives when it is posted again; the second has used up its attempts.
    let answers = [503, 204, 503, 503].map(ReceiverResponse::Status);
    receiver.script(answers);
    for posted in [2, 4] {
        notify(&app).await;
        receiver.wait_until(|seen| seen.len() == posted).await;
    }
    let outcomes = |text: &str| {
        ["arrived", "retried", "failed"].map(|outcome| {
            let series = format!("hato_webhook_attempts_total{{outcome=\"{outcome}\"}}");
            series_value(text, &series)
        })
    };
    let expected = [Some(1.0), Some(2.0), Some(1.0)];
    wait_until(&metrics, |text| outcomes(text) == expected).await;
    let text = scrape(&metrics).await;
    let duration = |part| {
        series_value(
            &text,
            &format!("hato_webhook_attempt_duration_seconds_{part}"),
        )
    };
    assert_eq!(duration("count"), Some(4.0), "{text}");
    assert!(duration("sum") > Some(0.0), "{text}");
}

#[on_each_database]
async fn events_that_are_too_old_are_counted_as_dropped(database: TestDatabase) {
    let api = launch(database).env("HATO_ROLE", "api");
    let (api, app) = with_webhook(api, "https://hooks.example/").await;
    for _ in 0..3 {
        notify(&app).await;
    }
    // By six days.
    let aged = "UPDATE webhook_events SET created_at = created_at - 518400000";
    execute(&api, aged).await;
    let worker = start(api.launch().clone().env("HATO_ROLE", "worker")).await;
    let metrics = worker.metrics_client();
    let dropped = |text: &str| series_value(text, "hato_webhook_dropped_events_total");
    wait_until(&metrics, |text| {
        let queued = series_value(text, "hato_webhook_queued_events");
        dropped(text) == Some(3.0) && queued == Some(0.0)
    })
    .await;
}
