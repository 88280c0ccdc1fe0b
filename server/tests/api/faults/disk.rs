//! A disk on which nothing more can be written, for a while.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hato_testkit::push_service::Answer;
use hato_testkit::server::Launch;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

use super::Scene;
use crate::stage::{BINARY, given, post, until_logged};

/// After so many requests the disk is full, and stays so until the push service has seen them all.
const ASKED: u64 = 300;

/// A program that starts the server so that a file which may not grow is an error to it, as on a full disk, and no signal.
fn program(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("hato-server");
    let script = format!("#!/bin/sh\ntrap '' XFSZ\nexec '{BINARY}' \"$@\"\n");
    std::fs::write(&path, script).expect("the folder is writable");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("the file is ours");
    path
}

impl Scene {
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
    let launch = Launch::new(program(&folder)).env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let recipients = given("HATO_RECIPIENTS", 2_000);
    let scene = Scene::new(launch, recipients).await;
    scene.push.answer_by_number(|number| match number {
        ASKED.. => Answer::Status(503),
        _ => Answer::Created,
    });
    let before = scene.served();
    let send = scene.send().await;
    scene
        .push
        .wait_until(|seen| seen.total.requests >= ASKED)
        .await;
    scene.limit_files("1").await;
    let message = json!({"title": "t", "body": "b"});
    let refused = post(&scene.app.backend, "/api/v1/notify", &message).await;
    assert_eq!(
        (refused.status.as_u16(), &*refused.code()),
        (500, "INTERNAL_ERROR")
    );
    until_logged(&scene.server, "a page cannot be settled yet").await;
    scene.push.answer_by_default(Answer::Created);
    scene.limit_files("unlimited").await;

    let outcome = scene.finish(&send).await;
    scene.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], recipients, "{outcome}");
    let before = scene.served();
    let outcome = scene.finish(&scene.send().await).await;
    scene.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], recipients, "{outcome}");
}
