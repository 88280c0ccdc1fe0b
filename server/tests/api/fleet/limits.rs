//! What strangers and plans may do is counted over both servers (SPEC 8, CONTRACT 3, 18).

use hato_testkit::client::{Client, Reply};
use http::Method;
use serde_json::{Value, json};

use super::ServerPair;
use crate::fixtures::{
    concurrently, count, get, post, registration, send, status_and_code, subscribe,
};

const SUBSCRIPTIONS: &str = "/api/v1/subscriptions";
const NOTIFY: &str = "/api/v1/notify";

async fn behind_a_proxy() -> ServerPair {
    ServerPair::with(|launch| {
        launch
            .env("HATO_ROLE", "api")
            .env("HATO_TRUSTED_PROXIES", "127.0.0.0/8")
    })
    .await
}

async fn with_limit(name: &str, limit: &str) -> ServerPair {
    ServerPair::with(|launch| launch.env("HATO_ROLE", "api").env(name, limit)).await
}

async fn post_from(client: &Client, address: &str, path: &str, body: &str) -> Reply {
    let headers = [("x-forwarded-for", address)];
    send(client, Method::POST, path, &headers, body.to_owned()).await
}

fn is_limited(reply: &Reply) -> bool {
    status_and_code(reply) == (429, "RATE_LIMITED".into())
}

fn browser(number: usize) -> Value {
    registration(&format!("https://push.example.com/new/{number}"))
}

fn message(_: usize) -> Value {
    json!({"title": "t", "body": "b"})
}

#[tokio::test]
async fn logins_and_registrations_are_counted_together() {
    let fleet = behind_a_proxy().await;
    let client = fleet.servers[0].client();
    for (path, limit) in [("/auth/login", 10), ("/auth/register", 5)] {
        for number in 0..limit {
            let client = fleet.client(&client, number);
            let reply = post_from(&client, "192.0.2.1", path, "{}").await;
            assert!(!is_limited(&reply), "{number} of {path}");
        }
        for number in 0..2 {
            let client = fleet.client(&client, number);
            assert!(is_limited(
                &post_from(&client, "192.0.2.1", path, "{}").await
            ));
            assert!(!is_limited(
                &post_from(&client, "192.0.2.2", path, "{}").await
            ));
        }
    }
}

#[tokio::test]
async fn the_clients_of_a_site_are_counted_together() {
    let fleet = behind_a_proxy().await;
    let client = fleet.servers[0].client();
    for number in 0..50 {
        let (client, address) = (
            fleet.client(&client, number),
            format!("2001:db8:1:{:x}::1", number / 5),
        );
        let reply = post_from(&client, &address, "/auth/register", "{}").await;
        assert!(!is_limited(&reply), "{number}");
    }
    let fresh = post_from(&client, "2001:db8:1:ff::1", "/auth/register", "{}").await;
    assert!(is_limited(&fresh));
}

#[tokio::test]
async fn after_20_failed_keys_the_right_one_is_refused_at_both() {
    let fleet = behind_a_proxy().await;
    let app = fleet.app().await;
    let stranger = app.backend.bearer(&format!("pk_{}", "0".repeat(64)));
    for number in 0..20 {
        let (stranger, owner) = (
            fleet.client(&stranger, number),
            fleet.client(&app.backend, number + 1),
        );
        let before = post_from(&owner, "192.0.2.1", NOTIFY, "{}").await;
        assert_eq!(before.status, 400, "{before}");
        let reply = post_from(&stranger, "192.0.2.1", NOTIFY, "{}").await;
        assert_eq!(reply.status, 401, "{reply}");
    }
    for number in 0..2 {
        let client = fleet.client(&app.backend, number);
        assert!(is_limited(
            &post_from(&client, "192.0.2.1", NOTIFY, "{}").await
        ));
        assert!(!is_limited(
            &post_from(&client, "192.0.2.2", NOTIFY, "{}").await
        ));
    }
}

#[tokio::test]
async fn limits_are_exact_for_requests_at_the_same_time() {
    let fleet = behind_a_proxy().await;
    let stranger = fleet.servers[0].client().bearer("pk_0");
    for (path, allowed, status) in [
        ("/auth/login", 10, 400),
        ("/auth/register", 5, 400),
        (NOTIFY, 20, 401),
    ] {
        let replies = concurrently((0..64).map(|number| {
            let client = fleet.client(&stranger, number);
            async move { post_from(&client, "192.0.2.1", path, "{}").await }
        }));
        let replies = replies.await;
        let counts = (count(&replies, status), count(&replies, 429));
        assert_eq!(counts, (allowed, 64 - allowed), "{path}");
    }
}

#[tokio::test]
async fn new_subscriptions_of_strangers_are_counted_together() {
    let fleet = with_limit("HATO_REGISTRATIONS_PER_MINUTE", "10").await;
    let app = fleet.app().await;
    let registering = fleet.post_concurrently(&app.frontend, SUBSCRIPTIONS, 32, browser);
    let replies = registering.await;
    assert_eq!((count(&replies, 201), count(&replies, 429)), (10, 22));
}

#[tokio::test]
async fn sends_of_an_app_are_counted_together() {
    let fleet = with_limit("HATO_SENDS_PER_MINUTE", "10").await;
    let app = fleet.app().await;
    let sending = fleet.post_concurrently(&app.backend, NOTIFY, 32, message);
    let replies = sending.await;
    assert_eq!((count(&replies, 202), count(&replies, 429)), (10, 22));
}

#[tokio::test]
async fn subscribers_of_an_app_are_counted_together() {
    let fleet = with_limit("HATO_SUBSCRIBERS_PER_APP", "10").await;
    let app = fleet.app().await;
    let registering = fleet.post_concurrently(&app.backend, SUBSCRIPTIONS, 32, browser);
    let replies = registering.await;
    assert_eq!((count(&replies, 201), count(&replies, 429)), (10, 22));
}

#[tokio::test]
async fn subscribers_that_the_plan_allows_are_counted_together() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    let database = fleet.servers[0].database();
    database.execute("UPDATE apps SET active_subscriptions = 990");
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let replies = fleet.post_concurrently(&app.backend, &path, 32, browser);
    let replies = replies.await;
    assert_eq!((count(&replies, 201), count(&replies, 429)), (10, 22));
}

/// All but so many of the recipients that the Free plan allows are used up, also if the month ends meanwhile.
pub const USE_UP: &str = "
    INSERT INTO monthly_usage (account_id, month, recipients)
    SELECT id, EXTRACT(YEAR FROM now() AT TIME ZONE 'UTC') * 12
               + EXTRACT(MONTH FROM now() AT TIME ZONE 'UTC') - 1 + later, 30000 - 20
    FROM accounts, generate_series(0, 1) AS later";

#[tokio::test]
async fn the_month_is_not_passed_by_sends_at_both() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    subscribe(&app, 2).await;
    fleet.servers[0].database().execute(USE_UP);
    let sending = fleet.post_concurrently(&app.backend, NOTIFY, 32, message);
    let replies = sending.await;
    assert_eq!((count(&replies, 202), count(&replies, 429)), (10, 22));
    for number in 0..2 {
        let path = format!("/api/v1/apps/{}/stats", app.id);
        let stats = get(&fleet.client(&app.owner, number), &path).await;
        assert_eq!(stats.json()["monthlySent"], 30_000, "{stats}");
        let client = fleet.client(&app.backend, number);
        assert_eq!(post(&client, NOTIFY, &message(0)).await.status, 429);
    }
}
