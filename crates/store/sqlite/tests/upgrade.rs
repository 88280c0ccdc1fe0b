//! A file of an earlier version is brought up to date with everything in it.

use std::path::Path;

use hato_store_sqlite::Database;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqliteConnection};

static MIGRATIONS: Migrator = sqlx::migrate!("../../../migrations/sqlite");

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

/// Everything that the table of subscriptions holds, as text, and the last number that it has given.
async fn contents(connection: &mut SqliteConnection) -> (Vec<String>, i64) {
    let rows = sqlx::query_scalar(
        "SELECT concat_ws(',', id, public_id, app_id, endpoint, hex(endpoint_hash), hex(p256dh), hex(auth),
                          platform, position, deactivated_at, deactivation_reason, created_at, updated_at)
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
        "INSERT INTO accounts (id, email, email_folded, plan, created_at)
         VALUES ('usr_1', 'a@example.com', 'a@example.com', 'pro', 0)",
        "INSERT INTO apps (id, account_id, name, vapid_public_key, sealed_private_key, created_at)
         VALUES ('app_1', 'usr_1', 'app', x'04', x'07', 0)",
        "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, platform, position,
                                    deactivated_at, deactivation_reason, created_at, updated_at)
         VALUES ('sub_1', 'app_1', 'https://push.example/1', x'01', x'0401', x'11', 'web', 1, NULL, NULL, 1, 2),
                ('sub_2', 'app_1', 'https://push.example/2', x'02', x'0402', x'12', NULL, NULL, 5, 'expired', 3, 4),
                ('sub_3', 'app_1', 'https://push.example/3', x'03', x'0403', x'13', NULL, NULL, 6, 'unsubscribed', 5, 6),
                ('sub_4', 'app_1', 'https://push.example/4', x'04', x'0404', x'14', NULL, 4, NULL, NULL, 7, 8)",
        "DELETE FROM subscriptions WHERE public_id = 'sub_4'",
    ] {
        let run = sqlx::query(statement).execute(&mut before).await;
        run.expect("the tables have these columns");
    }
    let expected = contents(&mut before).await;
    assert_eq!((expected.0.len(), expected.1), (3, 4));
    drop(before);

    Database::open(&file).await.expect("brought up to date");
    assert_eq!(contents(&mut open(&file).await).await, expected);
}
