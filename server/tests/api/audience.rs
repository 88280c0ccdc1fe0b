//! Who subscribes: the list of subscriptions, and whom a send would go to (CONTRACT 12).

mod reach;
mod reasons;
mod summary;

use hato_testkit::owner::OwnedApp;
use hato_testkit::server::HatoServer;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::database::{execute, random_bytes};
use crate::fixtures::{AUTH, P256DH, get, post, setup, status_and_code};

const DAY: i64 = 86_400_000;

/// The path below the app's.
fn path(app: &OwnedApp, rest: &str) -> String {
    format!("/api/v1/apps/{}/{rest}", app.id)
}

/// Registers endpoints, each with its user and its tags.
async fn subscribe(app: &OwnedApp, subscriptions: &[(&str, &str, &[&str])]) {
    for (endpoint, user, tags) in subscriptions {
        let body = json!({
            "endpoint": format!("https://{endpoint}"), "p256dh": P256DH, "auth": AUTH,
            "user_id": user, "tags": tags,
        });
        let reply = post(&app.admin, "/api/v1/subscriptions", &body).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
}

/// The last parts of the endpoints on a page, which is newest first.
fn names(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().expect("a list").iter();
    let endpoints = items.filter_map(|item| item["endpoint"].as_str());
    endpoints
        .filter_map(|endpoint| endpoint.rsplit('/').next())
        .collect()
}

async fn listed(app: &OwnedApp, query: &str) -> Vec<String> {
    let reply = get(&app.admin, &path(app, &format!("subscriptions?{query}"))).await;
    assert_eq!(reply.status, 200, "{query}: {reply}");
    let page = reply.json();
    names(&page).into_iter().map(str::to_owned).collect()
}

async fn four(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let (server, app) = setup(database).await;
    subscribe(
        &app,
        &[
            ("a.example/1", "u1", &["news", "_plan:pro"]),
            ("a.example/2", "u1", &["sport"]),
            ("b.example/3", "u2", &["news"]),
            ("b.example/4", "", &[]),
        ],
    )
    .await;
    (server, app)
}

#[on_each_database]
async fn a_subscription_has_every_field(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let body = json!({
        "endpoint": "https://a.example/1", "p256dh": P256DH, "auth": AUTH, "platform": "Firefox",
        "user_id": "山田", "tags": ["news"], "lang": "ja", "time_zone": "Asia/Tokyo",
    });
    let made = post(&app.admin, "/api/v1/subscriptions", &body).await;
    let page = get(&app.owner, &path(&app, "subscriptions")).await.json();
    let item = &page["items"][0];
    let expected = json!({
        "id": made.json()["id"], "endpoint": "https://a.example/1", "platform": "Firefox",
        "user_id": "山田", "tags": ["news"], "lang": "ja", "time_zone": "Asia/Tokyo",
        "state": "active", "created_at": item["created_at"], "last_success_on": null,
        "deactivated_at": null, "reason": null,
    });
    assert_eq!(item, &expected);
    assert_eq!(
        (&page["next_before"], &page["next_before_id"]),
        (&Value::Null, &Value::Null)
    );
    let gone = json!({"endpoint": "https://a.example/1"}).to_string();
    let unsubscribe = path(&app, "subscriptions");
    let left = crate::fixtures::send(&app.frontend, http::Method::DELETE, &unsubscribe, &[], gone);
    assert_eq!(left.await.status, 200);
    let page = get(&app.owner, &path(&app, "subscriptions")).await.json();
    let item = &page["items"][0];
    assert_eq!(item["state"], "deactivated");
    assert_eq!(item["reason"], "unsubscribed");
    assert!(item["deactivated_at"].as_i64() >= item["created_at"].as_i64());
}

#[on_each_database]
async fn subscriptions_are_listed_by_user_tag_and_state(database: TestDatabase) {
    let (_server, app) = four(database).await;
    let gone = json!({"endpoint": "https://a.example/1"}).to_string();
    let unsubscribe = path(&app, "subscriptions");
    let left = crate::fixtures::send(&app.frontend, http::Method::DELETE, &unsubscribe, &[], gone);
    assert_eq!(left.await.status, 200);
    for (query, found) in [
        ("", vec!["4", "3", "2", "1"]),
        ("user_id=u1", vec!["2", "1"]),
        ("user_id=u1&state=active", vec!["2"]),
        ("user_id=u1&tag=news", vec!["1"]),
        ("user_id=u1&tag=news&state=active", vec![]),
        ("user_id=nobody", vec![]),
        ("tag=news", vec!["3", "1"]),
        ("tag=news&state=active", vec!["3"]),
        ("tag=news&state=deactivated", vec!["1"]),
        ("tag=_plan:pro", vec!["1"]),
        ("tag=NEWS", vec![]),
        ("state=active", vec!["4", "3", "2"]),
        ("state=deactivated", vec!["1"]),
        ("state=active&limit=1", vec!["4"]),
        ("unknown=x", vec!["4", "3", "2", "1"]),
    ] {
        assert_eq!(listed(&app, query).await, found, "{query}");
    }
}

#[on_each_database]
async fn pages_follow_each_other_among_subscriptions_of_the_same_time(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let endpoints: Vec<String> = (0..7).map(|number| format!("a.example/{number}")).collect();
    for endpoint in &endpoints {
        subscribe(&app, &[(endpoint, "u1", &["news"])]).await;
    }
    execute(&server, "UPDATE subscriptions SET created_at = 5").await;
    for query in [
        "",
        "user_id=u1",
        "tag=news",
        "tag=news&state=active",
        "state=active",
    ] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let list = path(&app, &format!("subscriptions?limit=2&{query}{cursor}"));
            let page = get(&app.owner, &list).await.json();
            seen.extend(names(&page).into_iter().map(str::to_owned));
            let (Some(before), Some(id)) = (
                page["next_before"].as_i64(),
                page["next_before_id"].as_str(),
            ) else {
                break;
            };
            cursor = format!("&before={before}&before_id={id}");
            assert!(seen.len() <= 7, "{query} never ends");
        }
        assert_eq!(seen, ["6", "5", "4", "3", "2", "1", "0"], "{query}");
    }
    assert!(listed(&app, "before=5").await.is_empty(), "strictly older");
}

