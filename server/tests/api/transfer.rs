//! Subscribers that come from elsewhere, and those that leave (CONTRACT 16).

mod faults;
mod revoked;

use futures_util::future::{Either, select};
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::database::DatabaseConnection;
use crate::fixtures::{
    AUTH, BINARY, P256DH, app, get, post, registration, send, setup, start, status_and_code,
};

fn endpoint(number: usize) -> String {
    format!("https://push.example.com/{number}")
}

fn items(numbers: impl IntoIterator<Item = usize>) -> Vec<Value> {
    let numbers = numbers.into_iter();
    numbers.map(|it| registration(&endpoint(it))).collect()
}

fn path(app: &OwnedApp, rest: &str) -> String {
    format!("/api/v1/apps/{}{rest}", app.id)
}

async fn bulk(app: &OwnedApp, query: &str, items: &[Value]) -> Reply {
    let path = path(app, &format!("/subscriptions/bulk{query}"));
    post(&app.admin, &path, &json!({"items": items})).await
}

/// How many were created and updated, and the places and codes of the others.
fn summary(reply: &Reply) -> (u64, u64, Vec<(u64, String)>) {
    assert_eq!(reply.status, 200, "{reply}");
    let answer = reply.json();
    let number = |value: &Value| value.as_u64().expect("a number");
    let rejected = answer["rejected"].as_array().expect("a list").iter();
    let rejected = rejected.map(|it| {
        assert!(
            it["message"].as_str().is_some_and(|text| !text.is_empty()),
            "{it}"
        );
        (
            number(&it["index"]),
            it["code"].as_str().expect("a code").to_owned(),
        )
    });
    (
        number(&answer["created"]),
        number(&answer["updated"]),
        rejected.collect(),
    )
}

async fn active(app: &OwnedApp) -> Value {
    get(&app.admin, &path(app, "")).await.json()["active_subscriptions"].clone()
}

/// The lines of the export, and all of it.
async fn export(client: &Client, app: &OwnedApp) -> (Vec<Value>, String) {
    let reply = get(client, &path(app, "/export")).await;
    assert_eq!(reply.status, 200, "{reply}");
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    let text = reply.text();
    assert!(text.is_empty() || text.ends_with('\n'));
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    (lines.collect(), text)
}

/// A line of an export as a bulk registration takes it.
fn as_item(line: &Value) -> Value {
    let mut item = line.clone();
    let keys = item["keys"].take();
    item["p256dh"] = keys["p256dh"].clone();
    item["auth"] = keys["auth"].clone();
    item
}

#[on_each_database]
async fn each_item_is_judged_by_itself(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    post(
        &app.backend,
        "/api/v1/subscriptions",
        &registration(&endpoint(1)),
    )
    .await;
    let mut all = items([1, 2, 3, 2]);
    all.push(json!({"endpoint": endpoint(4), "p256dh": P256DH}));
    all.push(registration("http://push.example.com/5"));
    all.push(registration("https://127.0.0.1/6"));
    all.push(json!({"endpoint": endpoint(7), "p256dh": "short", "auth": AUTH}));
    all.push(json!("nonsense"));
    all.push(json!({"endpoint": 7, "p256dh": P256DH, "auth": AUTH}));
    let mut foreign = registration(&endpoint(10));
    foreign["vapid_public_key"] = P256DH.into();
    all.push(foreign);
    let mut future = registration(&endpoint(11));
    future["created_at"] = 99_999_999_999_999_i64.into();
    all.push(future);
    let mut own = registration(&endpoint(12));
    own["vapid_public_key"] = app.vapid_public_key.as_str().into();
    own["replaces"] = endpoint(1).into();
    all.push(own);
    let codes = [
        (4, "MISSING_FIELDS"),
        (5, "INVALID_URL"),
        (6, "INVALID_ENDPOINT"),
        (7, "INVALID_INPUT"),
        (8, "INVALID_INPUT"),
        (9, "INVALID_INPUT"),
        (10, "INVALID_INPUT"),
        (11, "INVALID_INPUT"),
    ];
    let expected = (
        3,
        2,
        codes.map(|(index, code)| (index, code.to_owned())).to_vec(),
    );
    for (query, before) in [("?dry_run=true", 1), ("?dry_run=true", 1), ("", 1)] {
        assert_eq!(active(&app).await, before);
        assert_eq!(summary(&bulk(&app, query, &all).await), expected, "{query}");
    }
    assert_eq!(active(&app).await, 3);
    let (lines, _) = export(&app.owner, &app).await;
    let endpoints: Vec<_> = lines.iter().map(|it| it["endpoint"].clone()).collect();
    assert_eq!(endpoints, [endpoint(2), endpoint(3), endpoint(12)]);
}

