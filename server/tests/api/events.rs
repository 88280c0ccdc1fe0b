//! What browsers report of notifications, and that it names nobody and counts once (CONTRACT 15).

mod counting_app;
mod kills;
mod webhook;

use std::collections::HashSet;
use std::time::Duration;

use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::database::{execute, value};
use crate::fixtures::{concurrently, get, post, send, wait_until};
pub use counting_app::CountingApp;

const PATH: &str = "/api/v1/events";

fn counts(send: &Value) -> [&Value; 4] {
    [
        &send["displayed_count"],
        &send["clicked_count"],
        &send["dismissed_count"],
        &send["clicks_by_action"],
    ]
}

#[on_each_database]
async fn each_message_has_a_token_of_its_own_and_without_counting_none(database: TestDatabase) {
    let counting = CountingApp::new(database, 40).await;
    counting.send().await;
    let tokens = counting.tokens();
    let distinct: HashSet<_> = tokens.iter().collect();
    assert_eq!((tokens.len(), distinct.len()), (40, 40));
    assert!(tokens.iter().all(|token| token.len() <= 40), "{tokens:?}");
    counting.change(&json!({"tracking": "off"})).await;
    counting.send().await;
    counting.push.seen(|seen| {
        for message in &seen.messages[40..] {
            let plaintext = message.plaintext.as_deref();
            assert_eq!(plaintext, Some(&br#"{"title":"t","body":"b"}"#[..]));
        }
    });
    counting.push.assert_no_violations();
}

#[on_each_database]
async fn a_token_counts_once_for_each_event(database: TestDatabase) {
    let counting = CountingApp::new(database, 5).await;
    let actions =
        json!([{"action": "read", "title": "Read"}, {"action": "later", "title": "Later"}]);
    let message = json!({"title": "t", "body": "b", "actions": actions});
    let path = counting.send_message(&message).await;
    let tokens = counting.tokens();
    for _ in 0..3 {
        counting.report_all(&tokens, "displayed").await;
        counting.report_all(&tokens[3..], "dismissed").await;
        counting.counted(&path, "dismissed_count", 2).await;
    }
    for (token, action) in [
        (0, json!("read")),
        (0, json!("later")),
        (1, json!("made up")),
        (1, json!("read")),
        (2, Value::Null),
    ] {
        let click = json!({"token": tokens[token], "event": "clicked", "action": action});
        assert_eq!(counting.report(&click).await.status, 204);
    }
    let send = counting.counted(&path, "clicked_count", 3).await;
    let expected = [&json!(5), &json!(3), &json!(2), &json!({"read": 1})];
    assert_eq!(counts(&send), expected);
    let again = json!({"token": tokens[2], "event": "clicked", "action": "read"});
    assert_eq!(counting.report(&again).await.status, 204);

    let stats = get(&counting.app.admin, "/api/v1/stats").await.json();
    let day = stats["daily"].as_array().expect("days").iter();
    let day = day.rev().find(|day| day["sends"] != 0).expect("a day");
    for (total, daily, count) in [
        ("totalDisplayed", "displayed", 5),
        ("totalClicked", "clicked", 3),
        ("totalDismissed", "dismissed", 2),
    ] {
        assert_eq!((&stats[total], &day[daily]), (&json!(count), &json!(count)));
    }
}

#[on_each_database]
async fn what_is_reported_is_visible_within_two_seconds(database: TestDatabase) {
    let counting = CountingApp::new(database, 1).await;
    let path = counting.send().await;
    let (owner, tokens) = (counting.owner().await, counting.tokens());
    for (event, of_send, of_stats) in [
        ("displayed", "displayed_count", "totalDisplayed"),
        ("clicked", "clicked_count", "totalClicked"),
        ("dismissed", "dismissed_count", "totalDismissed"),
    ] {
        counting.report_all(&tokens, event).await;
        let visible = async {
            wait_until(&owner, &path, |send| send[of_send] == 1).await;
            let stats = get(&counting.app.admin, "/api/v1/stats").await.json();
            assert_eq!(stats[of_stats], 1, "{stats}");
        };
        let visible = timeout(Duration::from_secs(2), visible).await;
        assert!(visible.is_ok(), "{event} after two seconds");
    }
}

/// Reports that are none: made up, cut, foreign, and whatever else strangers send.
fn bad_reports(own: &str, foreign: &str) -> Vec<String> {
    let forged = |text: &str| json!({"token": text, "event": "displayed"}).to_string();
    let other_end = if own.ends_with('A') { "Q" } else { "A" };
    let mut reports = vec![
        forged(&format!("{}{other_end}", &own[..39])),
        forged(&own[..39]),
        forged(&format!("{own}A")),
        forged(&own.chars().rev().collect::<String>()),
        forged(foreign),
        forged(&"A".repeat(40)),
        forged(""),
        json!({"token": own}).to_string(),
        json!({"token": own, "event": "opened"}).to_string(),
        json!({"token": own, "event": "displayed", "action": 7}).to_string(),
        json!({"token": [own], "event": "displayed"}).to_string(),
        json!([{"token": own, "event": "displayed"}]).to_string(),
        format!(r#"{{"token":"{own}","event":"displayed","event":"clicked"}}"#),
        format!(
            r#"{{"token":"{own}","event":"displayed","x":"{}"}}"#,
            "x".repeat(300_000)
        ),
        "{".to_owned(),
        "null".to_owned(),
        String::new(),
    ];
    reports.extend((0..=u8::MAX).map(|byte| forged(&char::from(byte).to_string().repeat(40))));
    reports
}

#[on_each_database]
async fn what_is_no_report_is_answered_alike_and_counts_nothing(database: TestDatabase) {
    let counting = CountingApp::new(database, 2).await;
    let stranger = CountingApp::new(TestDatabase::sqlite().await, 1).await;
    let path = counting.send().await;
    stranger.send().await;
    let (tokens, foreign) = (counting.tokens(), stranger.tokens());
    let client = counting.server.client();
    let good = json!({"token": tokens[0], "event": "dismissed"});
    let mut first = post(&client, PATH, &good).await;
    first.headers.remove("x-request-id");
    first.headers.remove("date");
    for report in bad_reports(&tokens[1], &foreign[0]) {
        let mut reply = send(&client, Method::POST, PATH, &[], report.clone()).await;
        reply.headers.remove("x-request-id");
        reply.headers.remove("date");
        let seen = (reply.status, &reply.body, &reply.headers);
        let expected = (first.status, &first.body, &first.headers);
        assert_eq!(
            seen,
            expected,
            "{}",
            report.chars().take(80).collect::<String>()
        );
    }
    counting.report_all(&tokens[..1], "clicked").await;
    let send = counting.counted(&path, "clicked_count", 1).await;
    let expected = [&json!(0), &json!(1), &json!(1), &json!({})];
    assert_eq!(counts(&send), expected);
}

#[on_each_database]
async fn ten_thousand_pages_report_without_a_credential_or_a_limit(database: TestDatabase) {
    let counting = CountingApp::new(database, 1).await;
    let path = counting.send().await;
    let client = counting.server.client();
    let headers = [
        ("origin", "https://shop.example"),
        ("sec-fetch-site", "cross-site"),
        ("authorization", "Bearer pk_unknown"),
    ];
    let report = json!({"token": counting.tokens()[0], "event": "displayed"}).to_string();
    for _ in 0..100 {
        let requests = (0..100).map(|_| {
            let (client, report) = (client.clone(), report.clone());
            async move { send(&client, Method::POST, PATH, &headers, report).await }
        });
        for reply in concurrently(requests).await {
            assert_eq!(reply.status, 204);
            assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        }
    }
    counting.counted(&path, "displayed_count", 1).await;
    let wrong = send(&client, Method::GET, PATH, &[], "").await;
    assert_eq!(
        (wrong.status.as_u16(), wrong.header("allow")),
        (405, Some("POST"))
    );
}

#[on_each_database]
async fn a_send_that_ended_long_ago_counts_no_more(database: TestDatabase) {
    let counting = CountingApp::new(database, 2).await;
    let (old, new) = (counting.send().await, counting.send().await);
    let tokens = counting.tokens();
    let id = old.rsplit('/').next().expect("an id");
    let (week, hour) = (7 * 24 * 3_600_000_i64, 3_600_000_i64);
    let statement = format!(
        "UPDATE sends SET finished_at = finished_at - {} WHERE id = '{id}'",
        week + 2 * hour
    );
    execute(&counting.server, &statement).await;
    counting.report_all(&tokens, "displayed").await;
    counting.counted(&new, "displayed_count", 2).await;
    let owner = counting.owner().await;
    assert_eq!(get(&owner, &old).await.json()["displayed_count"], 0);
}

#[on_each_database]
async fn a_send_that_cannot_be_counted_now_waits_and_keeps_no_other_waiting(
    database: TestDatabase,
) {
    let counting = CountingApp::new(database, 1).await;
    let mut paths = Vec::new();
    for _ in 0..10 {
        paths.push(counting.send().await);
    }
    // Sends are counted in the order of their ids, which is that of their making.
    let (broken, others) = paths.split_first().expect("ten");
    let id = broken.rsplit('/').next().expect("an id");
    let set_clicks =
        |clicks: &str| format!("UPDATE sends SET clicks_by_action = {clicks} WHERE id = '{id}'");
    execute(&counting.server, &set_clicks("'no JSON'")).await;
    counting.report_all(&counting.tokens(), "displayed").await;
    let owner = counting.owner().await;
    let is_counted = |send: &Value| send["displayed_count"] == 1;
    for path in others {
        wait_until(&owner, path, is_counted).await;
    }
    execute(&counting.server, &set_clicks("NULL")).await;
    wait_until(&owner, broken, is_counted).await;
}

#[on_each_database]
async fn who_was_counted_is_forgotten_when_their_tokens_are_old(database: TestDatabase) {
    let mut counting = CountingApp::new(database, 3).await;
    let path = counting.send().await;
    counting.report_all(&counting.tokens(), "displayed").await;
    counting.counted(&path, "displayed_count", 3).await;
    let rows = "SELECT COUNT(*) FROM engaged_recipients";
    assert!(value::<i64>(&counting.server, rows).await > 0);
    execute(
        &counting.server,
        "UPDATE engaged_recipients SET hour = hour - 170",
    )
    .await;
    // It sweeps when it starts.
    counting.server.restart().await.expect("it starts again");
    while value::<i64>(&counting.server, rows).await > 0 {
        tokio::task::yield_now().await;
    }
    let owner = counting.owner().await;
    assert_eq!(get(&owner, &path).await.json()["displayed_count"], 3);
}

#[on_each_database]
async fn what_was_counted_survives_a_crash_and_counts_no_second_time(database: TestDatabase) {
    let mut counting = CountingApp::new(database, 20).await;
    let path = counting.send().await;
    let tokens = counting.tokens();
    counting.report_all(&tokens[..10], "displayed").await;
    counting.counted(&path, "displayed_count", 10).await;
    counting.server.kill().await;
    counting.server.restart().await.expect("it starts again");
    counting.report_all(&tokens, "displayed").await;
    let send = counting.counted(&path, "displayed_count", 20).await;
    assert_eq!(send["sent_count"], 20);
}

#[on_each_database]
async fn a_stop_counts_what_was_reported(database: TestDatabase) {
    let mut counting = CountingApp::new(database, 20).await;
    let path = counting.send().await;
    counting.report_all(&counting.tokens(), "clicked").await;
    let ended = counting.server.terminate().await.expect("it stops");
    assert!(ended.success(), "{}", counting.server.log());
    counting.server.restart().await.expect("it starts again");
    let owner = counting.owner().await;
    assert_eq!(get(&owner, &path).await.json()["clicked_count"], 20);
}
