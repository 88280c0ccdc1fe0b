//! A send to very many: one event for each page, everybody in exactly one, and memory that grows neither with the audience nor
//! with the length of its endpoints.

use std::collections::HashSet;

use hato_testkit::webhook_receiver::Event;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use super::WebhookFixture;
use crate::database::fill_subscriptions;
use crate::fixtures::{env_or, post, send};
use crate::process;

/// By how much the server's memory may grow, in MiB.
const MOST_MIB: u64 = 200;

/// Everybody named by the events, each once, and whether the end of the send is among them.
fn read(events: &[Event], named: &mut HashSet<String>) -> bool {
    let mut has_ended = false;
    for event in events {
        let data = &event.json()["data"];
        let Some(results) = data["results"].as_array() else {
            has_ended = true;
            continue;
        };
        assert!(results.len() <= 500);
        for result in results {
            let id = result["subscription_id"].as_str().expect("an id");
            assert!(named.insert(id.to_owned()), "{id} is named twice");
        }
    }
    has_ended
}

#[on_each_database(flavor = "multi_thread")]
async fn a_send_to_many_makes_an_event_for_each_page_in_bounded_memory(database: TestDatabase) {
    let recipients = env_or("HATO_RECIPIENTS", 5_000);
    let recipients = usize::try_from(recipients).expect("not so many");
    let fixture = WebhookFixture::new(database).await;
    fill_subscriptions(&fixture.server, recipients, "https://10.0.0.1/push/").await;
    let before = process::peak_memory(&fixture.server) >> 20;
    let message = json!({"title": "t", "body": "b"});
    let reply = post(&fixture.app.backend, "/api/v1/notify", &message).await;
    assert_eq!(reply.json()["queued"], recipients, "{reply}");
    let pages = recipients.div_ceil(500);
    let (mut named, mut events, mut has_ended) = (HashSet::new(), 0, false);
    while !has_ended || events <= pages {
        fixture.receiver.wait_until(|seen| !seen.is_empty()).await;
        let came = fixture.receiver.take();
        events += came.len();
        has_ended |= read(&came, &mut named);
    }
    assert_eq!((named.len(), events), (recipients, pages + 1));
    let grown = (process::peak_memory(&fixture.server) >> 20).saturating_sub(before);
    println!("{recipients} recipients, {events} events, {grown} MiB more");
    assert!(grown < MOST_MIB, "{grown} MiB");
}

/// Apps of the owner, besides the fixture's, each with a page of subscribers whose endpoints have 2,000 bytes.
const APPS: usize = 40;

async fn more_apps(fixture: &WebhookFixture) -> Vec<String> {
    let mut apps = Vec::new();
    let webhook = json!({"webhook_url": fixture.receiver.url()}).to_string();
    for number in 0..APPS {
        let app = json!({"name": format!("app {number}")});
        let made = post(&fixture.app.owner, "/api/v1/apps", &app).await.json();
        let path = format!("/api/v1/apps/{}", made["appId"].as_str().expect("an id"));
        let owner = &fixture.app.owner;
        let set = send(owner, Method::PATCH, &path, &[], webhook.clone()).await;
        assert_eq!(set.status, 200, "{set}");
        apps.push(path);
    }
    apps
}

#[on_each_database(flavor = "multi_thread")]
async fn events_of_long_endpoints_take_turns_in_memory(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    let apps = more_apps(&fixture).await;
    let long = format!("https://10.0.0.1/{}", "0".repeat(1_980));
    fill_subscriptions(&fixture.server, 500, &long).await;
    let before = process::peak_memory(&fixture.server) >> 20;
    let message = json!({"title": "t", "body": "b"});
    for app in &apps {
        let reply = post(&fixture.app.owner, &format!("{app}/notify"), &message).await;
        assert_eq!(reply.json()["queued"], 500, "{reply}");
    }
    let (mut named, mut ends) = (HashSet::new(), 0);
    while ends < APPS || named.len() < 500 * APPS {
        fixture.receiver.wait_until(|seen| !seen.is_empty()).await;
        for event in fixture.receiver.take() {
            ends += usize::from(read(std::slice::from_ref(&event), &mut named));
        }
    }
    let grown = (process::peak_memory(&fixture.server) >> 20).saturating_sub(before);
    println!("{APPS} events of more than 1 MB, {grown} MiB more");
    assert!(grown < MOST_MIB, "{grown} MiB");
}
