//! A file of an earlier version is brought up to date with everything in it.

use std::path::Path;

use hato_store_sqlite::Database;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqliteConnection};

static MIGRATIONS: Migrator = sqlx::migrate!("../../../migrations/sqlite");

const ACCOUNT: &str = "INSERT INTO accounts (id, email, email_folded, plan, created_at)
                       VALUES ('usr_1', 'a@example.com', 'a@example.com', 'pro', 0)";
const APP: &str =
    "INSERT INTO apps (id, account_id, name, vapid_public_key, sealed_private_key, created_at)
     VALUES ('app_1', 'usr_1', 'app', x'04', x'07', 0)";

async fn open(file: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file);
    let options = options.create_if_missing(true);
    options.connect().await.expect("the file")
}

/// Makes a file with the tables as they were before this migration.
async fn make_before(file: &Path, version: i64) -> SqliteConnection {
    let earlier = MIGRATIONS.iter().filter(|it| it.version < version);
    let earlier = Migrator::with_migrations(earlier.cloned().collect());
    let mut connection = open(file).await;
    earlier.run(&mut connection).await.expect("migrated");
    connection
}

async fn execute(connection: &mut SqliteConnection, statement: &'static str) {
    let run = sqlx::query(statement).execute(connection).await;
    run.expect("the tables have these columns");
}

async fn texts(connection: &mut SqliteConnection, query: &'static str) -> Vec<String> {
    let rows = sqlx::query_scalar(query).fetch_all(connection).await;
    rows.expect("the tables have these columns")
}

/// Everything that the table of subscriptions holds, as text, and the last number that it has given.
async fn contents(connection: &mut SqliteConnection) -> (Vec<String>, i64) {
    let rows = sqlx::query_scalar(
        "SELECT concat_ws(',', id, public_id, app_id, endpoint, hex(endpoint_hash), hex(p256dh), hex(auth),
                          platform, position, deactivated_at, deactivation_reason, created_at)
         FROM subscriptions ORDER BY id",
    );
    let rows = rows.fetch_all(&mut *connection).await.expect("read");
    let last = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'subscriptions'");
    let last = last.fetch_one(&mut *connection).await.expect("a number");
    (rows, last)
}

#[tokio::test]
async fn subscriptions_keep_their_rows_and_numbers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("hato.db");
    let mut before = make_before(&file, 12).await;
    for statement in [
        ACCOUNT,
        APP,
        "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, platform, position,
                                    deactivated_at, deactivation_reason, created_at, updated_at)
         VALUES ('sub_1', 'app_1', 'https://push.example/1', x'01', x'0401', x'11', 'web', 1, NULL, NULL, 1, 2),
                ('sub_2', 'app_1', 'https://push.example/2', x'02', x'0402', x'12', NULL, NULL, 5, 'expired', 3, 4),
                ('sub_3', 'app_1', 'https://push.example/3', x'03', x'0403', x'13', NULL, NULL, 6, 'unsubscribed', 5, 6),
                ('sub_4', 'app_1', 'https://push.example/4', x'04', x'0404', x'14', NULL, 4, NULL, NULL, 7, 8)",
        "DELETE FROM subscriptions WHERE public_id = 'sub_4'",
    ] {
        execute(&mut before, statement).await;
    }
    let expected = contents(&mut before).await;
    assert_eq!((expected.0.len(), expected.1), (3, 4));
    drop(before);

    Database::open(&file).await.expect("brought up to date");
    let mut after = open(&file).await;
    assert_eq!(contents(&mut after).await, expected);
    let deactivated: i64 = sqlx::query_scalar("SELECT deactivated_subscriptions FROM apps")
        .fetch_one(&mut after)
        .await
        .expect("the app");
    assert_eq!(deactivated, 2);
}

/// Everything that the tables of events and attempts hold, the last numbers that they have given, and their indexes, as text.
async fn webhook_contents(connection: &mut SqliteConnection) -> Vec<Vec<String>> {
    let mut contents = Vec::new();
    for query in [
        "SELECT concat_ws(',', id, public_id, app_id, type, send_id, content, created_at, attempts, due_at,
                          quote(resend_at), resends)
         FROM webhook_events ORDER BY id",
        "SELECT concat_ws(',', id, app_id, event_id, attempt, url, signature, quote(http_status), failure, answer,
                          started_at, duration_ms)
         FROM webhook_attempts ORDER BY id",
        "SELECT name || ' ' || seq FROM sqlite_sequence WHERE name LIKE 'webhook%' ORDER BY name",
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name LIKE 'webhook%' AND sql IS NOT NULL
         ORDER BY name",
    ] {
        contents.push(texts(connection, query).await);
    }
    contents
}

