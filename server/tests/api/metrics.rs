//! `GET /metrics` on a listener of its own (CONTRACT 1, `HATO_METRICS_LISTEN`).

mod moments;
mod passwords;
mod webhooks;

use hato_testkit::client::Client;
use hato_testkit::owner::PASSWORD;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::{ServerLaunch, series_value};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;
use tokio::time::{Duration, interval, timeout};

use crate::fixtures::{BINARY, app, get, post, registration, send, server, start, status_and_code};

fn launch(database: TestDatabase) -> ServerLaunch {
    ServerLaunch::on(BINARY, database).env("HATO_METRICS_LISTEN", "127.0.0.1:0")
}

pub async fn scrape(metrics: &Client) -> String {
    let reply = get(metrics, "/metrics").await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    reply.text()
}

#[on_each_database]
async fn requests_are_counted_by_route_and_status(database: TestDatabase) {
    let server = start(launch(database)).await;
    let client = server.client();
    let metrics = server.metrics_client();
    for path in [
        "/api/v1/apps/app_1",
        "/api/v1/apps/app_2",
        "/api/v1/secret-1",
        "/secret-2",
        "/apps/app_3",
    ] {
        get(&client, path).await;
    }
    let made_up = Method::from_bytes(b"SECRET3").expect("a method");
    send(&client, made_up, "/auth/login", &[], "").await;

    let text = scrape(&metrics).await;
    for (labels, count) in [
        (
            r#"method="GET",route="/api/v1/apps/{appId}",status="401""#,
            2.0,
        ),
        (r#"method="GET",route="unmatched",status="404""#, 2.0),
        (r#"method="other",route="/auth/login",status="405""#, 1.0),
    ] {
        let series = format!("hato_http_requests_total{{{labels}}}");
        assert_eq!(
            series_value(&text, &series),
            Some(count),
            "{series} in {text}"
        );
    }
    assert!(text.contains(r#"route="/apps/{app}""#), "{text}");
    let durations = r#"hato_http_request_duration_seconds_count{route="/api/v1/apps/{appId}"}"#;
    assert_eq!(series_value(&text, durations), Some(2.0), "{text}");
    let longest = r#"hato_http_request_duration_seconds_bucket{route="unmatched",le="+Inf"}"#;
    assert_eq!(series_value(&text, longest), Some(2.0), "{text}");
    for raw in ["app_1", "app_2", "app_3", "secret", "SECRET"] {
        assert!(!text.contains(raw), "{raw} in {text}");
    }
}

#[on_each_database]
async fn deliveries_are_counted_by_outcome(database: TestDatabase) {
    let service = PushService::start().await;
    let server = start(
        launch(database)
            .with_push_service(&service)
            .env("HATO_RETRY_DELAYS", "1ms,1h,1h"),
    )
    .await;
    let metrics = server.metrics_client();
    let before = scrape(&metrics).await;
    for outcome in ["sent", "expired", "failed", "retried"] {
        let series = format!("hato_deliveries_total{{outcome=\"{outcome}\"}}");
        assert_eq!(series_value(&before, &series), Some(0.0), "{before}");
    }

    let app = app(&server, "owner@example.com").await;
    for answers in [
        &[ScriptedResponse::Created][..],
        &[ScriptedResponse::Created],
        &[ScriptedResponse::Status(410)],
        &[ScriptedResponse::Status(400)],
        &[ScriptedResponse::Status(503), ScriptedResponse::Status(503)],
    ] {
        let browser = service.subscribe(Some(&app.vapid_public_key));
        service.script(&browser, answers.iter().cloned());
        let path = "/api/v1/subscriptions";
        let reply = post(&app.frontend, path, &browser.registration()).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let notification = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &notification).await;
    assert_eq!(sent.status, 202, "{sent}");

    let expected = [
        ("sent", 2.0),
        ("expired", 1.0),
        ("failed", 1.0),
        ("retried", 2.0),
    ];
    let settled = |text: &str| {
        let deliveries = expected.iter().all(|(outcome, count)| {
            let series = format!("hato_deliveries_total{{outcome=\"{outcome}\"}}");
            series_value(text, &series) == Some(*count)
        });
        deliveries && series_value(text, "hato_queued_pages") == Some(1.0)
    };
    wait_until(&metrics, settled).await;
}

pub async fn wait_until(metrics: &Client, done: impl Fn(&str) -> bool) {
    let mut last = String::new();
    let reading = async {
        let mut ticks = interval(Duration::from_millis(50));
        while !done(&last) {
            ticks.tick().await;
            last = scrape(metrics).await;
        }
    };
    let in_time = timeout(Duration::from_mins(1), reading).await.is_ok();
    assert!(in_time, "{last}");
}

#[on_each_database]
async fn what_nobody_delivers_is_queued(database: TestDatabase) {
    let api = start(launch(database).env("HATO_ROLE", "api")).await;
    let app = app(&api, "owner@example.com").await;
    let subscriber = registration("https://push.example/1");
    post(&app.frontend, "/api/v1/subscriptions", &subscriber).await;
    let metrics = api.metrics_client();
    for queued in 0..3 {
        let text = scrape(&metrics).await;
        let pages = series_value(&text, "hato_queued_pages");
        assert_eq!(pages, Some(f64::from(queued)), "{text}");
        let notification = json!({"title": "t", "body": "b"});
        let sent = post(&app.backend, "/api/v1/notify", &notification).await;
        assert_eq!(sent.status, 202, "{sent}");
    }
}

#[on_each_database]
async fn events_that_nobody_posts_grow_old(database: TestDatabase) {
    let api = launch(database)
        .env("HATO_ROLE", "api")
        .env("HATO_DEFAULT_PLAN", "pro");
    let api = start(api).await;
    let app = app(&api, "owner@example.com").await;
    let webhook = json!({"webhook_url": "https://hooks.example/"}).to_string();
    let path = format!("/api/v1/apps/{}", app.id);
    let set = send(&app.owner, Method::PATCH, &path, &[], webhook).await;
    assert_eq!(set.status, 200, "{set}");
    let metrics = api.metrics_client();
    let age = |text: &str| series_value(text, "hato_webhook_oldest_event_seconds");
    assert_eq!(age(&scrape(&metrics).await), Some(0.0));
    let notification = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &notification).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    wait_until(&metrics, |text| age(text) > Some(0.0)).await;
    let queued = series_value(&scrape(&metrics).await, "hato_webhook_queued_events");
    assert_eq!(queued, Some(1.0));
}

#[on_each_database]
async fn a_worker_has_metrics_of_its_own(database: TestDatabase) {
    let worker = start(launch(database).env("HATO_ROLE", "worker")).await;
    let text = scrape(&worker.metrics_client()).await;
    assert_eq!(
        series_value(&text, "hato_queued_pages"),
        Some(0.0),
        "{text}"
    );
    assert!(text.contains(r#"route="/readyz",status="200""#), "{text}");
    let version = env!("CARGO_PKG_VERSION");
    let build = format!("hato_build_info{{version=\"{version}\"}}");
    assert_eq!(series_value(&text, &build), Some(1.0), "{text}");
    assert!(series_value(&text, "process_start_time_seconds") > Some(1_600_000_000.0));
}

#[tokio::test]
async fn the_listener_has_nothing_else_and_the_server_no_metrics() {
    let measured = start(launch(TestDatabase::sqlite().await)).await;
    let elsewhere = get(&measured.metrics_client(), "/healthz").await;
    assert_eq!(elsewhere.status, 404);
    for server in [measured, server(TestDatabase::sqlite().await).await] {
        let reply = get(&server.client(), "/metrics").await;
        assert_eq!(reply.status, 404);
    }
    let worker = start(ServerLaunch::new(BINARY).env("HATO_ROLE", "worker")).await;
    let reply = get(&worker.client(), "/metrics").await;
    assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()));
}

#[on_each_database]
async fn a_login_verifies_a_password_whether_there_is_an_account_or_not(database: TestDatabase) {
    let server = start(launch(database)).await;
    let client = server.client();
    let metrics = server.metrics_client();
    let registered = client.register_account("owner@example.com", PASSWORD);
    registered.await.expect("an account");
    let series = "hato_password_verifications_total";
    for (number, (email, password, status)) in [
        ("owner@example.com", PASSWORD, 200),
        ("owner@example.com", "another password", 401),
        ("nobody@example.com", "another password", 401),
    ]
    .into_iter()
    .enumerate()
    {
        let before = series_value(&scrape(&metrics).await, series);
        assert_eq!(before, u32::try_from(number).ok().map(f64::from), "{email}");
        let login = json!({"email": email, "password": password});
        let reply = post(&client, "/auth/login", &login).await;
        assert_eq!(reply.status, status, "{reply}");
    }
    assert_eq!(series_value(&scrape(&metrics).await, series), Some(3.0));
}