#[on_each_database]
async fn who_unsubscribed_is_left_alone_and_who_was_lost_is_taken_again(database: TestDatabase) {
    let (server, app) = setup(database).await;
    bulk(&app, "", &items(0..5)).await;
    for number in 0..5 {
        let gone = json!({"endpoint": endpoint(number)});
        let path = path(&app, "/subscriptions");
        app.backend
            .delete_with(&path, &gone)
            .await
            .expect("an answer");
    }
    let mut database = DatabaseConnection::to(&server).await;
    for (number, reason) in [
        (1, "expired"),
        (2, "key_mismatch"),
        (3, "refused"),
        (4, "replaced"),
    ] {
        let endpoint = endpoint(number);
        let change = format!(
            "UPDATE subscriptions SET deactivation_reason = '{reason}' WHERE endpoint = '{endpoint}'"
        );
        database.execute(&change).await;
    }
    for query in ["?dry_run=true", ""] {
        let reply = bulk(&app, query, &items(0..5)).await;
        let rejected = vec![(0, "UNSUBSCRIBED".to_owned())];
        assert_eq!(summary(&reply), (0, 4, rejected), "{query}");
    }
    assert_eq!(active(&app).await, 4);
    // The browser itself comes back.
    let back = post(
        &app.backend,
        "/api/v1/subscriptions",
        &registration(&endpoint(0)),
    )
    .await;
    assert_eq!(back.status, 200, "{back}");
}

#[on_each_database]
async fn the_plan_limits_new_endpoints(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_DEFAULT_PLAN", "free");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    assert_eq!(
        summary(&bulk(&app, "", &items(0..997)).await),
        (997, 0, vec![])
    );
    let over = |index| (index, "SUBSCRIBER_LIMIT_EXCEEDED".to_owned());
    let expected = (3, 2, vec![over(5), over(6)]);
    for query in ["?dry_run=true", ""] {
        let reply = bulk(&app, query, &items(995..1_002)).await;
        assert_eq!(summary(&reply), expected, "{query}");
    }
    assert_eq!(active(&app).await, 1_000);
}

#[on_each_database]
async fn what_comes_with_a_subscriber_is_kept(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let mut all = items(0..3);
    for (number, item) in all.iter_mut().enumerate() {
        item["tags"] = json!(["news", "_vip"]);
        item["user_id"] = format!("user-{number}").into();
        item["lang"] = "ja".into();
        item["time_zone"] = "Asia/Tokyo".into();
        item["platform"] = "Firefox".into();
        item["created_at"] = (1_700_000_000_000_i64 - i64::try_from(number).expect("small")).into();
    }
    assert_eq!(summary(&bulk(&app, "", &all).await), (3, 0, vec![]));
    let message = json!({"title": "t", "body": "b", "to": {"tags": "news && _vip"}});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.json()["queued"], 3, "{sent}");
    let (lines, _) = export(&app.admin, &app).await;
    let expected = json!({
        "endpoint": endpoint(2), "keys": {"p256dh": P256DH, "auth": AUTH},
        "vapid_public_key": app.vapid_public_key, "user_id": "user-2", "tags": ["_vip", "news"],
        "lang": "ja", "time_zone": "Asia/Tokyo", "platform": "Firefox",
        "created_at": 1_699_999_999_998_i64,
    });
    assert_eq!(lines[0], expected);
    let endpoints: Vec<_> = lines.iter().map(|it| it["endpoint"].clone()).collect();
    assert_eq!(
        endpoints,
        [2, 1, 0].map(endpoint),
        "in the order of created_at"
    );
}

#[on_each_database]
async fn an_export_moves_to_another_app_and_comes_out_the_same(database: TestDatabase) {
    let (server, from) = setup(database).await;
    let to = app(&server, "other@example.com").await;
    let key = post(&from.owner, &path(&from, "/vapid-keys"), &json!({}))
        .await
        .json();
    let mut all = items(0..1_000);
    for (number, item) in all.iter_mut().enumerate() {
        if number % 3 == 0 {
            item["vapid_public_key"] = key["public_key"].clone();
        }
        item["tags"] = json!([format!("t{}", number % 7)]);
    }
    bulk(&from, "", &all[..700]).await;
    bulk(&from, "", &all[700..]).await;
    let (lines, text) = export(&from.admin, &from).await;
    assert_eq!(lines.len(), 1_000);
    let keys = get(&from.owner, &path(&from, "/vapid-keys")).await.json();
    for key in keys.as_array().expect("keys") {
        let id = key["id"].as_str().expect("an id");
        let password = json!({"password": hato_testkit::owner::PASSWORD});
        let export = path(&from, &format!("/vapid-keys/{id}/export"));
        let exported = post(&from.owner, &export, &password).await.json();
        let imported = json!({"private_key": exported["jwk"]});
        let imported = post(&to.owner, &path(&to, "/vapid-keys"), &imported).await;
        assert_eq!(imported.status, 201, "{imported}");
    }
    let moved: Vec<_> = lines.iter().map(as_item).collect();
    assert_eq!(summary(&bulk(&to, "", &moved).await), (1_000, 0, vec![]));
    assert!(export(&to.owner, &to).await.1 == text, "byte by byte");
    assert_eq!(summary(&bulk(&to, "", &moved).await), (0, 1_000, vec![]));
    assert!(export(&to.owner, &to).await.1 == text, "a second time");
}

