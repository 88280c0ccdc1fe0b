//! A file whose migration, one transaction for all of it, is ended in the middle.

use std::fs;
use std::path::Path;

use hato_testkit::TestDatabase;
use hato_testkit::server::ServerLaunch;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection};
use tokio::time::interval;

use super::super::LoggedProcess;
use super::{EarlierSend, POLL_INTERVAL};
use crate::fixtures::BINARY;

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations/sqlite");

/// The last migration of an earlier version.
const LAST_EARLIER: i64 = 17;

/// Subscriptions that make the migration long.
const LEFT: i64 = 100_000;

/// Bytes of the log that the migration has written before it is ended.
const WRITTEN: u64 = 1024 * 1024;

/// Who has left, of the only app.
const FILL: &str = "
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
    INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                               deactivated_at, deactivation_reason, created_at)
    SELECT 'sub_left' || n, a.id, 'https://push.example.com/' || n, randomblob(32), zeroblob(65), zeroblob(16),
           unixepoch() * 1000, 'expired', 0
    FROM apps AS a, numbers";

async fn execute(connection: &mut SqliteConnection, statements: &str) {
    let statements = sqlx::raw_sql(AssertSqlSafe(statements));
    statements.execute(connection).await.expect("executed");
}

/// Puts a file in the place of this one as an earlier version has left it, with everything for which that had a place.
async fn make_earlier(file: &Path) {
    let earlier = file.with_extension("earlier");
    let options = SqliteConnectOptions::new().filename(&earlier);
    let options = options.create_if_missing(true).foreign_keys(false);
    let options = options.journal_mode(SqliteJournalMode::Wal);
    let mut connection = options.connect().await.expect("a file");
    let known = MIGRATIONS.iter().filter(|it| it.version <= LAST_EARLIER);
    let known = Migrator::with_migrations(known.cloned().collect());
    known.run(&mut connection).await.expect("migrated");
    let attach = format!("ATTACH '{}' AS later", file.display());
    execute(&mut connection, &attach).await;
    copy_rows(&mut connection).await;
    let filled = sqlx::query(FILL).bind(LEFT).execute(&mut connection).await;
    filled.expect("filled");
    connection.close().await.expect("closed");
    fs::rename(earlier, file).expect("renamed");
}

async fn copy_rows(connection: &mut SqliteConnection) {
    let tables = "SELECT t.name, GROUP_CONCAT(c.name)
                  FROM main.sqlite_schema AS t, pragma_table_info(t.name, 'main') AS c
                  WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> '_sqlx_migrations'
                  GROUP BY t.name";
    let tables = sqlx::query_as(tables).fetch_all(&mut *connection).await;
    let tables: Vec<(String, String)> = tables.expect("their names");
    for (table, columns) in tables {
        let copy =
            format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM later.{table}");
        execute(connection, &copy).await;
    }
}

/// How many migrations a file has, and how many subscriptions.
async fn counts(file: &Path) -> (i64, i64) {
    let url = format!("sqlite:{}", file.display());
    let mut connection = SqliteConnection::connect(&url).await.expect("a database");
    let counts = "SELECT (SELECT COUNT(*) FROM _sqlx_migrations WHERE success),
                         (SELECT COUNT(*) FROM subscriptions)";
    let counts = sqlx::query_as(counts).fetch_one(&mut connection).await;
    connection.close().await.expect("closed");
    counts.expect("counted")
}

/// The same of the file as it was left, without taking in its log, which is the next process's part.
async fn counts_left_behind(file: &Path) -> (i64, i64) {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("hato.db");
    fs::copy(file, &copy).expect("copied");
    fs::copy(log(file), log(&copy)).expect("copied");
    counts(&copy).await
}

fn log(file: &Path) -> std::path::PathBuf {
    file.with_extension("db-wal")
}

/// Starts to migrate, and kills the process when it has written a part.
async fn kill_in_the_middle(launch: &ServerLaunch, file: &Path) {
    let mut migrating = LoggedProcess::start(launch, "migrate");
    let mut ticks = interval(POLL_INTERVAL);
    while fs::metadata(log(file)).map_or(0, |log| log.len()) < WRITTEN {
        let ended = migrating.child.try_wait().expect("asked");
        assert_eq!(ended, None, "it has migrated");
        ticks.tick().await;
    }
    migrating.child.kill().await.expect("it is our child");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_whose_process_was_killed_in_the_middle_is_migrated_by_the_next_one() {
    let database = TestDatabase::sqlite().await;
    let file = database.folder().expect("a folder").join("hato.db");
    let launch = ServerLaunch::on(BINARY, database);
    let queued = EarlierSend::new(&launch).await;
    let (all, registered) = counts(&file).await;
    make_earlier(&file).await;
    let before = counts(&file).await;
    kill_in_the_middle(&launch, &file).await;
    assert_eq!(counts_left_behind(&file).await, before, "all or nothing");

    queued.assert_delivered(&launch).await;
    assert_eq!(counts(&file).await, (all, registered + LEFT));
}
