//! `hato-server check`: what it finds, and what it repairs (CONTRACT 1).

use std::fs;
use std::process::Output;

use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use crate::database::{bytes, execute, value};
use crate::fixtures::{BINARY, app, get, post, registration, send, snapshot, start};

async fn check(launch: &ServerLaunch, arguments: &[&str]) -> Output {
    let output = launch.command("check").args(arguments).output().await;
    output.expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// It is found, in these words and nothing else, then repaired, and then gone.
async fn assert_repaired(server: &HatoServer, words: &[&str]) {
    let launch = server.launch();
    let found = check(launch, &[]).await;
    let (stdout, stderr) = (text(&found.stdout), text(&found.stderr));
    assert_eq!(found.status.code(), Some(1), "{stdout}{stderr}");
    assert_eq!(stdout.lines().count(), words.len(), "{stdout}");
    assert!(
        words.iter().all(|it| stdout.contains(it)),
        "{words:?} in {stdout}"
    );
    let expected = format!("{} flaws were found; --repair repairs them", words.len());
    assert!(stderr.contains(&expected), "{stderr}");
    let repaired = check(launch, &["--repair"]).await;
    let stdout = text(&repaired.stdout);
    assert_eq!(
        repaired.status.code(),
        Some(0),
        "{}",
        text(&repaired.stderr)
    );
    assert_eq!(
        stdout.matches("(repaired)").count(),
        words.len(),
        "{stdout}"
    );
    assert_sound(launch).await;
}

async fn assert_sound(launch: &ServerLaunch) {
    let sound = check(launch, &[]).await;
    let stdout = text(&sound.stdout);
    assert_eq!(
        (sound.status.code(), text(&sound.stderr)),
        (Some(0), String::new()),
        "{stdout}"
    );
    assert!(stdout.starts_with("checked 1 apps; 0 flaws"), "{stdout}");
}

/// An app with four subscribers, of whom three have tags and one of these has left. Nobody delivers.
async fn used(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    for number in 0..4 {
        let mut body = registration(&format!("https://push.example.com/{number}"));
        if number > 0 {
            body["tags"] = json!(["news", "lang:ja"]);
        }
        let made = post(&app.frontend, "/api/v1/subscriptions", &body).await;
        assert_eq!(made.status, 201, "{made}");
    }
    let path = format!("/api/v1/apps/{}", app.id);
    let gone = json!({"endpoint": "https://push.example.com/3"}).to_string();
    let method = http::Method::DELETE;
    let left = send(
        &app.admin,
        method,
        &format!("{path}/subscriptions"),
        &[],
        gone,
    )
    .await;
    assert!(left.status.is_success(), "{left}");
    assert_sound(server.launch()).await;
    (server, app)
}

#[on_each_database]
async fn counters_are_compared_with_the_rows(database: TestDatabase) {
    let (server, app) = used(database).await;
    let keys = format!("/api/v1/apps/{}/vapid-keys", app.id);
    let added = post(&app.admin, &keys, &json!({})).await;
    assert_eq!(added.status, 201, "{added}");
    let before = snapshot(&app).await;
    execute(
        &server,
        "UPDATE apps SET active_subscriptions = 7, deactivated_subscriptions = 0, last_position = 1, last_vapid_key = 0",
    )
    .await;
    let words = [
        "active subscriptions: 7 by the counter, 3 by the rows",
        "deactivated subscriptions: 0 by the counter, 1 by the rows",
        "the last position: 1 by the counter, 3 by the rows",
        "the last VAPID key: 0 by the counter, 1 by the rows",
    ];
    assert_repaired(&server, &words).await;
    assert_eq!(snapshot(&app).await, before);
    let another = post(&app.admin, &keys, &json!({})).await;
    assert_eq!(another.status, 201, "{another}");
}

#[on_each_database]
async fn the_index_of_tags_is_compared_with_the_tags(database: TestDatabase) {
    let (server, app) = used(database).await;
    let bytes = if server.database().is_postgres() {
        "'\\x00'"
    } else {
        "x'00'"
    };
    let path = format!("/api/v1/apps/{}/subscriptions?tag=news", app.id);
    let before = get(&app.owner, &path).await;
    assert_eq!(before.status, 200, "{before}");
    execute(
        &server,
        "DELETE FROM tag_positions WHERE tag = 'news';
         INSERT INTO tag_positions SELECT id, 'gone', 0, positions
         FROM apps, tag_positions WHERE tag = 'lang:ja'",
    )
    .await;
    let words = [
        "2 positions of news are wrong",
        "2 positions of gone are wrong",
    ];
    assert_repaired(&server, &words).await;
    assert_eq!(get(&app.owner, &path).await.text(), before.text());

    let unreadable = format!(
        "UPDATE tag_positions SET positions = {bytes} WHERE tag = 'news';
         INSERT INTO reach SELECT id, 0, {bytes} FROM apps"
    );
    execute(&server, &unreadable).await;
    let words = [
        "block 0 of news cannot be read",
        "2 positions of news are wrong",
        "block 0 of the reach cannot be read",
    ];
    assert_repaired(&server, &words).await;
    assert_eq!(get(&app.owner, &path).await.text(), before.text());
}

#[on_each_database]
async fn those_who_failed_are_read(database: TestDatabase) {
    let (server, app) = used(database).await;
    let message = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &message).await;
    let (bad, good) = (bytes(&server, &[0]), bytes(&server, &[0, 0]));
    let failed = format!(
        "UPDATE sends SET missed = 2;
         INSERT INTO send_missed SELECT id, 0, {bad} FROM sends;
         INSERT INTO send_missed SELECT id, 1, {good} FROM sends"
    );
    execute(&server, &failed).await;
    assert_repaired(&server, &["block 0 of those who failed cannot be read"]).await;
    let missed: i64 = value(&server, "SELECT missed FROM sends").await;
    assert_eq!(missed, 0, "the send tells of nobody");
}

