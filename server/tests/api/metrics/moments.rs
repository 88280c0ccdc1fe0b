//! What is as it is at a moment: the queue, the engine by push service, and the files.

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::{ServerLaunch, series_value};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tempfile::TempDir;

use super::{launch, scrape, wait_until};
use crate::fixtures::{app, post, registration, start};
use crate::process::program;

#[on_each_database]
async fn a_page_that_nobody_takes_up_grows_old(database: TestDatabase) {
    let api = start(launch(database).env("HATO_ROLE", "api")).await;
    let app = app(&api, "owner@example.com").await;
    let subscriber = registration("https://push.example/1");
    post(&app.frontend, "/api/v1/subscriptions", &subscriber).await;
    let metrics = api.metrics_client();
    let age = |text: &str| series_value(text, "hato_queue_oldest_page_seconds");
    assert_eq!(age(&scrape(&metrics).await), Some(0.0));
    let notification = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &notification).await;
    wait_until(&metrics, |text| age(text) > Some(0.0)).await;
}

/// Registers a browser for each of these answers.
async fn subscribe(service: &PushService, app: &OwnedApp, answers: &[ScriptedResponse]) {
    for answer in answers {
        let browser = service.subscribe(Some(&app.vapid_public_key));
        service.always_respond(&browser, answer.clone());
        let registration = browser.registration();
        let reply = post(&app.frontend, "/api/v1/subscriptions", &registration).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
}

/// The value of a gauge at an origin.
fn at_origin(text: &str, name: &str, origin: &str) -> Option<f64> {
    series_value(text, &format!("{name}{{origin=\"{origin}\"}}"))
}

#[on_each_database]
async fn deliveries_are_told_by_push_service(database: TestDatabase) {
    let service = PushService::start().await;
    let server = start(launch(database).with_push_service(&service)).await;
    let metrics = server.metrics_client();
    let app = app(&server, "owner@example.com").await;
    subscribe(
        &service,
        &app,
        &[201, 201, 410].map(ScriptedResponse::Status),
    )
    .await;
    let notification = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &notification).await;
    let of_host = |text: &str, outcome| {
        let labels = format!("host=\"127.0.0.1\",outcome=\"{outcome}\"");
        series_value(text, &format!("hato_host_deliveries_total{{{labels}}}"))
    };
    let is_done = |text: &str| {
        of_host(text, "sent") == Some(2.0) && series_value(text, "hato_leased_pages") == Some(0.0)
    };
    wait_until(&metrics, is_done).await;

    let text = scrape(&metrics).await;
    assert_eq!(of_host(&text, "expired"), Some(1.0), "{text}");
    assert_eq!(of_host(&text, "failed"), Some(0.0), "{text}");
    let origin = service.origin();
    let open = at_origin(&text, "hato_push_connections", origin);
    assert!(open >= Some(1.0), "{text}");
    for (name, expected) in [
        ("hato_push_request_limit", 16.0),
        ("hato_push_waiting_requests", 0.0),
        ("hato_push_paused_apps", 0.0),
    ] {
        assert_eq!(at_origin(&text, name, origin), Some(expected), "{text}");
    }
    for (series, expected) in [
        ("hato_push_duration_seconds_count", 3.0),
        ("hato_delivery_delay_seconds_count", 2.0),
        ("hato_lost_leases_total", 0.0),
    ] {
        assert_eq!(
            series_value(&text, series),
            Some(expected),
            "{series} in {text}"
        );
    }
    let opened = r#"hato_push_connections_opened_total{result="opened"}"#;
    assert!(series_value(&text, opened) >= Some(1.0), "{text}");
}

#[on_each_database]
async fn a_push_service_that_throttles_pauses_the_app(database: TestDatabase) {
    let service = PushService::start().await;
    let server = start(launch(database).with_push_service(&service)).await;
    let metrics = server.metrics_client();
    let app = app(&server, "owner@example.com").await;
    let throttled = ScriptedResponse::RetryAfter(429, "3600".to_owned());
    subscribe(&service, &app, &vec![throttled; 16]).await;
    let notification = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &notification).await;
    let origin = service.origin();
    let paused = |text: &str| at_origin(text, "hato_push_paused_apps", origin);
    wait_until(&metrics, |text| paused(text) == Some(1.0)).await;
}

#[on_each_database]
async fn requests_that_push_services_do_not_answer_are_told(database: TestDatabase) {
    let service = PushService::start().await;
    let folder = TempDir::new().expect("a folder");
    // As many files as it may have open, whatever the system permits.
    let program = program(&folder, "ulimit -n 400 || exit");
    let launch = ServerLaunch::on(program, database).with_push_service(&service);
    let server = start(launch.env("HATO_METRICS_LISTEN", "127.0.0.1:0")).await;
    let metrics = server.metrics_client();
    let text = scrape(&metrics).await;
    // A quarter of the files.
    assert_eq!(
        series_value(&text, "hato_push_max_connections"),
        Some(100.0)
    );

    let app = app(&server, "owner@example.com").await;
    subscribe(&service, &app, &vec![ScriptedResponse::Hang; 3]).await;
    let notification = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &notification).await;
    let origin = service.origin();
    let requests = |text: &str| at_origin(text, "hato_push_requests", origin);
    let open = |text: &str| at_origin(text, "hato_push_connections", origin);
    // A request counts before its connection is open.
    wait_until(&metrics, |text| {
        requests(text) == Some(3.0) && open(text) >= Some(1.0)
    })
    .await;
    // They are given up, and tried again later.
    wait_until(&metrics, |text| requests(text).unwrap_or_default() == 0.0).await;
}

#[on_each_database]
async fn the_files_of_sqlite_are_measured_and_its_commits(database: TestDatabase) {
    let is_postgres = database.is_postgres();
    let server = start(launch(database)).await;
    let metrics = server.metrics_client();
    app(&server, "owner@example.com").await;
    let text = scrape(&metrics).await;
    let commits = series_value(&text, "hato_sqlite_commit_duration_seconds_count");
    let file = series_value(&text, "hato_sqlite_database_bytes");
    let log = series_value(&text, "hato_sqlite_wal_bytes");
    if is_postgres {
        assert_eq!((commits, file, log), (Some(0.0), None, None), "{text}");
    } else {
        assert!(commits > Some(0.0) && file >= Some(4_096.0), "{text}");
        assert!(log >= Some(0.0), "{text}");
    }
}
