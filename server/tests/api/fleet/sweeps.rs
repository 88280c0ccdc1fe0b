//! One janitor at a time removes what is too old.

use std::time::{Duration, SystemTime};

use hato_testkit::TestDatabase;
use serde_json::json;

use super::launch;
use crate::fixtures::{app, post, start, wait_until};

/// How long the lease of a process lasts that died while it swept.
const REST_OF_LEASE: Duration = Duration::from_secs(5);

#[tokio::test]
async fn a_janitor_waits_for_the_lease_of_one_that_died_and_goes_on() {
    let database = TestDatabase::postgres().await;
    let api = start(launch(&database).env("HATO_ROLE", "api")).await;
    let app = app(&api, "owner@example.com").await;
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    database.execute("UPDATE sends SET created_at = 0");
    let end = SystemTime::now() + REST_OF_LEASE;
    let since_1970 = end.duration_since(SystemTime::UNIX_EPOCH);
    let millis = since_1970.expect("later than 1970").as_millis();
    database.execute(&format!("INSERT INTO sweep_lease VALUES (1, 1, {millis})"));

    let _worker = start(launch(&database).env("HATO_ROLE", "worker")).await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let is_empty = |it: &serde_json::Value| it["items"].as_array().is_some_and(Vec::is_empty);
    wait_until(&app.owner, &path, is_empty).await;
    assert!(SystemTime::now() >= end, "it was somebody else's turn");
}
