//! File descriptors: how many there may be, and none that are left.

use std::fs;

use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use rustix::process::Resource;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::FaultFixture;
use crate::fixtures::{
    BINARY, app, post, register, start, status_and_code, wait_until, wait_until_logged,
};
use crate::process::{limit, program};

const RECIPIENTS: u64 = 2_000;
/// After so many requests no further file may be opened, until a page could not be settled.
const REQUESTS_BEFORE_LIMIT: u64 = 300;

fn message() -> Value {
    json!({"title": "t", "body": "b"})
}

#[on_each_database(flavor = "multi_thread")]
async fn without_file_descriptors_nobodys_attempt_is_used_up(database: TestDatabase) {
    let push = PushService::start().await;
    // What fails after the first attempt has failed for good a moment later.
    let launch = ServerLaunch::on(BINARY, database)
        .with_push_service(&push)
        .env("HATO_RETRY_DELAYS", "5s,1ms,1ms");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let browser = push.subscribe(Some(&app.vapid_public_key));
    register(&app.frontend, std::slice::from_ref(&browser)).await;
    push.script(&browser, [ScriptedResponse::Reset]);
    let accepted = post(&app.backend, "/api/v1/notify", &message()).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    push.wait_until(|seen| seen.total.requests == 1).await;

    let before = limit(&server, Resource::Nofile, Some(3));
    wait_until_logged(&server, "connections fail on this machine").await;
    // Before anybody new comes, for whom connections that wait for a request are closed.
    let accepted = post(&app.backend, "/api/v1/notify", &message()).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    let newcomer = server.client();
    let waiting = tokio::spawn(async move { newcomer.get("/healthz").await });
    wait_until_logged(&server, "a connection cannot be accepted").await;
    assert!(!waiting.is_finished());
    limit(&server, Resource::Nofile, before);
    let reply = waiting.await.expect("no panic").expect("an answer");
    assert_eq!(reply.status, 200, "{reply}");
    wait_until_logged(&server, "connections are accepted again").await;
    let log = server.log();
    for failure in [
        "connections fail on this machine",
        "a connection cannot be accepted",
    ] {
        let lines: Vec<_> = log.lines().filter(|line| line.contains(failure)).collect();
        let [line] = lines[..] else {
            panic!("once: {lines:?}")
        };
        assert!(line.contains("Too many open files"), "{line}");
    }

    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let are_done = |it: &Value| {
        let items = it["items"].as_array();
        items.is_some_and(|items| items.iter().all(|send| send["status"] == "done"))
    };
    let history = wait_until(&app.owner, &path, are_done).await;
    for send in 0..2 {
        let send = &history["items"][send];
        assert_eq!(send["sent_count"], 1, "{send}");
    }
    assert_eq!(push.seen(|seen| seen.counts(&browser.id).requests), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_send_loses_nothing_while_new_connections_to_postgresql_find_no_file_descriptor() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await)
        .env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let fixture = FaultFixture::new(launch, RECIPIENTS).await;
    let then = ScriptedResponse::Status(503);
    let (before, send) = fixture.send_to_first(REQUESTS_BEFORE_LIMIT, then).await;

    let server = &fixture.server;
    let unlimited = limit(server, Resource::Nofile, Some(3));
    server.database().end_sessions();
    let refused = post(&fixture.app.backend, "/api/v1/notify", &message()).await;
    assert_eq!(
        status_and_code(&refused),
        (500, "INTERNAL_ERROR".to_owned())
    );
    wait_until_logged(server, "a page cannot be settled yet").await;
    fixture.assert_cause_is_logged("Too many open files");
    fixture.push.respond_by_default(ScriptedResponse::Created);
    limit(server, Resource::Nofile, unlimited);

    let outcome = fixture.finish(&send).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], RECIPIENTS, "{outcome}");
}

#[tokio::test]
async fn as_many_files_may_be_open_as_the_system_permits() {
    let folder = TempDir::new().expect("a temporary folder");
    let launch = ServerLaunch::new(program(&folder, "ulimit -Sn 128 || exit"));
    let server = start(launch).await;
    let id = server.process_id().expect("it runs");
    let limits = fs::read_to_string(format!("/proc/{id}/limits")).expect("a list");
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let numbers: Vec<_> = line.expect("a limit").split_whitespace().skip(3).collect();
    assert_eq!(numbers[0], numbers[1], "{limits}");
    assert_ne!(numbers[0], "128");
}