/// A send of which two recipients were gone and one was refused.
async fn failed(server: &HatoServer, app: &OwnedApp) {
    let message = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &message).await;
    execute(
        server,
        "UPDATE sends SET failed_expired = 2, failed_other = 1;
         INSERT INTO send_failures (send_id, host, reason, recipients)
         SELECT id, 'a.example', 'expired', 1 FROM sends;
         INSERT INTO send_failures (send_id, host, reason, recipients)
         SELECT id, 'b.example', 'expired', 1 FROM sends;
         INSERT INTO send_failures (send_id, host, reason, recipients)
         SELECT id, 'a.example', 'refused', 1 FROM sends",
    )
    .await;
    assert_sound(server.launch()).await;
}

#[on_each_database]
async fn failures_are_compared_with_their_hosts_and_reasons(database: TestDatabase) {
    let (server, app) = used(database).await;
    failed(&server, &app).await;
    let changed = "UPDATE sends SET failed_expired = 5, failed_other = 0";
    execute(&server, changed).await;
    let words = [
        "expired failures: 5 by the counter, 2 by the rows",
        "other failures: 0 by the counter, 1 by the rows",
    ];
    assert_repaired(&server, &words).await;
    let counts = "SELECT 10 * failed_expired + failed_other FROM sends";
    assert_eq!(value::<i64>(&server, counts).await, 21);

    execute(
        &server,
        "DELETE FROM jobs; DELETE FROM send_failures WHERE host = 'a.example';
         UPDATE sends SET finished_at = created_at, status = 'done'",
    )
    .await;
    let words = [
        "expired failures: 2 by the counter, 1 by the rows",
        "other failures: 1 by the counter, 0 by the rows",
    ];
    assert_repaired(&server, &words).await;
    let skipped = "SELECT skipped FROM sends";
    assert_eq!(value::<i64>(&server, skipped).await, 2);
}

