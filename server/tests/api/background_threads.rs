//! What is long work gives way to requests: it has threads of its own, of a lower priority.

use std::ffi::OsString;
use std::fs;

use hato_testkit::owner::PASSWORD;
use hato_testkit::push_service::{PushService, SeenTraffic};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use crate::fixtures::{BINARY, app, post, register_in_bulk, start};

/// The names of the threads that requests are answered on, and of the others.
const REQUESTS: &str = "tokio-rt-worker";
const BACKGROUND: &str = "hato-background";
/// What is asked of a server, so that it takes longer than what any thread does besides.
const RECIPIENTS: usize = 500;
const LOGINS: usize = 8;
/// The largest niceness that there is.
const LEAST_PRIORITY: i32 = 19;

/// A thread of the server's.
struct Thread {
    id: OsString,
    name: String,
    niceness: i32,
    /// How long it has had a core, in nanoseconds.
    run_time: u64,
}

fn threads(server: &HatoServer) -> Vec<Thread> {
    let id = server.process_id().expect("it runs");
    let tasks = fs::read_dir(format!("/proc/{id}/task")).expect("a process");
    tasks
        .filter_map(|task| {
            let task = task.expect("a thread");
            let folder = task.path();
            let read = |file| fs::read_to_string(folder.join(file)).ok();
            // Threads come and go.
            let (name, stat, run_times) = (read("comm")?, read("stat")?, read("schedstat")?);
            // What stands behind the name begins with the third field; the niceness is the nineteenth.
            let (_, fields) = stat.rsplit_once(')')?;
            let niceness = fields.split_whitespace().nth(16)?;
            let run_time = run_times.split_whitespace().next()?;
            Some(Thread {
                id: task.file_name(),
                name: name.trim().to_owned(),
                niceness: niceness.parse().expect("a number"),
                run_time: run_time.parse().expect("a number"),
            })
        })
        .collect()
}

/// How nice the threads are whose name is this, or is not.
fn niceness(threads: &[Thread], is_named: impl Fn(&str) -> bool) -> Vec<i32> {
    let named = threads.iter().filter(|it| is_named(&it.name));
    let mut all: Vec<i32> = named.map(|it| it.niceness).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// How long the threads of this name have had a core since. They come, and go when they have had nothing to do.
fn added(name: &str, before: &[Thread], after: &[Thread]) -> u64 {
    let named = after.iter().filter(|it| it.name == name);
    let added = named.map(|it| {
        let earlier = before.iter().find(|earlier| earlier.id == it.id);
        it.run_time - earlier.map_or(0, |earlier| earlier.run_time)
    });
    added.sum()
}

/// The background has had more than twice as much as requests have.
fn assert_in_background(before: &[Thread], after: &[Thread]) {
    let [requests, background] = [REQUESTS, BACKGROUND].map(|name| added(name, before, after));
    assert!(background > 2 * requests, "{background}, {requests}");
}

#[on_each_database]
async fn deliveries_and_passwords_are_work_of_the_background(database: TestDatabase) {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), RECIPIENTS);
    register_in_bulk(&app.admin, &app.id, &browsers).await;

    let before = threads(&server);
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    push.wait_until(|seen| SeenTraffic::subscriptions_served(seen) == RECIPIENTS)
        .await;
    let delivered = threads(&server);
    assert_in_background(&before, &delivered);

    for _ in 0..LOGINS {
        let session = server.client().log_in("owner@example.com", PASSWORD).await;
        session.expect("a session");
    }
    let logged_in = threads(&server);
    assert_in_background(&delivered, &logged_in);

    // Those of the database as well: requests wait for them.
    let others = niceness(&logged_in, |name| name != BACKGROUND);
    assert_eq!(others.len(), 1, "{others:?}");
    let background = niceness(&logged_in, |name| name == BACKGROUND);
    assert_eq!(background, [(others[0] + 10).min(LEAST_PRIORITY)]);
}
