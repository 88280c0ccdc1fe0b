//! Back-ups that a server makes by itself (`HATO_BACKUP_DIR`).

use std::fs;
use std::path::Path;

use hato_testkit::TestDatabase;
use hato_testkit::server::{HatoServer, Launch};

use super::{assert_done, names, run};
use crate::fixtures::{BINARY, start, wait_until_logged};
use crate::metrics::{metrics_of, scrape, value};

const MADE: &str = "made a back-up";
const NOT_DUE: &str = "no back-up is due";

async fn scheduled(database: TestDatabase, folder: &Path) -> HatoServer {
    let launch = Launch::on(BINARY, database)
        .env("HATO_BACKUP_DIR", folder.display().to_string())
        .env("HATO_BACKUP_KEEP", "3")
        .env("HATO_METRICS_LISTEN", "127.0.0.1:0")
        .env("HATO_LOG", "hato_server=debug,info");
    start(launch).await
}

#[tokio::test]
async fn the_last_ones_are_kept_and_nobody_elses_files_are_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let old: Vec<_> = (1..=5)
        .map(|day| format!("hato-2026010{day}T040000Z.tar.zst"))
        .collect();
    let others = [
        ".hato-backup-directory",
        "hato-20260101T040000Z.tar.zst.gpg",
        "hato-2026.tar.zst",
        "hato.db",
    ];
    for name in old.iter().map(String::as_str).chain(others) {
        fs::write(folder.path().join(name), name).expect("written");
    }
    let left = folder.path().join(".hato-backup-killed");
    fs::create_dir(&left).expect("a folder");
    fs::write(left.join("archive"), "half").expect("written");
    let mut server = scheduled(TestDatabase::sqlite().await, folder.path()).await;
    wait_until_logged(&server, MADE).await;
    let made = names(folder.path());
    let made: Vec<_> = made
        .iter()
        .filter(|it| !others.contains(&it.as_str()))
        .collect();
    assert_eq!(made.len(), 3, "{made:?}");
    assert_eq!([made[0], made[1]], [&old[3], &old[4]]);
    for other in others {
        assert_eq!(
            fs::read_to_string(folder.path().join(other)).expect("it is there"),
            other
        );
    }
    let text = scrape(&metrics_of(&server)).await;
    assert_eq!(
        value(&text, "hato_backups_total{outcome=\"made\"}"),
        Some(1.0)
    );
    assert!(value(&text, "hato_last_backup_timestamp_seconds") > Some(1.7e9));

    let file = folder.path().join(made[2]).display().to_string();
    let restored = Launch::new(BINARY).data_dir(folder.path().join("restored"));
    assert_done(&run(&restored, "restore", &[&file]).await);

    server.kill().await;
    server.restart().await.expect("it starts");
    wait_until_logged(&server, NOT_DUE).await;
    assert!(!server.log().contains(MADE));
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
    let text = scrape(&metrics_of(&server)).await;
    assert_eq!(
        value(&text, "hato_backups_total{outcome=\"failed\"}"),
        Some(1.0)
    );
}
