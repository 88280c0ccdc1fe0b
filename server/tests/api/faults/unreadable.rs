//! A job that this program never wrote.

use hato_testkit::push_service::PushService;
use hato_testkit::server::Launch;
use serde_json::json;

use crate::fixtures::{
    BINARY, app, database, execute, post, register, start, wait_until, wait_until_logged,
};
use crate::metrics::{metrics_of, scrape, value};

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_cannot_be_read_is_put_off_and_the_others_are_delivered() {
    let push = PushService::start().await;
    let launch = Launch::new(BINARY).with_push_service(&push);
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
    let launch = Launch::new(BINARY)
        .data_dir(server.data_dir())
        .with_push_service(&push)
        .env("HATO_ROLE", "worker")
        .env("HATO_METRICS_LISTEN", "127.0.0.1:0");
    let worker = start(launch).await;
    let is_done = |it: &serde_json::Value| it["items"][0]["status"] == "done";
    let history = |place: usize| format!("/api/v1/apps/{}/notifications", apps[place].id);
    wait_until(&apps[1].owner, &history(1), is_done).await;

    wait_until_logged(&worker, "a job cannot be read").await;
    let counted = scrape(&metrics_of(&worker)).await;
    assert_eq!(value(&counted, "hato_unreadable_jobs_total"), Some(1.0));
    let mut rows = database(&server).await;
    let wait: i64 = sqlx::query_scalar(
        "SELECT j.due_at - s.created_at FROM jobs AS j JOIN sends AS s ON s.id = j.send_id",
    )
    .fetch_one(&mut rows)
    .await
    .expect("one is left");
    assert!(wait >= 3_600_000, "{wait} ms");

    execute(
        &server,
        "UPDATE jobs SET recipients = '[' || (SELECT MIN(id) FROM subscriptions) || ']', due_at = 0",
    )
    .await;
    wait_until(&apps[0].owner, &history(0), is_done).await;
}
