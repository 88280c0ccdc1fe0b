//! Recipients are those of one moment, whatever changes meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::JoinSet;

use super::*;

const SUBSCRIBERS: usize = 8;
const SENDS: usize = 40;

/// Lets each subscriber change between two tags, and between two endpoints of which the new one replaces the old, until it is told to
/// stop; returns how many changes there were.
fn change_all(app: &OwnedApp, is_done: &Arc<AtomicBool>) -> JoinSet<usize> {
    let mut changing = JoinSet::new();
    for number in 0..SUBSCRIBERS {
        let (client, is_done) = (app.backend.clone(), Arc::clone(is_done));
        changing.spawn(async move {
            let mut changes = 0_usize;
            let (mut old, mut new) = (endpoint(number), endpoint(SUBSCRIBERS + number));
            while !is_done.load(Ordering::Relaxed) {
                let (from, to) = if changes.is_multiple_of(2) {
                    ("a", "b")
                } else {
                    ("b", "a")
                };
                let tags = json!({"endpoint": old, "remove_tags": [from], "add_tags": [to]});
                let reply = client.patch("/api/v1/subscriptions", &tags).await;
                assert_eq!(reply.expect("an answer").status, 200);
                let mut moving = registration(&new);
                moving["replaces"] = json!(old);
                let moved = post(&client, "/api/v1/subscriptions", &moving).await;
                assert!(moved.status.is_success(), "{moved}");
                std::mem::swap(&mut old, &mut new);
                changes += 1;
            }
            changes
        });
    }
    changing
}

/// Everybody has one of two tags at any moment, and one of two endpoints.
#[on_each_database(flavor = "multi_thread")]
async fn who_changes_while_a_send_is_accepted_is_counted_once(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    for number in 0..SUBSCRIBERS {
        let profile = json!({"tags": ["a", "all"], "user_id": format!("user-{number}")});
        register(&app, &endpoint(number), &profile).await;
    }
    let is_done = Arc::<AtomicBool>::default();
    let changing = change_all(&app, &is_done);
    let users: Vec<_> = (0..SUBSCRIBERS).map(|it| format!("user-{it}")).collect();
    for _ in 0..SENDS {
        for (to, recipients) in [
            (json!({"tags": "a || b"}), SUBSCRIBERS),
            (json!({"tags": "a && b"}), 0),
            (json!({"tags": "!a && !b"}), 0),
            (json!({"tags": "all"}), SUBSCRIBERS),
            (json!({"user_ids": users}), SUBSCRIBERS),
            (json!({"user_ids": users, "tags": "!a && !b"}), 0),
        ] {
            assert_eq!(queued(&app, &to).await, recipients as u64, "{to}");
        }
    }
    is_done.store(true, Ordering::Relaxed);
    let changes = changing.join_all().await;
    assert!(changes.iter().all(|it| *it > 0), "{changes:?}");
}