#[tokio::test]
async fn events_keep_their_rows_numbers_and_attempts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("hato.db");
    let mut before = make_before(&file, 25).await;
    for statement in [
        ACCOUNT,
        APP,
        "INSERT INTO webhook_events (public_id, app_id, type, send_id, content, created_at, attempts, due_at, resend_at,
                                     resends)
         VALUES ('evt_1', 'app_1', 'delivery.results', 'snd_1', '[[\"sent\",201,1,[1]]]', 1, 2, 9, NULL, 0),
                ('evt_2', 'app_1', 'send.completed', 'snd_1', '[1,1,0,0,0,0]', 2, 1, NULL, 8, 3),
                ('evt_3', 'app_1', 'webhook.test', NULL, '[]', 3, 0, 3, NULL, 0)",
        "INSERT INTO webhook_attempts (app_id, event_id, attempt, url, signature, http_status, failure, answer,
                                       started_at, duration_ms)
         VALUES ('app_1', 1, 1, 'https://hooks.example/1', 'v1,x', 500, NULL, 'no', 4, 5),
                ('app_1', 1, 2, 'https://hooks.example/1', 'v1,y', NULL, 'timeout', '', 5, 6),
                ('app_1', 2, 1, 'https://hooks.example/1', 'v1,z', 200, NULL, 'ok', 6, 7),
                ('app_1', 2, 2, 'https://hooks.example/1', 'v1,z', 200, NULL, 'ok', 7, 8)",
        "DELETE FROM webhook_attempts WHERE id = 4",
        "DELETE FROM webhook_events WHERE id = 3",
    ] {
        execute(&mut before, statement).await;
    }
    let expected = webhook_contents(&mut before).await;
    let lengths: Vec<_> = expected.iter().map(Vec::len).collect();
    assert_eq!(lengths, [2, 3, 2, 8]);
    drop(before);

    Database::open(&file).await.expect("brought up to date");
    let mut after = open(&file).await;
    assert_eq!(webhook_contents(&mut after).await, expected);
    execute(
        &mut after,
        "INSERT INTO webhook_events (public_id, app_id, type, content, created_at)
         VALUES ('evt_4', 'app_1', 'send.engagement', '[]', 4)",
    )
    .await;
    execute(&mut after, "DELETE FROM webhook_events WHERE id = 1").await;
    let kept = "SELECT event_id || ' ' || attempt FROM webhook_attempts";
    assert_eq!(texts(&mut after, kept).await, ["2 1"]);
    let next = "SELECT public_id || ' ' || id FROM webhook_events ORDER BY id";
    assert_eq!(texts(&mut after, next).await, ["evt_2 2", "evt_4 4"]);
}

#[tokio::test]
async fn what_was_counted_lately_is_known_by_quarter_of_an_hour() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("hato.db");
    let mut before = make_before(&file, 35).await;
    for statement in [
        ACCOUNT,
        APP,
        "INSERT INTO sends (id, app_id, title, body, payload, ttl, recipients, sent, failed_expired, failed_other,
                            displayed, clicked, dismissed, status, actor_kind, actor_id, actor_name, created_at, send_at)
         SELECT 'snd_' || days, 'app_1', 't', 'b', '{}', 0, 9, 4, 2, 1, 3, 2, 1, 'done', 'user', 'usr_1',
                'a@example.com', 0, unixepoch() * 1000 - days * 86400000
         FROM (SELECT 99 AS days UNION SELECT 101)",
        "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, deactivated_at,
                                    deactivation_reason, created_at)
         VALUES ('sub_1', 'app_1', 'https://push.example/1', x'01', x'04', x'01', unixepoch() * 1000, 'expired', 0)",
        // What is no longer kept but as numbers: all of a day, and a part of one.
        "INSERT INTO daily_counts (app_id, day, sends, sent, failed, displayed)
         VALUES ('app_1', unixepoch() / 86400 - 7, 1, 5, 1, 2), ('app_1', unixepoch() / 86400 - 99, 2, 6, 4, 3)",
        "INSERT INTO daily_subscribers (app_id, day, gained, lost)
         VALUES ('app_1', unixepoch() / 86400 - 7, 3, 0), ('app_1', unixepoch() / 86400, 0, 1)",
    ] {
        execute(&mut before, statement).await;
    }
    drop(before);

    Database::open(&file).await.expect("brought up to date");
    let mut after = open(&file).await;
    let counts = "SELECT concat_ws(' ', c.sent, c.failed, c.displayed, c.clicked, c.dismissed)
                  FROM recent_counts AS c JOIN sends AS s ON s.send_at / 900000 = c.quarter";
    assert_eq!(texts(&mut after, counts).await, ["4 3 3 2 1"]);
    let by_day = "SELECT concat_ws(' ', quarter / 96 - unixepoch() / 86400, SUM(sent), SUM(failed), SUM(displayed))
                  FROM recent_counts GROUP BY quarter / 96 ORDER BY quarter / 96";
    assert_eq!(texts(&mut after, by_day).await, ["-99 6 4 3", "-7 5 1 2"]);
    let growth = "SELECT concat_ws(' ', quarter / 96 - unixepoch() / 86400, SUM(gained), SUM(lost))
                  FROM recent_subscribers GROUP BY quarter / 96 ORDER BY quarter / 96";
    assert_eq!(texts(&mut after, growth).await, ["-7 3 0", "0 0 1"]);
}
