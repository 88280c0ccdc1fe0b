//! Statistics (SPEC 4.5, CONTRACT 3, 4).

use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, get, post, register, registration, setup, start, status_and_code, wait_until,
};

const DAY: i64 = 86_400_000;

/// The moment of an answer that tells one, Unix milliseconds.
fn time(value: &Value) -> i64 {
    value.as_i64().expect("a time")
}

#[on_each_database]
async fn a_new_app_has_zeros_for_30_days(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let shown = get(&app.owner, &format!("/api/v1/apps/{}", app.id)).await;
    let created_at = time(&shown.json()["created_at"]);
    let stats = get(&app.admin, "/api/v1/stats").await.json();
    let days = stats["daily"].as_array().expect("days");
    assert_eq!(days.len(), 30);
    for day in days {
        let zeros = json!({
            "date": day["date"], "sends": 0, "sent": 0, "failed": 0,
            "displayed": 0, "clicked": 0, "dismissed": 0,
        });
        assert_eq!(day, &zeros);
    }
    let dates: Vec<_> = days.iter().filter_map(|day| day["date"].as_str()).collect();
    assert!(dates.is_sorted_by(|a, b| a < b), "{dates:?}");
    let resets_at = time(&stats["monthResetsAt"]);
    assert_eq!(resets_at % DAY, 0);
    let ahead = resets_at - created_at;
    assert!(0 < ahead && ahead <= 31 * DAY, "{ahead}");
    let expected = json!({
        "activeSubscribers": 0,
        "deactivatedSubscribers": 0,
        "totalSent": 0,
        "totalFailed": 0,
        "totalDisplayed": 0,
        "totalClicked": 0,
        "totalDismissed": 0,
        "monthlySent": 0,
        "monthlyLimit": 30_000,
        "monthResetsAt": resets_at,
        "daily": days,
    });
    assert_eq!(stats, expected);
}

#[on_each_database]
async fn every_way_to_the_statistics_shows_the_same(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let endpoint = registration("https://push.example.com/1");
    post(&app.frontend, "/api/v1/subscriptions", &endpoint).await;
    let stats = get(&app.admin, "/api/v1/stats").await.json();
    assert_eq!(stats["activeSubscribers"], 1);
    let named = format!("/api/v1/stats?appId={}", app.id);
    let of_app = format!("/api/v1/apps/{}/stats", app.id);
    for client in [&app.owner, &app.admin] {
        for path in ["/api/v1/stats", "/api/v1/stats?appId=", &named, &of_app] {
            assert_eq!(get(client, path).await.json(), stats, "{path}");
        }
    }
}

#[on_each_database]
async fn a_session_names_its_app_unless_there_is_one(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_DEFAULT_PLAN", "pro")).await;
    let (first, other) = (
        app(&server, "owner@example.com").await,
        app(&server, "other@example.com").await,
    );
    let second = first.owner.create_app("Second").await.expect("an app");
    for path in ["/api/v1/stats", "/api/v1/stats?appId="] {
        let reply = get(&first.owner, path).await;
        assert_eq!(status_and_code(&reply), (400, "MISSING_FIELDS".into()));
    }
    for id in [first.id.as_str(), second["appId"].as_str().expect("an id")] {
        let reply = get(&first.owner, &format!("/api/v1/stats?appId={id}")).await;
        assert_eq!(reply.status, 200, "{reply}");
        assert!(reply.json()["monthlyLimit"].is_null());
    }
    for id in [other.id.as_str(), "nonsense", "app_0"] {
        let path = format!("/api/v1/stats?appId={id}");
        let reply = get(&first.owner, &path).await;
        assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()), "{id}");
        let reply = get(&first.admin, &path).await;
        assert_eq!(
            status_and_code(&reply),
            (403, "APP_MISMATCH".into()),
            "{id}"
        );
        let reply = get(&first.backend, &path).await;
        assert_eq!(
            status_and_code(&reply),
            (403, "INSUFFICIENT_SCOPE".into()),
            "{id}"
        );
    }
}

#[on_each_database]
async fn a_session_without_an_app_has_no_statistics(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let gone = app.owner.delete(&format!("/api/v1/apps/{}", app.id)).await;
    assert_eq!(gone.expect("an answer").status, 200);
    let reply = get(&app.owner, "/api/v1/stats").await;
    assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()));
}

#[on_each_database]
async fn what_was_sent_is_counted(database: TestDatabase) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 5);
    register(&app.frontend, &browsers).await;
    push.always_respond(&browsers[0], ScriptedResponse::Status(410));
    push.always_respond(&browsers[1], ScriptedResponse::Status(400));
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");

    let settled = |stats: &Value| stats["totalSent"] == 3 && stats["totalFailed"] == 2;
    let stats = wait_until(&app.admin, "/api/v1/stats", settled).await;
    assert_eq!(stats["activeSubscribers"], 4);
    assert_eq!(stats["deactivatedSubscribers"], 1);
    assert_eq!(stats["monthlySent"], 5);
    let days = stats["daily"].as_array().expect("days");
    // The send may have been accepted just before midnight.
    let counted = days.iter().rev().find(|day| day["sends"] != 0);
    let counted = counted.expect("a day with the send");
    let expected = json!({
        "date": counted["date"], "sends": 1, "sent": 3, "failed": 2,
        "displayed": 0, "clicked": 0, "dismissed": 0,
    });
    assert_eq!(counted, &expected);
}
