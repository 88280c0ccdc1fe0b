//! One janitor at a time removes what is too old.

use std::time::{Duration, Instant};

use serde_json::json;

use super::launch;
use crate::fixtures::{app, post, start, wait_until};

/// How long the lease of a process lasts that died while it swept.
const REST_OF_LEASE: Duration = Duration::from_secs(5);

#[tokio::test]
async fn a_janitor_waits_for_the_lease_of_one_that_died_and_goes_on() {
    let launch = launch().await;
    let api = start(launch.clone().env("HATO_ROLE", "api")).await;
    let database = api.database();
    let app = app(&api, "owner@example.com").await;
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    database.execute("UPDATE sends SET created_at = 0");
    let begin = Instant::now();
    let rest = REST_OF_LEASE.as_millis();
    database.execute(&format!(
        "INSERT INTO sweep_lease
         VALUES (1, 1, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + {rest})"
    ));

    let _worker = start(launch.env("HATO_ROLE", "worker")).await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let is_empty = |it: &serde_json::Value| it["items"].as_array().is_some_and(Vec::is_empty);
    wait_until(&app.owner, &path, is_empty).await;
    assert!(
        begin.elapsed() >= REST_OF_LEASE,
        "it was somebody else's turn"
    );
}
