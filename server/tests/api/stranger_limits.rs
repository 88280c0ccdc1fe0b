//! Limits against strangers and against apps without end (CONTRACT 18).

mod changes;

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::database::fill_keys;
use crate::fixtures::{
    BINARY, app, concurrently, count, get, post, registration, send, snapshot, start,
    status_and_code, wait_until,
};

const SUBSCRIPTIONS: &str = "/api/v1/subscriptions";
const NOTIFY: &str = "/api/v1/notify";

async fn setup(database: TestDatabase, settings: &[(&str, &str)]) -> (HatoServer, OwnedApp) {
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_ROLE", "api")
        .env("HATO_TRUSTED_PROXIES", "127.0.0.0/8");
    let launch = settings
        .iter()
        .fold(launch, |launch, (name, value)| launch.env(name, *value));
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    (server, app)
}

fn browser(number: usize) -> Value {
    registration(&format!("https://push.example.com/{number}"))
}

/// The answer to a registration of the browser by somebody at this address.
async fn register_from(client: &Client, address: &str, path: &str, number: usize) -> Reply {
    let headers = [("x-forwarded-for", address)];
    let body = browser(number).to_string();
    send(client, Method::POST, path, &headers, body).await
}

fn assert_limited(reply: &Reply) {
    assert_eq!(status_and_code(reply), (429, "RATE_LIMITED".into()));
    assert_eq!(reply.header("retry-after"), Some("60"), "{reply}");
    assert!(reply.json()["upgrade_url"].is_null(), "{reply}");
}

async fn unsubscribe(app: &OwnedApp, number: usize) {
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let gone = json!({"endpoint": browser(number)["endpoint"]});
    let reply = app.frontend.delete_with(&path, &gone).await;
    assert_eq!(reply.expect("an answer").status, 200);
}

#[on_each_database]
async fn a_stranger_makes_so_many_subscriptions_a_minute(database: TestDatabase) {
    let (server, first) = setup(database, &[("HATO_REGISTRATIONS_PER_MINUTE", "3")]).await;
    let within = format!("/api/v1/apps/{}/subscriptions", first.id);
    let stranger = "192.0.2.1";
    for (path, number) in [(SUBSCRIPTIONS, 0), (&within, 1), (SUBSCRIPTIONS, 2)] {
        let reply = register_from(&first.frontend, stranger, path, number).await;
        assert_eq!(reply.status, 201, "{reply}");
        let again = register_from(&first.frontend, stranger, path, number).await;
        assert_eq!(again.status, 200, "{again}");
    }
    let before = snapshot(&first).await;
    let second = app(&server, "other@example.com").await;
    for (client, path) in [
        (&first.frontend, SUBSCRIPTIONS),
        (&first.frontend, &within),
        (&second.frontend, SUBSCRIPTIONS),
    ] {
        assert_limited(&register_from(client, stranger, path, 9).await);
    }
    assert_eq!(snapshot(&first).await, before);

    // What is known makes no subscription, active or not.
    let known = register_from(&first.frontend, stranger, SUBSCRIPTIONS, 1).await;
    assert_eq!(known.status, 200, "{known}");
    unsubscribe(&first, 1).await;
    let back = register_from(&first.frontend, stranger, &within, 1).await;
    assert_eq!(
        (back.status.as_u16(), &back.json()["reactivated"]),
        (200, &json!(true))
    );

    // Only keys that everybody can read are limited, each address for itself.
    for client in [&first.backend, &first.admin] {
        for number in 10..14 {
            register_from(client, stranger, SUBSCRIPTIONS, number).await;
        }
    }
    let elsewhere = register_from(&first.frontend, "192.0.2.2", SUBSCRIPTIONS, 9).await;
    assert_eq!(elsewhere.status, 201, "{elsewhere}");
}

#[on_each_database]
async fn what_makes_no_subscription_is_not_counted(database: TestDatabase) {
    let (_server, app) = setup(
        database,
        &[
            ("HATO_REGISTRATIONS_PER_MINUTE", "2"),
            ("HATO_SUBSCRIBERS_PER_APP", "1"),
        ],
    )
    .await;
    let register =
        async |number| register_from(&app.frontend, "2001:db8::1", SUBSCRIPTIONS, number).await;
    assert_eq!(register(0).await.status, 201);
    for _ in 0..3 {
        let full = register(1).await;
        assert_eq!(
            status_and_code(&full),
            (429, "SUBSCRIBER_LIMIT_EXCEEDED".into())
        );
        let malformed = json!({"endpoint": "https://push.example.com/1"}).to_string();
        let headers = [("x-forwarded-for", "2001:db8::1")];
        let reply = send(
            &app.frontend,
            Method::POST,
            SUBSCRIPTIONS,
            &headers,
            malformed,
        )
        .await;
        assert_eq!(status_and_code(&reply), (400, "MISSING_FIELDS".into()));
    }
    unsubscribe(&app, 0).await;
    assert_eq!(register(1).await.status, 201);
    unsubscribe(&app, 1).await;
    // An IPv6 client counts by its /64.
    let neighbour = register_from(&app.frontend, "2001:db8::2", SUBSCRIPTIONS, 2).await;
    assert_limited(&neighbour);
}

