//! What is removed, and when (CONTRACT 1, 4).

use std::time::Duration;

use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tokio::time::{interval, timeout};

use crate::database::{bytes, execute, random_bytes, value};
use crate::fixtures::{BINARY, app, get, post, start, status_and_code, subscribe, wait_until};

/// How large SQLite's file is. PostgreSQL's are its own business.
const PAGES: &str = "PRAGMA page_count";

/// A server that delivers and removes nothing, on data that a second one can be started on.
async fn api_server(database: TestDatabase) -> HatoServer {
    start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await
}

fn worker(server: &HatoServer) -> ServerLaunch {
    server.launch().clone().env("HATO_ROLE", "worker")
}

async fn number(server: &HatoServer, query: &str) -> i64 {
    value(server, query).await
}

/// Each of them fills a page of SQLite's file.
async fn subscribe_three_thousand(server: &HatoServer) {
    let (random, long) = (random_bytes(server), "0".repeat(2_000));
    let (p256dh, auth) = (bytes(server, &[4]), bytes(server, &[1]));
    let statement = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position,
                                   created_at)
        SELECT 'sub_' || i, (SELECT id FROM apps), 'https://push.example.com/{long}', {random},
               {p256dh}, {auth}, 1000 + i, 0
        FROM n"
    );
    execute(server, &statement).await;
}

async fn wait_until_below(server: &HatoServer, query: &str, limit: i64) {
    let asking = async {
        let mut ticks = interval(Duration::from_millis(100));
        while number(server, query).await >= limit {
            ticks.tick().await;
        }
    };
    let in_time = timeout(Duration::from_mins(2), asking).await;
    in_time.unwrap_or_else(|_| panic!("never below {limit}: {query}"));
}

#[on_each_database]
async fn sends_are_kept_for_as_many_days_as_were_set(database: TestDatabase) {
    let server = api_server(database).await;
    let app = app(&server, "owner@example.com").await;
    for title in ["old", "new"] {
        let message = json!({"title": title, "body": "b"});
        let sent = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(sent.status, 202);
    }
    execute(
        &server,
        "UPDATE sends SET created_at = created_at - 86400000 * CASE title WHEN 'old' THEN 3 ELSE 1 END",
    )
    .await;
    let _worker = start(worker(&server).env("HATO_RETENTION_DAYS", "2")).await;
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let is_one = |it: &serde_json::Value| it["items"].as_array().is_some_and(|it| it.len() == 1);
    let kept = wait_until(&app.owner, &path, is_one).await;
    assert_eq!(kept["items"][0]["title"], "new");
}

#[on_each_database]
async fn a_deleted_app_is_gone_before_its_rows_and_their_space_are(database: TestDatabase) {
    let server = api_server(database).await;
    let app = app(&server, "owner@example.com").await;
    subscribe(&app, 20).await;
    let message = json!({"title": "t", "body": "b"});
    for _ in 0..3 {
        let sent = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(sent.json()["queued"], 20);
    }
    let path = format!("/api/v1/apps/{}", app.id);
    subscribe_three_thousand(&server).await;
    let deleted = app.owner.delete(&path).await.expect("an answer");
    assert_eq!(deleted.status, 200, "{deleted}");
    let rows = "SELECT (SELECT COUNT(*) FROM subscriptions) + (SELECT COUNT(*) FROM jobs)";
    assert_eq!(
        number(&server, rows).await,
        3_023,
        "the request removes none"
    );
    let is_sqlite = !server.database().is_postgres();
    assert!(!is_sqlite || number(&server, PAGES).await > 3_000);
    let refused = get(&app.admin, &path).await;
    assert_eq!(status_and_code(&refused), (401, "INVALID_API_KEY".into()));

    let _worker = start(worker(&server)).await;
    let everything = "SELECT (SELECT COUNT(*) FROM apps) + (SELECT COUNT(*) FROM subscriptions)
                             + (SELECT COUNT(*) FROM sends) + (SELECT COUNT(*) FROM api_keys)";
    wait_until_below(&server, everything, 1).await;
    if is_sqlite {
        wait_until_below(&server, PAGES, 1_500).await;
    }
}
