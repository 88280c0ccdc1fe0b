//! `hato-server backup` and `restore`, and back-ups that a server makes by itself (CONTRACT 1).

mod archives;
mod schedule;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hato_testkit::owner::PASSWORD;
use hato_testkit::push_service::PushService;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tempfile::TempDir;

use crate::fixtures::{BINARY, post, setup, snapshot, start, subscribe, wait_until};

/// What a command does with these arguments.
async fn run(launch: &ServerLaunch, command: &str, arguments: &[&str]) -> Output {
    let output = launch.command(command).args(arguments).output().await;
    output.expect("the program runs")
}

/// Makes a back-up of the data, and returns what the command said.
async fn back_up(launch: &ServerLaunch, file: &Path) -> String {
    let output = run(launch, "backup", &[&file.display().to_string()]).await;
    assert_done(&output)
}

fn assert_done(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The exit code and the only line that was said.
fn refusal(output: &Output) -> (Option<i32>, String) {
    let stderr = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(output.stdout.is_empty());
    (output.status.code(), stderr.trim_end().to_owned())
}

/// The names of what is in a folder, in their order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|it| it.into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// A folder, and a file in it that is not there.
fn target() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("backup.tar.zst");
    (folder, file)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_goes_on_with_a_back_up_that_was_made_while_it_ran() {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, TestDatabase::sqlite().await).with_push_service(&push);
    let mut server = start(launch.clone()).await;
    let app = crate::fixtures::app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 5);
    crate::fixtures::register(&app.admin, &browsers).await;
    let before = snapshot(&app).await;
    let (folder, file) = target();
    let said = back_up(server.launch(), &file).await;
    assert!(said.contains("read again and compared"), "{said}");
    let mode = fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(names(folder.path()), ["backup.tar.zst"]);
    subscribe(&app, 3).await;
    assert_ne!(snapshot(&app).await, before);
    server.terminate().await.expect("it stops");

    let restored = folder.path().join("new").join("data");
    let address = server.address().to_string();
    let launch = launch.data_dir(&restored).env("HATO_LISTEN", address);
    let file = file.display().to_string();
    assert_done(&run(&launch, "restore", &[&file]).await);
    assert_eq!(names(&restored), ["hato.db", "secrets.toml"]);
    let _server = start(launch).await;
    assert_eq!(snapshot(&app).await, before);
    let login = server.client().log_in("owner@example.com", PASSWORD).await;
    login.expect("the password is the same");
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.json()["queued"], 5, "{sent}");
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    wait_until(&app.owner, &path, |it| it["items"][0]["sent_count"] == 5).await;
    push.assert_no_violations();
}

#[tokio::test]
async fn of_postgresql_the_secrets_are_saved() {
    let (server, _app) = setup(TestDatabase::postgres().await).await;
    let (folder, file) = target();
    let said = back_up(server.launch(), &file).await;
    assert!(said.contains("pg_dump"), "{said}");

    let empty = ServerLaunch::new(BINARY).data_dir(folder.path().join("data"));
    let file = file.display().to_string();
    let said = assert_done(&run(&empty, "restore", &[&file]).await);
    assert!(said.contains("has no database"), "{said}");
    let data = folder.path().join("data");
    assert_eq!(names(&data), ["secrets.toml"]);
    let text = fs::read_to_string(data.join("secrets.toml")).expect("a file");
    for secret in server.secrets() {
        assert!(text.contains(&secret));
    }
}

#[tokio::test]
async fn secrets_alone_are_not_put_under_a_server_either() {
    let (fleet, _app) = setup(TestDatabase::postgres().await).await;
    let (mut server, _app) = setup(TestDatabase::sqlite().await).await;
    let (_folder, file) = target();
    back_up(fleet.launch(), &file).await;
    let arguments = [&*file.display().to_string(), "--force"];
    for (server, words) in [
        (&fleet, "a server has the database open"),
        (&server, "stop it and try again"),
    ] {
        let before = fs::read(server.data_dir().join("secrets.toml")).ok();
        let (code, line) = refusal(&run(server.launch(), "restore", &arguments).await);
        assert_eq!(code, Some(1));
        assert!(line.contains(words), "{line}");
        let after = fs::read(server.data_dir().join("secrets.toml")).ok();
        assert_eq!(after, before);
    }
    server.terminate().await.expect("it stops");
    assert_done(&run(server.launch(), "restore", &arguments).await);
    let kept = names(server.data_dir());
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(kept[2].starts_with("secrets.toml.replaced-"), "{kept:?}");
}

