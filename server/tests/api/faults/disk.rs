//! A disk on which nothing more can be written, for a while.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::server::ServerLaunch;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

use super::FaultFixture;
use crate::fixtures::{BINARY, env_or, post, wait_until_logged};

/// After so many requests the disk is full, and stays so until the push service has seen them all.
const REQUESTS_BEFORE_FULL: u64 = 300;

/// A program that starts the server so that a file which may not grow is an error to it, as on a full disk, and no signal.
fn program(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("hato-server");
    let script = format!("#!/bin/sh\ntrap '' XFSZ\nexec '{BINARY}' \"$@\"\n");
    std::fs::write(&path, script).expect("the folder is writable");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("the file is ours");
    path
}

impl FaultFixture {
    /// Lets the server's files grow, or fail to.
    async fn limit_files(&self, soft: &str) {
        let id = self.server.process_id().expect("it runs");
        let limited = Command::new("prlimit")
            .args([format!("--pid={id}"), format!("--fsize={soft}:")])
            .status()
            .await;
        assert!(limited.expect("prlimit is there").success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_an_error_and_then_nothing_is_lost() {
    let folder = TempDir::new().expect("a temporary folder");
    let launch = ServerLaunch::new(program(&folder)).env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let recipients = env_or("HATO_RECIPIENTS", 2_000);
    let fixture = FaultFixture::new(launch, recipients).await;
    fixture.push.respond_by_number(|number| match number {
        REQUESTS_BEFORE_FULL.. => ScriptedResponse::Status(503),
        _ => ScriptedResponse::Created,
    });
    let before = fixture.served();
    let send = fixture.send().await;
    fixture
        .push
        .wait_until(|seen| seen.total.requests >= REQUESTS_BEFORE_FULL)
        .await;
    fixture.limit_files("1").await;
    let message = json!({"title": "t", "body": "b"});
    let refused = post(&fixture.app.backend, "/api/v1/notify", &message).await;
    assert_eq!(
        (refused.status.as_u16(), &*refused.code()),
        (500, "INTERNAL_ERROR")
    );
    wait_until_logged(&fixture.server, "a page cannot be settled yet").await;
    fixture.push.respond_by_default(ScriptedResponse::Created);
    fixture.limit_files("unlimited").await;

    let outcome = fixture.finish(&send).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], recipients, "{outcome}");
    let before = fixture.served();
    let outcome = fixture.finish(&fixture.send().await).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], recipients, "{outcome}");
}
