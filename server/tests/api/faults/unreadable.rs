//! A job that this program never wrote.

use hato_testkit::push_service::PushService;
use hato_testkit::server::{ServerLaunch, series_value};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use crate::database::{self, execute};
use crate::fixtures::{BINARY, app, post, register, start, wait_until, wait_until_logged};
use crate::metrics::scrape;

#[on_each_database(flavor = "multi_thread")]
async fn a_job_that_cannot_be_read_is_put_off_and_the_others_are_delivered(database: TestDatabase) {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch.env("HATO_ROLE", "api")).await;
    let apps = [
        app(&server, "first@example.com").await,
        app(&server, "second@example.com").await,
    ];
    for app in &apps {
        let browser = push.subscribe(Some(&app.vapid_public_key));
        register(&app.frontend, &[browser]).await;
        let message = json!({"title": "t", "body": "b"});
        let accepted = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(accepted.status, 202, "{accepted}");
    }
    execute(
        &server,
        "UPDATE jobs SET recipients = 'no list', up_to_position = NULL
         WHERE id = (SELECT MIN(id) FROM jobs)",
    )
    .await;
    let launch = server.launch().clone();
    let launch = launch
        .env("HATO_ROLE", "worker")
        .env("HATO_METRICS_LISTEN", "127.0.0.1:0");
    let worker = start(launch).await;
    let is_done = |it: &serde_json::Value| it["items"][0]["status"] == "done";
    let history = |place: usize| format!("/api/v1/apps/{}/notifications", apps[place].id);
    wait_until(&apps[1].owner, &history(1), is_done).await;

    wait_until_logged(&worker, "a job cannot be read").await;
    let counted = scrape(&worker.metrics_client()).await;
    assert_eq!(
        series_value(&counted, "hato_unreadable_jobs_total"),
        Some(1.0)
    );
    let wait = "SELECT j.due_at - s.created_at FROM jobs AS j JOIN sends AS s ON s.id = j.send_id";
    let wait: i64 = database::value(&server, wait).await;
    assert!(wait >= 3_600_000, "{wait} ms");

    execute(
        &server,
        "UPDATE jobs SET recipients = '[' || (SELECT MIN(id) FROM subscriptions) || ']', due_at = 0",
    )
    .await;
    wait_until(&apps[0].owner, &history(0), is_done).await;
}