#[on_each_database]
async fn a_bad_request_is_refused_as_a_whole(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = path(&app, "/subscriptions/bulk");
    let too_many = json!({"items": items(0..1_001)}).to_string();
    let large = json!({"items": items([1]), "padding": "x".repeat(4 * 1024 * 1024)}).to_string();
    for (query, body, expected) in [
        ("", "{}".to_owned(), (400, "MISSING_FIELDS")),
        ("", json!({"items": []}).to_string(), (400, "INVALID_INPUT")),
        ("", json!({"items": {}}).to_string(), (400, "INVALID_INPUT")),
        ("", "{\"items\": [".to_owned(), (400, "INVALID_INPUT")),
        ("", too_many, (400, "INVALID_INPUT")),
        ("", large, (413, "PAYLOAD_TOO_LARGE")),
        (
            "?dry_run=maybe",
            json!({"items": items([1])}).to_string(),
            (400, "INVALID_INPUT"),
        ),
    ] {
        let path = format!("{path}{query}");
        let reply = send(&app.admin, Method::POST, &path, &[], body).await;
        assert_eq!(status_and_code(&reply), (expected.0, expected.1.into()));
    }
    // What is over the limit of all other bodies is not over that of these.
    let long = |number: usize| registration(&format!("{}/{}", endpoint(number), "x".repeat(1_900)));
    let large: Vec<_> = (0..1_000).map(long).collect();
    assert_eq!(summary(&bulk(&app, "", &large).await), (1_000, 0, vec![]));
    assert_eq!(active(&app).await, 1_000);
}

#[on_each_database]
async fn an_account_makes_one_dry_run_at_a_time(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let mut writer = DatabaseConnection::to(&server).await;
    writer
        .execute("BEGIN; UPDATE apps SET name = name WHERE TRUE")
        .await;
    let all = items([1]);
    let run = || Box::pin(bulk(&app, "?dry_run=true", &all));
    let refused = match select(run(), run()).await {
        Either::Left((refused, other)) | Either::Right((refused, other)) => {
            // Both wait: the first one for the writer, and the other one for the first.
            writer.execute("ROLLBACK").await;
            assert_eq!(summary(&other.await), (1, 0, vec![]));
            refused
        }
    };
    assert_eq!(status_and_code(&refused), (503, "OVERLOADED".into()));
    assert_eq!(summary(&run().await), (1, 0, vec![]));
    assert_eq!(active(&app).await, 0);
}

/// Who waits for a lock in the database of the connection.
const WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity
                       WHERE datname = current_database() AND wait_event_type = 'Lock'";
/// In how many transactions the subscriptions of each app were written.
const TRANSACTIONS: &str =
    "SELECT COUNT(DISTINCT CAST(xmin AS TEXT)) FROM subscriptions GROUP BY app_id";

/// While a list waits for its app, another list of the account's waits for it, and nobody else does.
#[tokio::test]
async fn an_account_registers_one_list_at_a_time_in_several_transactions() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await);
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let first = app(&server, "owner@example.com").await;
    let stranger = app(&server, "stranger@example.com").await;
    let second = first.owner.create_app("Second").await.expect("an app");
    let second = format!(
        "/api/v1/apps/{}/subscriptions/bulk",
        second["appId"].as_str().expect("an id")
    );
    let mut writer = DatabaseConnection::to(&server).await;
    let mut observer = DatabaseConnection::to(&server).await;
    let lock = format!(
        "BEGIN; SELECT FROM apps WHERE id = '{}' FOR UPDATE",
        first.id
    );
    writer.execute(&lock).await;
    let all = items(0..600);
    let body = json!({ "items": all });
    let mut registering = Box::pin(bulk(&first, "", &all));
    tokio::select! {
        _ = &mut registering => panic!("its app is locked"),
        () = observer.wait_for_count(WAITING, |waiting| waiting == 1) => {}
    }
    let mut next = Box::pin(post(&first.owner, &second, &body));
    tokio::select! {
        biased;
        _ = &mut next => panic!("the account has one turn"),
        other = bulk(&stranger, "", &all) => assert_eq!(summary(&other), (600, 0, vec![])),
    }
    writer.execute("ROLLBACK").await;
    let (registered, next) = tokio::join!(registering, next);
    assert_eq!(summary(&registered), (600, 0, vec![]));
    assert_eq!(summary(&next), (600, 0, vec![]));
    assert_eq!(writer.values::<i64>(TRANSACTIONS).await, [3, 3, 3]);
}

#[on_each_database]
async fn an_empty_app_exports_nothing(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    assert_eq!(export(&app.owner, &app).await.1, "");
}
