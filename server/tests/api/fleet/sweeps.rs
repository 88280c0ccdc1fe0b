//! One janitor at a time removes what is too old.

use std::time::{Duration, Instant};

use hato_testkit::TestDatabase;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::time::interval;

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

/// Copies of the one send that there is, which are old: forty steps of a sweep.
const OLD_SENDS: &str = "
    INSERT INTO sends
    SELECT old.* FROM sends, generate_series(1, 20000) AS number,
           jsonb_populate_record(sends, jsonb_build_object('id', number, 'created_at', 0)) AS old";

/// Waits until at most so many sends are there, and returns how many are.
async fn wait_for_sends(database: &TestDatabase, most: i64) -> i64 {
    let connection = PgConnection::connect(database.url()).await;
    let mut connection = connection.expect("the database");
    let mut ticks = interval(Duration::from_millis(10));
    loop {
        ticks.tick().await;
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM sends");
        let count = count.fetch_one(&mut connection).await.expect("counted");
        if count <= most {
            return count;
        }
    }
}

#[tokio::test]
async fn what_a_killed_worker_has_left_another_removes() {
    let launch = launch().await;
    let api = start(launch.clone().env("HATO_ROLE", "api")).await;
    let database = api.database();
    let app = app(&api, "owner@example.com").await;
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    database.execute(OLD_SENDS);

    let worker = launch.env("HATO_ROLE", "worker");
    let mut killed = start(worker.clone()).await;
    wait_for_sends(database, 20_000).await;
    killed.kill().await;
    let left = wait_for_sends(database, i64::MAX).await;
    assert!(left > 1, "it was in the middle of its sweep");
    // The rest of the lease would have to be waited for.
    database.execute("UPDATE sweep_lease SET ends_at = 0");
    let _other = start(worker).await;
    assert_eq!(wait_for_sends(database, 1).await, 1);
}
