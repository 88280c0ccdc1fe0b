//! Back-ups that a server makes by itself (`HATO_BACKUP_DIR`).

use std::fs;
use std::path::Path;

use hato_testkit::TestDatabase;
use hato_testkit::server::{HatoServer, ServerLaunch, series_value};
use serde_json::json;

use super::{assert_done, back_up, names, run};
use crate::database::execute;
use crate::fixtures::{BINARY, app, post, start, subscribe, wait_until_logged};
use crate::metrics::scrape;

const MADE: &str = "made a back-up";
const NOT_DUE: &str = "no back-up is due";

async fn scheduled(database: TestDatabase, folder: &Path) -> HatoServer {
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_BACKUP_DIR", folder.display().to_string())
        .env("HATO_BACKUP_KEEP", "3")
        .env("HATO_METRICS_LISTEN", "127.0.0.1:0")
        .env("HATO_LOG", "hato_server=debug,info");
    start(launch).await
}

/// Files that are named like nothing that the server makes.
const OTHERS: [&str; 4] = [
    ".hato-backup-directory",
    "hato-20260101T040000Z.tar.zst.gpg",
    "hato-2026.tar.zst",
    "hato.db",
];

/// The names of old back-ups, which stand in a folder with others and with what a process has left that was killed.
fn fill(folder: &Path) -> Vec<String> {
    let old: Vec<_> = (1..=5)
        .map(|day| format!("hato-2026010{day}T040000Z.tar.zst"))
        .collect();
    for name in old.iter().map(String::as_str).chain(OTHERS) {
        fs::write(folder.join(name), name).expect("written");
    }
    let left = folder.join(".hato-backup-killed");
    fs::create_dir(&left).expect("a folder");
    fs::write(left.join("archive"), "half").expect("written");
    old
}

#[tokio::test]
async fn the_last_ones_are_kept_and_nobody_elses_files_are_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = fill(folder.path());
    let server = scheduled(TestDatabase::sqlite().await, folder.path()).await;
    wait_until_logged(&server, MADE).await;
    let mut made = names(folder.path());
    made.retain(|name| !OTHERS.contains(&name.as_str()));
    assert_eq!(made.len(), 3, "{made:?}");
    assert_eq!(made[..2], old[3..]);
    for other in OTHERS {
        let text = fs::read_to_string(folder.path().join(other));
        assert_eq!(text.expect("it is there"), other);
    }
    let text = scrape(&server.metrics_client()).await;
    let count = series_value(&text, "hato_backups_total{outcome=\"made\"}");
    assert_eq!(count, Some(1.0));
    assert!(series_value(&text, "hato_last_backup_timestamp_seconds") > Some(1.7e9));

    let file = folder.path().join(&made[2]).display().to_string();
    let restored = ServerLaunch::new(BINARY).data_dir(folder.path().join("restored"));
    assert_done(&run(&restored, "restore", &[&file]).await);
}

#[tokio::test]
async fn a_restart_makes_none_before_it_is_due() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = scheduled(TestDatabase::sqlite().await, folder.path()).await;
    wait_until_logged(&server, MADE).await;
    server.kill().await;
    server.restart().await.expect("it starts");
    wait_until_logged(&server, NOT_DUE).await;
    assert_eq!(names(folder.path()).len(), 1);
    // What watches it knows how old the last one is.
    let text = scrape(&server.metrics_client()).await;
    assert!(series_value(&text, "hato_last_backup_timestamp_seconds") > Some(1.7e9));
    assert_eq!(
        series_value(&text, "hato_backup_interval_seconds"),
        Some(86_400.0)
    );
}

/// A send to one recipient a minute, and three of them: the others' pages are queued.
async fn queue_pages(server: &HatoServer) {
    let app = app(server, "owner@example.com").await;
    subscribe(&app, 3).await;
    let message = json!({"title": "t", "body": "b", "max_per_minute": 1});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
}

#[tokio::test]
async fn while_pages_are_queued_the_copy_is_not_checked_row_by_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = scheduled(TestDatabase::sqlite().await, folder.path()).await;
    wait_until_logged(&server, MADE).await;
    assert!(server.log().contains("depth=Whole"), "{}", server.log());
    queue_pages(&server).await;
    server.terminate().await.expect("it stops");
    let first = names(folder.path()).remove(0);
    fs::remove_file(folder.path().join(first)).expect("removed");
    server.restart().await.expect("it starts");
    wait_until_logged(&server, MADE).await;
    assert!(server.log().contains("depth=Tables"), "{}", server.log());
    let asked_for = folder.path().join("asked-for.tar.zst");
    let said = back_up(server.launch(), &asked_for).await;
    assert!(said.contains("without a check of every row"), "{said}");
    fs::remove_file(asked_for).expect("removed");
    // What is in it is whole all the same.
    let made = names(folder.path()).remove(0);
    let file = folder.path().join(made).display().to_string();
    let restored = ServerLaunch::new(BINARY).data_dir(folder.path().join("restored"));
    assert_done(&run(&restored, "restore", &[&file]).await);
}

#[tokio::test]
async fn pages_that_are_held_back_leave_time_to_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = scheduled(TestDatabase::sqlite().await, folder.path()).await;
    queue_pages(&server).await;
    server.terminate().await.expect("it stops");
    execute(&server, "UPDATE jobs SET held = 1").await;
    let said = back_up(server.launch(), &folder.path().join("asked-for.tar.zst")).await;
    assert!(!said.contains("without a check"), "{said}");
}

#[tokio::test]
async fn on_postgresql_the_secrets_are_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = scheduled(TestDatabase::postgres().await, folder.path()).await;
    wait_until_logged(&server, MADE).await;
    assert!(server.log().contains("pg_dump"), "{}", server.log());
    assert_eq!(names(folder.path()).len(), 1);
}

#[tokio::test]
async fn one_that_fails_is_logged_and_counted() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let folder = file.path().join("below");
    let server = scheduled(TestDatabase::sqlite().await, &folder).await;
    wait_until_logged(&server, "the back-up has failed").await;
    let text = scrape(&server.metrics_client()).await;
    assert_eq!(
        series_value(&text, "hato_backups_total{outcome=\"failed\"}"),
        Some(1.0)
    );
}
