//! Reports that reach both servers.

use http::Method;
use serde_json::json;

use super::launch;
use crate::events::CountingApp;
use crate::fixtures::{concurrently, get, send, start, wait_until};

const BROWSERS: usize = 60;

#[tokio::test]
async fn a_token_counts_once_over_all_processes() {
    let counting = CountingApp::with(launch().await, BROWSERS).await;
    let other = start(counting.server.launch().clone()).await;
    let path = counting.send().await;
    let clients = [counting.server.client(), other.client()];
    let tokens = counting.tokens();
    assert_eq!(tokens.len(), BROWSERS);
    for _ in 0..3 {
        let reports = tokens.iter().flat_map(|token| {
            clients.each_ref().map(|client| {
                let body = json!({"token": token, "event": "displayed"}).to_string();
                let client = client.clone();
                async move { send(&client, Method::POST, "/api/v1/events", &[], body).await }
            })
        });
        concurrently(reports).await;
    }
    let owner = counting.owner().await;
    wait_until(&owner, &path, |it| it["displayed_count"] == BROWSERS).await;
    let last = json!({"token": tokens[0], "event": "clicked"}).to_string();
    for client in &clients {
        send(client, Method::POST, "/api/v1/events", &[], last.clone()).await;
    }
    wait_until(&owner, &path, |it| it["clicked_count"] == 1).await;
    let counted = get(&owner, &path).await.json();
    assert_eq!(counted["displayed_count"], BROWSERS, "{counted}");
}