#[on_each_database]
async fn a_tag_of_many_is_looked_for_in_parts(database: TestDatabase) {
    let (server, app) = setup(database).await;
    subscribe(&app, &[("a.example/tagged", "", &["rare"])]).await;
    fill(&server, 20_000).await;
    assert_eq!(listed(&app, "tag=rare&state=active").await, ["tagged"]);
    let list = path(&app, "subscriptions?tag=rare");
    let (mut found, mut pages, mut cursor) = (Vec::new(), 0, Some(String::new()));
    while let Some(from) = cursor {
        let page = get(&app.admin, &format!("{list}{from}")).await.json();
        found.extend(names(&page).into_iter().map(str::to_owned));
        let id = page["next_before_id"].as_str();
        cursor = id.map(|id| format!("&before={}&before_id={id}", page["next_before"]));
        pages += 1;
        assert!(pages <= 20_000, "it never ends");
    }
    assert_eq!(found, ["tagged"]);
    assert!(pages > 1, "a page looks at 20,000");
}

/// Gives the only app so many active subscriptions that are newer than all.
async fn fill(server: &HatoServer, count: i64) {
    let random = random_bytes(server);
    let bytes = crate::database::bytes(server, &[4]);
    let statement = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
        INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position,
                                   created_at)
        SELECT 'sub_' || i, (SELECT id FROM apps), 'https://filled.example/' || i, {random}, {bytes},
               {bytes}, 100000 + i, 4000000000000 + i
        FROM n;
        UPDATE apps SET last_position = 100000 + {count},
                        active_subscriptions = active_subscriptions + {count}"
    );
    execute(server, &statement).await;
}

const WRONG_QUERIES: [&str; 23] = [
    "subscriptions?limit=0",
    "subscriptions?limit=",
    "subscriptions?before=x",
    "subscriptions?before_id=sub_1",
    "subscriptions?before=1&before_id=",
    "subscriptions?user_id=",
    "subscriptions?user_id=%00",
    "subscriptions?user_id=a&user_id=b",
    "subscriptions?tag=",
    "subscriptions?tag=a%20b",
    "subscriptions?tag=%D0%B0",
    "subscriptions?tag=a&tag=b",
    "subscriptions?state=",
    "subscriptions?state=ACTIVE",
    "subscriptions?state=active&state=active",
    "audience?tags=",
    "audience?user_id=",
    "audience?tags=a&user_id=",
    "audience?tags=&user_id=u",
    "audience?tags=a%26%26",
    "audience?tags=a&tags=b",
    "audience?user_id=a&user_id=b",
    "audience?user_id=%0A",
];

#[on_each_database]
async fn a_wrong_query_is_refused(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let long = "x".repeat(129);
    let many = (0..33).map(|it| format!("t{it}")).collect::<Vec<_>>();
    let many = format!("audience?tags={}", many.join("%7C%7C"));
    let nested = format!("audience?tags={}a", "(".repeat(2_000));
    let long = format!("subscriptions?user_id={long}");
    let generated = [&*long, &*many, &*nested];
    for query in WRONG_QUERIES.into_iter().chain(generated) {
        let reply = get(&app.owner, &path(&app, query)).await;
        let refused = (400, "INVALID_INPUT".to_owned());
        let query = query.get(..60).unwrap_or(query);
        assert_eq!(status_and_code(&reply), refused, "{query}");
    }
}

async fn audience(app: &OwnedApp, query: &str) -> Value {
    let reply = get(&app.admin, &path(app, &format!("audience?{query}"))).await;
    assert_eq!(reply.status, 200, "{query}: {reply}");
    reply.json()
}