#[on_each_database]
async fn of_sixteen_strangers_at_one_address_three_are_registered(database: TestDatabase) {
    let (_server, app) = setup(database, &[("HATO_REGISTRATIONS_PER_MINUTE", "3")]).await;
    let replies = concurrently((0..16).map(|number| {
        let client = app.frontend.clone();
        async move { register_from(&client, "192.0.2.1", SUBSCRIPTIONS, number).await }
    }));
    let replies = replies.await;
    assert_eq!((count(&replies, 201), count(&replies, 429)), (3, 13));
}

#[on_each_database]
async fn by_default_a_stranger_makes_300_and_with_0_any_number(database: TestDatabase) {
    let (_limited, limited) = setup(database.another().await, &[]).await;
    let (_unlimited, unlimited) = setup(database, &[("HATO_REGISTRATIONS_PER_MINUTE", "0")]).await;
    for (app, expected) in [(&limited, (300, 20)), (&unlimited, (320, 0))] {
        let mut replies = Vec::new();
        for number in 0..320 {
            replies.push(register_from(&app.frontend, "192.0.2.1", SUBSCRIPTIONS, number).await);
        }
        assert_eq!((count(&replies, 201), count(&replies, 429)), expected);
    }
}

#[on_each_database]
async fn an_app_sends_so_often_a_minute(database: TestDatabase) {
    let (server, first) = setup(database, &[("HATO_SENDS_PER_MINUTE", "3")]).await;
    let message = json!({"title": "t", "body": "b"});
    let idempotent = [("idempotency-key", "k")];
    let body = message.to_string();
    let original = send(
        &first.backend,
        Method::POST,
        NOTIFY,
        &idempotent,
        body.clone(),
    )
    .await;
    assert_eq!(original.status, 202, "{original}");
    let replay = async || {
        send(
            &first.backend,
            Method::POST,
            NOTIFY,
            &idempotent,
            body.clone(),
        )
        .await
    };
    for _ in 0..3 {
        assert_eq!(replay().await.json(), original.json());
        let nowhere = json!({"title": "t", "body": "b", "endpoint": "https://push.example.com/1"});
        let refused = post(&first.backend, NOTIFY, &nowhere).await;
        assert_eq!(status_and_code(&refused), (404, "NOT_FOUND".into()));
    }
    let broadcast = format!("/api/v1/apps/{}/notify", first.id);
    assert_eq!(post(&first.owner, &broadcast, &message).await.status, 202);
    let batch = json!({"endpoints": ["https://push.example.com/1"], "payload": message});
    let path = "/api/v1/notify/batch";
    assert_eq!(post(&first.backend, path, &batch).await.status, 202);

    let before = snapshot(&first).await;
    for (client, path, body) in [
        (&first.backend, NOTIFY, &message),
        (&first.admin, &broadcast, &message),
        (&first.owner, &broadcast, &message),
        (&first.backend, path, &batch),
    ] {
        assert_limited(&post(client, path, body).await);
    }
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "send_notification", "arguments": message}});
    let tool = post(&first.admin, "/mcp", &call).await.json();
    assert_eq!(tool["result"]["isError"], true, "{tool}");
    assert!(tool.to_string().contains("RATE_LIMITED"), "{tool}");
    assert_eq!(snapshot(&first).await, before);
    assert_eq!(replay().await.header("idempotency-replayed"), Some("true"));

    let second = app(&server, "other@example.com").await;
    assert_eq!(post(&second.backend, NOTIFY, &message).await.status, 202);
}

#[on_each_database]
async fn a_repeated_send_waits_for_the_first_and_is_not_counted(database: TestDatabase) {
    let (_server, app) = setup(database, &[("HATO_SENDS_PER_MINUTE", "1")]).await;
    let replies = concurrently((0..16).map(|_| {
        let client = app.backend.clone();
        async move {
            let headers = [("idempotency-key", "k")];
            let body = json!({"title": "t", "body": "b"}).to_string();
            send(&client, Method::POST, NOTIFY, &headers, body).await
        }
    }));
    assert_eq!(count(&replies.await, 202), 16);
}