/// What is older than sends are kept loses its rows before it goes.
#[on_each_database]
async fn failures_that_are_being_removed_are_no_flaw(database: TestDatabase) {
    let (server, app) = used(database).await;
    failed(&server, &app).await;
    execute(
        &server,
        "DELETE FROM jobs; DELETE FROM send_failures;
         UPDATE sends SET finished_at = created_at, status = 'done', created_at = created_at - 2 * 86400000",
    )
    .await;
    let kept_for = async |days| check(server.launch(), &["--retention-days", days]).await;
    let removed = kept_for("2").await;
    assert_eq!(removed.status.code(), Some(0), "{}", text(&removed.stdout));
    let kept = kept_for("3").await;
    assert_eq!(kept.status.code(), Some(1), "{}", text(&kept.stdout));
}

#[on_each_database]
async fn sends_add_up_and_end_with_their_pages(database: TestDatabase) {
    let (server, app) = used(database).await;
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    let id = sent.json()["send_id"].as_str().expect("an id").to_owned();
    execute(&server, "DELETE FROM jobs").await;
    assert_repaired(&server, &["it has not ended, and no page of it is queued"]).await;
    let count = format!("SELECT recipients - skipped FROM sends WHERE id = '{id}'");
    assert_eq!(value::<i64>(&server, &count).await, 0);

    execute(
        &server,
        &format!("UPDATE sends SET skipped = 1 WHERE id = '{id}'"),
    )
    .await;
    assert_repaired(&server, &["the outcomes do not add up"]).await;
    assert_eq!(value::<i64>(&server, &count).await, 0);
    execute(
        &server,
        &format!(
            "INSERT INTO jobs (send_id, app_id, up_to_position, attempt, due_at)
             SELECT id, app_id, 1, 0, 0 FROM sends WHERE id = '{id}'"
        ),
    )
    .await;
    assert_repaired(&server, &["it has ended, and pages of it are queued"]).await;

    execute(
        &server,
        &format!("UPDATE sends SET sent = 100 WHERE id = '{id}'"),
    )
    .await;
    let left = check(server.launch(), &["--repair"]).await;
    assert_eq!(left.status.code(), Some(1));
    let stderr = text(&left.stderr);
    assert!(stderr.contains("1 flaws cannot be repaired"), "{stderr}");
}

#[tokio::test]
async fn rows_that_belong_to_nothing_are_removed() {
    let (server, app) = used(TestDatabase::sqlite().await).await;
    let before = snapshot(&app).await;
    execute(
        &server,
        "PRAGMA foreign_keys = OFF;
         INSERT INTO reach VALUES ('app_gone', 0, x'0100000002000100');
         INSERT INTO sessions VALUES (x'00', 'usr_gone', NULL, 0, 0)",
    )
    .await;
    let words = [
        "reach: 1 rows belong to no row of apps",
        "sessions: 1 rows belong to no row of accounts",
    ];
    assert_repaired(&server, &words).await;
    assert_eq!(snapshot(&app).await, before);
}

#[tokio::test]
async fn a_damaged_file_and_none_are_told_apart() {
    let (mut server, _app) = used(TestDatabase::sqlite().await).await;
    server.terminate().await.expect("it stops");
    let file = server.data_dir().join("hato.db");
    let mut bytes = fs::read(&file).expect("a database");
    let at = bytes.len() - 8_192;
    bytes[at..].fill(0xff);
    fs::write(&file, bytes).expect("written");
    let damaged = check(server.launch(), &["--repair"]).await;
    let stderr = text(&damaged.stderr);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(stderr.contains("restore a back-up"), "{stderr}");
    assert!(!damaged.stdout.is_empty());

    let folder = tempfile::tempdir().expect("a folder");
    let none = check(&ServerLaunch::new(BINARY).data_dir(folder.path()), &[]).await;
    let stderr = text(&none.stderr);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr.contains("there is no database"), "{stderr}");
    assert!(!folder.path().join("hato.db").exists());
}
