//! Who is logged in, and which keys are good.

use std::time::{Duration, Instant};

use hato_testkit::owner::PASSWORD;
use serde_json::json;
use tokio::time::interval;

use super::ServerPair;
use crate::fixtures::{get, post, status_and_code};

const APPS: &str = "/api/v1/apps";
/// How soon a use of a key is to be shown.
const TOLD_WITHIN: Duration = Duration::from_secs(1);
/// Between two looks at the keys.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

#[tokio::test]
async fn a_session_lives_and_ends_at_both() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    let [first, second] = [0, 1].map(|number| fleet.client(&app.owner, number));
    for client in [&first, &second] {
        assert_eq!(get(client, APPS).await.status, 200);
    }
    let out = post(&second, "/auth/logout", &json!({})).await;
    assert_eq!(out.status, 200, "{out}");
    for client in [&first, &second] {
        let refused = get(client, APPS).await;
        assert_eq!(status_and_code(&refused), (401, "INVALID_SESSION".into()));
    }
    let token = second.log_in("owner@example.com", PASSWORD).await;
    let again = first.bearer(&token.expect("a session"));
    assert_eq!(get(&again, APPS).await.status, 200);
}

#[tokio::test]
async fn a_key_that_is_deleted_at_one_is_refused_at_the_other() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    let public_key = "/api/v1/vapid-public-key";
    let [first, second] = [0, 1].map(|number| fleet.client(&app.backend, number));
    for client in [&first, &second] {
        assert_eq!(get(client, public_key).await.status, 200);
    }
    let keys = format!("{APPS}/{}/keys", app.id);
    let listed = get(&app.owner, &keys).await.json();
    let listed = listed.as_array().expect("a list");
    let backend = listed.iter().find(|key| key["name"] == "backend");
    let id = backend.expect("the key")["id"].as_str().expect("an id");
    let deleted = app.owner.delete(&format!("{keys}/{id}")).await;
    assert_eq!(deleted.expect("an answer").status, 200);
    for client in [&second, &first] {
        let refused = get(client, public_key).await;
        assert_eq!(status_and_code(&refused), (401, "INVALID_API_KEY".into()));
    }
}

#[tokio::test]
async fn a_use_of_a_key_at_one_is_shown_by_the_other_within_a_second() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    let used = fleet.client(&app.backend, 1);
    assert_eq!(get(&used, "/api/v1/vapid-public-key").await.status, 200);
    let used_at = Instant::now();
    let keys = format!("{APPS}/{}/keys", app.id);
    let mut ticks = interval(POLL_INTERVAL);
    loop {
        ticks.tick().await;
        // How long the answer takes is not the use's.
        let since = used_at.elapsed();
        let listed = get(&app.owner, &keys).await.json();
        let listed = listed.as_array().expect("a list").iter();
        let mut used = listed.filter(|key| key["last_used_at"].is_number());
        if used.next().is_some_and(|key| key["name"] == "backend") {
            break;
        }
        assert!(since < TOLD_WITHIN, "not shown after {since:?}");
    }
}
