//! A disk on which nothing more can be written, for a while.

use std::fs::{File, remove_file};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use hato_testkit::TestDatabase;
use hato_testkit::client::Reply;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use serde_json::json;
use tempfile::TempDir;

use super::refused_start::{assert_delivered, assert_refused, with_queued_send};
use super::{FaultFixture, own_mounts};
use crate::fixtures::{env_or, post, status_and_code, wait_until_logged};

/// After so many requests the push service answers nobody until the disk has room again.
const REQUESTS_BEFORE_FULL: u64 = 300;

/// Sends that what the log has left may take when the disk is full: 16 MiB, of which each takes some KiB.
const MAX_LAST_SENDS: usize = 10_000;

/// A disk of 64 MiB for one process: in a mount namespace of its own, with which it ends.
const OWN_DISK: &str =
    r#"mount -t tmpfs -o size=64m hato "$disk" || exit; HATO_DATA_DIR=$disk exec "$@""#;

/// The same with the data in it that are elsewhere, and no room for more.
const OWN_FULL_DISK: &str = r#"mount -t tmpfs -o size=64m hato "$disk" && cp -a "$HATO_DATA_DIR/." "$disk" || exit
dd if=/dev/zero of="$disk/filler" bs=4k
HATO_DATA_DIR=$disk exec "$@""#;

/// The folder on which only the server sees its disk.
fn mount_point(folder: &TempDir) -> PathBuf {
    folder.path().join("disk")
}

/// A program that starts the server with its data on a disk of its own, as this script makes it.
fn program(folder: &TempDir, own_disk: &str) -> PathBuf {
    let disk = mount_point(folder);
    std::fs::create_dir(&disk).expect("the folder is writable");
    let mounting = format!("disk='{}'; {own_disk}", disk.display());
    own_mounts::program(folder, &mounting)
}

/// Takes all the room that the disk has, with this file.
fn fill(path: &Path) {
    let mut file = File::create(path).expect("a file");
    for size in [1 << 16, 1] {
        let error = loop {
            if let Err(error) = file.write_all(&vec![0; size]) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
    }
}

impl FaultFixture {
    /// The disk as the server sees it.
    fn disk(&self, folder: &TempDir) -> PathBuf {
        let id = self.server.process_id().expect("it runs");
        let path = mount_point(folder);
        let path = path.strip_prefix("/").expect("an absolute path");
        Path::new("/proc")
            .join(id.to_string())
            .join("root")
            .join(path)
    }

    /// Sends to one until that is refused: what the log has left is used up first. Returns how many were accepted before.
    async fn send_until_refused(&self) -> (usize, Reply) {
        let endpoint = &self.browsers[0].endpoint;
        let message = json!({"title": "t", "body": "b".repeat(2_000), "endpoint": endpoint});
        for accepted in 0..MAX_LAST_SENDS {
            let reply = post(&self.app.backend, "/api/v1/notify", &message).await;
            if reply.status != 202 {
                return (accepted, reply);
            }
        }
        panic!("the disk is not full");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_an_error_and_then_nothing_is_lost() {
    let folder = TempDir::new().expect("a temporary folder");
    let launch =
        ServerLaunch::new(program(&folder, OWN_DISK)).env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let recipients = env_or("HATO_RECIPIENTS", 2_000);
    let fixture = FaultFixture::new(launch, recipients).await;
    let then = ScriptedResponse::Hang;
    let (before, send) = fixture.send_to_first(REQUESTS_BEFORE_FULL, then).await;
    let filler = fixture.disk(&folder).join("filler");
    fill(&filler);
    let (accepted, refused) = fixture.send_until_refused().await;
    assert_eq!(status_and_code(&refused), (500, "INTERNAL_ERROR".into()));
    wait_until_logged(&fixture.server, "a page cannot be settled yet").await;
    let log = fixture.server.log();
    assert!(log.contains("database or disk is full"), "{log}");
    fixture.push.respond_by_default(ScriptedResponse::Created);
    remove_file(&filler).expect("it is there");

    let outcome = fixture.finish(&send).await;
    assert_eq!(outcome["sent_count"], recipients, "{outcome}");
    let history = fixture.history().await;
    assert_eq!(history.len(), accepted + 1, "{refused}");
    for other in &history {
        let id = other["send_id"].as_str().expect("an id");
        let outcome = fixture.finish(id).await;
        assert_eq!(outcome["failed_count"], 0, "{outcome}");
    }
    fixture.assert_nothing_lost(&outcome, &before).await;
    let before = fixture.served();
    let outcome = fixture.finish(&fixture.send().await).await;
    fixture.assert_nothing_lost(&outcome, &before).await;
    assert_eq!(outcome["sent_count"], recipients, "{outcome}");
}

#[tokio::test]
async fn a_full_disk_ends_the_start_with_one_line() {
    let push = PushService::start().await;
    let server = with_queued_send(TestDatabase::sqlite().await, &push).await;
    let folder = TempDir::new().expect("a temporary folder");
    let on_full_disk = ServerLaunch::new(program(&folder, OWN_FULL_DISK));
    let mut serve = on_full_disk.command("serve");
    serve.env("HATO_DATA_DIR", server.data_dir());
    let serve = serve.output().await.expect("it runs");
    assert_refused(&serve, 1, "is full");
    assert_delivered(&server, &push).await;
}
