//! Reads whose cost grows with what an account has stored leave the others theirs.

use std::time::Duration;

use hato_testkit::owner::PASSWORD;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::interval;

use crate::database::DatabaseConnection;
use crate::fixtures::{BINARY, app, get, post, send, start};

/// More than have a turn within the time that a read waits for one.
const READS: usize = 32;
/// Between two of them, so that their times are not up together.
const BETWEEN: Duration = Duration::from_millis(10);

/// What the page of a send says when its failures were not looked at to the end.
const CUT_SHORT: &str = "一部だけを調べた内訳です";

/// From now on every send has a recipient that has failed, and whoever looks for them finds no end.
async fn make_endless(connection: &mut DatabaseConnection) {
    let failed = "UPDATE sends SET recipients = 1, failed_other = 1";
    connection.execute(failed).await;
    let statements = match connection {
        DatabaseConnection::Postgres(_) => {
            "BEGIN; LOCK TABLE send_failures IN ACCESS EXCLUSIVE MODE"
        }
        DatabaseConnection::Sqlite(_) => {
            "ALTER TABLE send_failures RENAME TO kept;
             CREATE VIEW send_failures AS
                WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
                SELECT send_id, host, reason, recipients FROM numbers CROSS JOIN kept WHERE n < 0"
        }
    };
    connection.execute(statements).await;
}

#[on_each_database]
async fn an_account_that_reads_without_an_end_leaves_another_one_its_turn(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let hostile = app(&server, "hostile@example.com").await;
    let other = app(&server, "other@example.com").await;
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&hostile.backend, "/api/v1/notify", &message)
        .await
        .json();
    let page = format!(
        "/apps/{}/sends/{}",
        hostile.id,
        accepted["send_id"].as_str().expect("an id")
    );
    let session = server
        .client()
        .log_in("hostile@example.com", PASSWORD)
        .await;
    let cookie = format!("hato_session={}", session.expect("a session"));

    let mut connection = DatabaseConnection::to(&server).await;
    make_endless(&mut connection).await;
    let (mut reads, mut ticks) = (JoinSet::new(), interval(BETWEEN));
    for _ in 0..READS {
        ticks.tick().await;
        let (client, page, cookie) = (server.client(), page.clone(), cookie.clone());
        reads.spawn(async move {
            let headers = [("cookie", cookie.as_str())];
            send(&client, Method::GET, &page, &headers, "").await
        });
    }
    let path = format!("/api/v1/apps/{}/audience?tags=!rare", other.id);
    let audience = get(&other.owner, &path).await;
    assert_eq!(audience.status, 200, "{audience}");
    for page in reads.join_all().await {
        assert_eq!(page.status, 200, "{page}");
        assert!(
            page.text().contains(CUT_SHORT),
            "it has an end: {}",
            page.text()
        );
    }
    connection.close().await;
}
