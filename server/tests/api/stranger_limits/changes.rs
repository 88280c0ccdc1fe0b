//! How often strangers change subscriptions that are there (CONTRACT 18).

use hato_testkit::client::Client;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use super::{SUBSCRIPTIONS, assert_limited, browser, register_from, setup};
use crate::fixtures::{send, snapshot};

#[on_each_database]
async fn a_stranger_changes_20_times_as_many_a_minute(database: TestDatabase) {
    let (_server, app) = setup(database, &[("HATO_REGISTRATIONS_PER_MINUTE", "1")]).await;
    let within = format!("/api/v1/apps/{}/subscriptions", app.id);
    let endpoint = &browser(0)["endpoint"];
    let changes = [
        (Method::POST, SUBSCRIPTIONS, browser(0)),
        (
            Method::PATCH,
            SUBSCRIPTIONS,
            json!({"endpoint": endpoint, "lang": "ja"}),
        ),
        (Method::DELETE, &within, json!({"endpoint": endpoint})),
        (Method::POST, &within, browser(0)),
    ];
    let change = async |client: &Client, number: usize, address| {
        let (method, path, body) = &changes[number % changes.len()];
        let headers = [("x-forwarded-for", address)];
        send(client, method.clone(), path, &headers, body.to_string()).await
    };
    let made = register_from(&app.frontend, "192.0.2.1", SUBSCRIPTIONS, 0).await;
    assert_eq!(made.status, 201, "{made}");
    for number in 0..20 {
        let reply = change(&app.frontend, number, "192.0.2.1").await;
        assert_eq!(reply.status, 200, "{number}: {reply}");
    }
    let before = snapshot(&app).await;
    for number in 0..changes.len() {
        assert_limited(&change(&app.frontend, number, "192.0.2.1").await);
    }
    assert_eq!(snapshot(&app).await, before);
    for (client, address) in [(&app.backend, "192.0.2.1"), (&app.frontend, "192.0.2.2")] {
        let reply = change(client, 0, address).await;
        assert_eq!(reply.status, 200, "{reply}");
    }
}
