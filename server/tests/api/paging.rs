//! Pages of the three lists, also among entries of the same time (SPEC 4.11, 4.12, CONTRACT 4).

use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::database::execute;
use crate::fixtures::{BINARY, app, get, post, start, status_and_code, wait_until};

/// The lists, each with the member that names an item.
const LISTS: [(&str, &str); 3] = [
    ("notifications", "send_id"),
    ("key-events", "id"),
    ("dead-letters", "id"),
];

/// How many items each list has.
const ITEMS: usize = 7;

/// An app with as many items in each list.
async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let push = PushService::start().await;
    push.respond_by_default(ScriptedResponse::Status(400));
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browser = push.subscribe(None);
    post(
        &app.frontend,
        "/api/v1/subscriptions",
        &browser.registration(),
    )
    .await;
    for number in 0..ITEMS {
        let message = json!({"title": number.to_string(), "body": "b"});
        assert_eq!(
            post(&app.backend, "/api/v1/notify", &message).await.status,
            202
        );
    }
    // Three keys were made with the app.
    for number in 3..ITEMS {
        let name = number.to_string();
        let made = app.owner.create_key(&app.id, &name, "notify").await;
        made.expect("a key");
    }
    let path = path(&app, "dead-letters");
    wait_until(&app.owner, &path, |it| {
        it["items"]
            .as_array()
            .is_some_and(|items| items.len() == ITEMS)
    })
    .await;
    (server, app)
}

fn path(app: &OwnedApp, list: &str) -> String {
    format!("/api/v1/apps/{}/{list}", app.id)
}

fn items(page: &Value) -> Vec<Value> {
    page["items"].as_array().expect("a list").clone()
}

/// The sizes of the pages and everything on them, following the cursors.
async fn walk(client: &Client, path: &str, limit: usize) -> (Vec<usize>, Vec<Value>) {
    let (mut sizes, mut seen) = (Vec::new(), Vec::new());
    let mut cursor = String::new();
    loop {
        let page = get(client, &format!("{path}?limit={limit}{cursor}"))
            .await
            .json();
        let items = items(&page);
        sizes.push(items.len());
        seen.extend(items);
        match (
            page["next_before"].as_i64(),
            page["next_before_id"].as_str(),
        ) {
            (Some(before), Some(id)) => cursor = format!("&before={before}&before_id={id}"),
            _ => break,
        }
        assert!(sizes.len() <= ITEMS, "it never ends: {sizes:?}");
    }
    (sizes, seen)
}

async fn assert_pages_are_exact(app: &OwnedApp) {
    for (list, id) in LISTS {
        let path = path(app, list);
        let whole = items(&get(&app.owner, &path).await.json());
        assert_eq!(whole.len(), ITEMS, "{list}");
        let newest_first =
            |pair: &[Value]| pair[0]["created_at"].as_i64() >= pair[1]["created_at"].as_i64();
        assert!(whole.windows(2).all(newest_first), "{list}: {whole:#?}");
        for limit in 1..=ITEMS + 1 {
            let (sizes, seen) = walk(&app.admin, &path, limit).await;
            let ids = |items: &[Value]| {
                items
                    .iter()
                    .map(|item| item[id].clone())
                    .collect::<Vec<_>>()
            };
            assert_eq!(ids(&seen), ids(&whole), "{list} by {limit}");
            assert_eq!(seen, whole, "{list} by {limit}");
            assert_eq!(
                sizes.len(),
                ITEMS.div_ceil(limit),
                "{list} by {limit}: {sizes:?}"
            );
        }
    }
}

#[on_each_database]
async fn pages_neither_skip_nor_repeat(database: TestDatabase) {
    let (server, app) = setup(database).await;
    assert_pages_are_exact(&app).await;
    for statement in [
        "UPDATE sends SET created_at = 1000000",
        "UPDATE key_events SET created_at = 1000000",
        "UPDATE dead_letters SET created_at = 1000000",
    ] {
        execute(&server, statement).await;
    }
    assert_pages_are_exact(&app).await;
}

#[on_each_database]
async fn the_cursor_is_the_last_item_and_a_time_alone_is_exclusive(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for (list, id) in LISTS {
        let path = path(&app, list);
        let page = get(&app.owner, &format!("{path}?limit=2")).await.json();
        let last = &items(&page)[1];
        assert_eq!(
            (&page["next_before"], &page["next_before_id"]),
            (&last["created_at"], &last[id]),
            "{list}"
        );
        let before = last["created_at"].as_i64().expect("a time");
        let older = items(
            &get(&app.owner, &format!("{path}?before={before}"))
                .await
                .json(),
        );
        let all = items(&get(&app.owner, &path).await.json());
        let expected: Vec<_> = all
            .into_iter()
            .filter(|item| item["created_at"].as_i64() < Some(before))
            .collect();
        assert_eq!(older, expected, "{list}");
        for (query, count) in [
            ("before=0", 0),
            ("before=-1", 0),
            ("before=9007199254740991", ITEMS),
        ] {
            let page = get(&app.owner, &format!("{path}?{query}")).await.json();
            assert_eq!(items(&page).len(), count, "{list} {query}");
        }
    }
}

const BAD_QUERIES: [&str; 21] = [
    "limit=",
    "before=",
    "before_id=",
    "before=1&before_id=",
    "before=1&before_id=snd_%00",
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=ten",
    "limit=1e1",
    "limit=%31%30x",
    "limit=99999999999999999999",
    "before=soon",
    "before=1.5",
    "before=99999999999999999999",
    "before_id=snd_1",
    "before_id=1&limit=1",
    "before=&before_id=snd_1",
    "limit=1&limit=2",
    "limit=%ff",
];

const GOOD_QUERIES: [&str; 4] = ["limit=1", "limit=100", "unknown=x", "limit=%31"];

#[on_each_database]
async fn a_bad_limit_or_cursor_is_refused(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for (list, _) in LISTS {
        for query in BAD_QUERIES {
            let reply = get(&app.owner, &format!("{}?{query}", path(&app, list))).await;
            assert_eq!(
                status_and_code(&reply),
                (400, "INVALID_INPUT".into()),
                "{list} {query}"
            );
        }
        for query in GOOD_QUERIES {
            let reply = get(&app.owner, &format!("{}?{query}", path(&app, list))).await;
            assert_eq!(reply.status, 200, "{list} {query}");
        }
    }
}

#[on_each_database]
async fn a_page_has_50_items_unless_told_otherwise(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    for _ in 0..101 {
        post(
            &app.backend,
            "/api/v1/notify",
            &json!({"title": "t", "body": "b"}),
        )
        .await;
    }
    let path = path(&app, "notifications");
    for (query, count) in [("", 50), ("?limit=100", 100)] {
        let page = get(&app.owner, &format!("{path}{query}")).await.json();
        assert_eq!(items(&page).len(), count, "{query}");
        assert!(page["next_before"].is_i64() && page["next_before_id"].is_string());
    }
}
