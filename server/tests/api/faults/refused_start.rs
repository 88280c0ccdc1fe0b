//! A start that a fault prevents, and one after it.

use std::process::Output;

use hato_testkit::TestDatabase;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch};
use serde_json::json;

use crate::fixtures::{BINARY, app, post, register, start};

/// A server that has stopped, with a send to one browser in its queue.
pub(super) async fn with_queued_send(database: TestDatabase, push: &PushService) -> HatoServer {
    let launch = ServerLaunch::on(BINARY, database).with_push_service(push);
    let mut server = start(launch.env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    let browser = push.subscribe(Some(&app.vapid_public_key));
    register(&app.frontend, &[browser]).await;
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    server.terminate().await.expect("it stops");
    server
}

/// The start ended with this exit code and one line that says this.
pub(super) fn assert_refused(output: &Output, exit_code: i32, says: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit_code), "{stderr}");
    let lines = stderr.lines();
    let said: Vec<_> = lines.filter(|it| it.starts_with("hato-server: ")).collect();
    assert!(said.len() == 1 && said[0].contains(says), "{stderr}");
}

/// A server that is started now delivers what was queued.
pub(super) async fn assert_delivered(stopped: &HatoServer, push: &PushService) {
    let launch = stopped.launch().clone();
    let _server = start(launch.env("HATO_ROLE", "all")).await;
    push.wait_until(|seen| seen.total.created == 1).await;
    push.assert_no_violations();
}