#[tokio::test]
async fn restores_keep_what_others_kept_and_leave_no_gap() {
    let (mut server, _app) = setup(TestDatabase::sqlite().await).await;
    let (_folder, file) = target();
    back_up(server.launch(), &file).await;
    server.terminate().await.expect("it stops");
    let data = server.data_dir().to_owned();
    let is_done = Arc::new(AtomicBool::new(false));
    let watcher = {
        let (data, is_done) = (data.clone(), Arc::clone(&is_done));
        thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                for name in ["hato.db", "secrets.toml"] {
                    fs::metadata(data.join(name)).expect("it is there at any time");
                }
            }
        })
    };
    let arguments = [&*file.display().to_string(), "--force"];
    for _ in 0..3 {
        assert_done(&run(server.launch(), "restore", &arguments).await);
    }
    is_done.store(true, Ordering::Relaxed);
    watcher.join().expect("no gap");
    let kept = names(&data);
    for name in ["hato.db.replaced-", "secrets.toml.replaced-"] {
        let count = kept.iter().filter(|it| it.starts_with(name)).count();
        assert_eq!(count, 3, "{kept:?}");
    }
    assert_eq!(kept.len(), 8, "{kept:?}");
}

#[tokio::test]
async fn a_back_up_of_sqlite_is_not_restored_to_postgresql() {
    let (server, _app) = setup(TestDatabase::sqlite().await).await;
    let (folder, file) = target();
    back_up(server.launch(), &file).await;
    let data = folder.path().join("data");
    let launch = ServerLaunch::new(BINARY)
        .data_dir(&data)
        .env("HATO_DATABASE_URL", "postgres://hato@127.0.0.1:1/hato");
    let file = file.display().to_string();
    let (code, line) = refusal(&run(&launch, "restore", &[&file]).await);
    assert_eq!(code, Some(2));
    assert!(line.contains("copy-data"), "{line}");
    assert!(!data.exists());
}

#[on_each_database]
async fn without_secrets_there_is_no_back_up(database: TestDatabase) {
    let (mut server, _app) = setup(database).await;
    server.terminate().await.expect("it stops");
    let launch = server.launch().clone().without_secrets();
    let (folder, file) = target();
    let file = file.display().to_string();
    let (code, line) = refusal(&run(&launch, "backup", &[&file]).await);
    assert_eq!(code, Some(1));
    assert!(line.contains("HATO_PEPPER"), "{line}");
    assert!(names(folder.path()).is_empty());
}

#[tokio::test]
async fn a_back_up_takes_nobodys_place_and_needs_a_database() {
    let (server, _app) = setup(TestDatabase::sqlite().await).await;
    let (folder, file) = target();
    fs::write(&file, "precious").expect("written");
    let path = file.display().to_string();
    let (code, line) = refusal(&run(server.launch(), "backup", &[&path]).await);
    assert_eq!(code, Some(2));
    assert!(line.contains("is there already"), "{line}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), "precious");

    let elsewhere = folder.path().join("none.db");
    let url = format!("sqlite:{}", elsewhere.display());
    let launch = server.launch().clone().env("HATO_DATABASE_URL", url);
    let other = folder.path().join("other").display().to_string();
    let (code, line) = refusal(&run(&launch, "backup", &[&other]).await);
    assert_eq!(code, Some(1));
    assert!(line.contains("there is no database at"), "{line}");
    assert_eq!(names(folder.path()), ["backup.tar.zst"]);
}

#[tokio::test]
async fn what_is_there_is_replaced_only_by_force_and_without_a_server() {
    let (mut server, app) = setup(TestDatabase::sqlite().await).await;
    let (_folder, file) = target();
    let (launch, data) = (server.launch().clone(), server.data_dir().to_owned());
    back_up(&launch, &file).await;
    let before = snapshot(&app).await;
    subscribe(&app, 2).await;
    let path = file.display().to_string();
    let (code, line) = refusal(&run(&launch, "restore", &[&path]).await);
    assert_eq!(code, Some(1));
    assert!(line.contains("--force"), "{line}");
    let (code, line) = refusal(&run(&launch, "restore", &[&path, "--force"]).await);
    assert_eq!(code, Some(1));
    assert!(line.contains("stop it and try again"), "{line}");
    assert_eq!(
        crate::fixtures::get(&server.client(), "/readyz")
            .await
            .status,
        200
    );

    // In the middle of its work, with a log beside the database.
    server.kill().await;
    let said = assert_done(&run(&launch, "restore", &[&path, "--force"]).await);
    assert!(said.contains("is now in"), "{said}");
    let kept = names(&data);
    for name in ["hato.db.replaced-", "secrets.toml.replaced-"] {
        assert!(kept.iter().any(|it| it.starts_with(name)), "{kept:?}");
    }
    assert!(!kept.contains(&"hato.db-wal".to_owned()), "{kept:?}");
    let launch = launch.env("HATO_LISTEN", server.address().to_string());
    let _server = start(launch).await;
    assert_eq!(snapshot(&app).await, before);
}