#[on_each_database]
async fn an_app_has_so_many_subscribers_on_every_plan_and_way(database: TestDatabase) {
    let (_server, app) = setup(
        database,
        &[
            ("HATO_SUBSCRIBERS_PER_APP", "2"),
            ("HATO_DEFAULT_PLAN", "pro"),
        ],
    )
    .await;
    let within = format!("/api/v1/apps/{}/subscriptions", app.id);
    for number in 0..2 {
        let reply = post(&app.frontend, SUBSCRIPTIONS, &browser(number)).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let before = snapshot(&app).await;
    for path in [SUBSCRIPTIONS, &within] {
        for client in [&app.frontend, &app.backend, &app.admin] {
            let full = post(client, path, &browser(2)).await;
            assert_eq!(
                status_and_code(&full),
                (429, "SUBSCRIBER_LIMIT_EXCEEDED".into())
            );
            assert!(full.json()["upgrade_url"].is_string(), "{full}");
        }
        assert_eq!(post(&app.frontend, path, &browser(1)).await.status, 200);
    }
    assert_eq!(snapshot(&app).await, before);

    let mut renewed = browser(2);
    renewed["replaces"] = browser(1)["endpoint"].clone();
    assert_eq!(post(&app.frontend, &within, &renewed).await.status, 201);
    renewed = browser(1);
    renewed["replaces"] = browser(2)["endpoint"].clone();
    let back = post(&app.frontend, SUBSCRIPTIONS, &renewed).await;
    assert_eq!(back.json()["reactivated"], true, "{back}");

    unsubscribe(&app, 0).await;
    assert_eq!(post(&app.frontend, &within, &browser(2)).await.status, 200);
    for path in [SUBSCRIPTIONS, &within] {
        let returning = post(&app.frontend, path, &browser(0)).await;
        assert_eq!(
            status_and_code(&returning),
            (429, "SUBSCRIBER_LIMIT_EXCEEDED".into())
        );
    }
    unsubscribe(&app, 1).await;
    let returning = post(&app.frontend, SUBSCRIPTIONS, &browser(0)).await;
    assert_eq!(returning.json()["reactivated"], true, "{returning}");
}

#[on_each_database]
async fn an_app_has_at_most_a_thousand_keys(database: TestDatabase) {
    let (server, app) = setup(database, &[]).await;
    fill_keys(&server).await;
    let path = format!("/api/v1/apps/{}/keys", app.id);
    let key = json!({"name": "one more", "scope": "notify"});
    let listed = get(&app.owner, &path).await.json();
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), 1_000);
    let filled = listed.iter().find(|key| key["name"] == "filled");
    let filled = filled.expect("a key")["id"].as_str().expect("an id");
    for client in [&app.owner, &app.admin] {
        let refused = post(client, &path, &key).await;
        assert_eq!(status_and_code(&refused), (409, "TOO_MANY_KEYS".into()));
    }
    let deleted = app.owner.delete(&format!("{path}/{filled}")).await;
    assert_eq!(deleted.expect("an answer").status, 200);
    let replies = concurrently((0..4).map(|_| {
        let (client, path, key) = (app.owner.clone(), path.clone(), key.clone());
        async move { post(&client, &path, &key).await }
    }));
    let replies = replies.await;
    assert_eq!((count(&replies, 201), count(&replies, 409)), (1, 3));
}

#[on_each_database]
async fn only_push_services_that_the_operator_names_are_registered_and_pushed_to(
    database: TestDatabase,
) {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let mut any = start(launch.clone()).await;
    let address = any.address().to_string();
    let app = app(&any, "owner@example.com").await;
    let browser = push.subscribe(Some(&app.vapid_public_key)).registration();
    assert_eq!(
        post(&app.frontend, SUBSCRIPTIONS, &browser).await.status,
        201
    );
    any.terminate().await.expect("it stops");

    let named = launch
        .env("HATO_LISTEN", address)
        .env("HATO_PUSH_HOSTS", "push.example.com,push.example.net");
    let _named = start(named).await;
    for (endpoint, expected) in [
        ("https://push.example.com/1", (201, String::new())),
        ("https://eu.push.example.net/1", (201, String::new())),
        (
            "https://push.example.org/1",
            (400, "INVALID_ENDPOINT".into()),
        ),
        (
            "https://notpush.example.com/1",
            (400, "INVALID_ENDPOINT".into()),
        ),
        ("https://1.1.1.1/1", (400, "INVALID_ENDPOINT".into())),
    ] {
        let reply = post(&app.frontend, SUBSCRIPTIONS, &registration(endpoint)).await;
        assert_eq!(status_and_code(&reply), expected, "{endpoint}");
    }
    let again = post(&app.frontend, SUBSCRIPTIONS, &browser).await;
    assert_eq!(status_and_code(&again), (400, "INVALID_ENDPOINT".into()));
    let message = json!({"title": "t", "body": "b", "endpoint": browser["endpoint"]});
    assert_eq!(post(&app.backend, NOTIFY, &message).await.status, 202);
    let letters = format!("/api/v1/apps/{}/dead-letters", app.id);
    let letters = wait_until(&app.admin, &letters, |page| page["items"][0].is_object()).await;
    assert_eq!(letters["items"][0]["reason"], "blocked_address");
    assert_eq!(push.seen(|seen| seen.total.requests), 0);
}
