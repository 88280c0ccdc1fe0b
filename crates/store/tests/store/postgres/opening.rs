//! Why a PostgreSQL database is not opened, and who makes its tables.

use std::time::Duration;

use hato_store::{PostgresOpenError, PostgresSettings, StoreOpenError};
use hato_testkit::TestDatabase;
use hato_testkit::old_postgres::old_postgres;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::net::TcpListener;

async fn refusal(url: &str) -> PostgresOpenError {
    refusal_within(Duration::from_secs(10), url).await
}

async fn refusal_within(acquire_timeout: Duration, url: &str) -> PostgresOpenError {
    let settings = PostgresSettings {
        acquire_timeout,
        ..PostgresSettings::default()
    };
    match hato_store::open_with(url, &settings).await.err() {
        Some(StoreOpenError::Postgres(error)) => {
            let line = error.to_string();
            assert!(
                !line.contains('\n') && !line.contains("the-password"),
                "{line}"
            );
            error
        }
        _ => panic!("refused by PostgreSQL's store"),
    }
}

#[tokio::test]
async fn each_failure_is_one_line_of_its_own_without_the_password() {
    let database = TestDatabase::postgres().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let silent = silent.local_addr().expect("an address");
    let unknown_user = database.url().replace("user=hato", "user=nobody_at_all");
    let no_database = database.url().replace(":///test_", ":///no_such_");
    let error = refusal("postgres://hato:the-password@127.0.0.1:1/hato").await;
    assert!(
        matches!(error, PostgresOpenError::Unreachable { .. }),
        "{error}"
    );
    let silent = format!("postgresql://hato:the-password@{silent}/hato");
    let error = refusal_within(Duration::from_millis(500), &silent).await;
    assert!(
        matches!(
            error,
            PostgresOpenError::Unreachable { .. } | PostgresOpenError::TimedOut { .. }
        ),
        "{error}"
    );
    let error = refusal("postgres://hato:the-password@127.0.0.1:port/hato").await;
    assert!(matches!(error, PostgresOpenError::Url), "{error}");
    let error = refusal(&unknown_user).await;
    assert!(
        matches!(error, PostgresOpenError::Unauthorized { .. }),
        "{error}"
    );
    let error = refusal(&no_database).await;
    assert!(
        matches!(error, PostgresOpenError::NoDatabase { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_read_only_database_is_refused() {
    let database = TestDatabase::empty_postgres();
    let url = format!(
        "{}&options=-c%20default_transaction_read_only%3Don",
        database.url()
    );
    let error = refusal(&url).await;
    assert!(matches!(error, PostgresOpenError::ReadOnly), "{error}");
}

#[tokio::test]
async fn a_database_of_another_encoding_is_refused_with_how_to_make_it() {
    let database = TestDatabase::empty_postgres();
    database.execute("CREATE DATABASE of_latin_1 ENCODING 'LATIN1' TEMPLATE template0");
    let (_, server) = database.url().split_once('?').expect("a socket");
    let error = refusal(&format!("postgres:///of_latin_1?{server}")).await;
    let is_encoding = matches!(&error, PostgresOpenError::Encoding { found } if found == "LATIN1");
    assert!(is_encoding, "{error}");
    let says = error.to_string();
    assert!(says.contains("createdb --encoding=UTF8"), "{says}");
}

#[tokio::test]
async fn processes_that_start_together_make_the_tables_once() {
    let database = TestDatabase::empty_postgres();
    let opening = (0..4).map(|_| hato_store::open(database.url()));
    for opened in futures_util::future::join_all(opening).await {
        opened.expect("opened").ping().await.expect("all tables");
    }
}

#[tokio::test]
async fn a_process_that_does_not_migrate_waits_for_one_that_does() {
    let database = TestDatabase::empty_postgres();
    let waits = PostgresSettings {
        migrate: false,
        ..PostgresSettings::default()
    };
    let waiting = hato_store::open_with(database.url(), &waits);
    let migrating = hato_store::open(database.url());
    let (waited, migrated) = tokio::join!(waiting, migrating);
    migrated
        .expect("migrated")
        .ping()
        .await
        .expect("all tables");
    waited.expect("opened").ping().await.expect("all tables");
}

#[tokio::test]
async fn a_process_that_does_not_migrate_gives_up_when_nobody_does() {
    let database = TestDatabase::empty_postgres();
    let waits = PostgresSettings {
        migrate: false,
        migration_timeout: Duration::ZERO,
        ..PostgresSettings::default()
    };
    let opened = hato_store::open_with(database.url(), &waits).await;
    let Some(StoreOpenError::Postgres(error)) = opened.err() else {
        panic!("there are no tables");
    };
    let says = "the database lacks migration 1; run hato-server migrate";
    assert_eq!(error.to_string(), says);
}

#[tokio::test]
async fn a_process_that_migrates_gives_up_while_a_table_is_in_use() {
    let database = TestDatabase::postgres().await;
    database.execute(
        "ALTER TABLE monthly_usage DROP COLUMN uncharged_sends;
         DELETE FROM _sqlx_migrations WHERE version = 33",
    );
    let connection = PgConnection::connect(database.url()).await;
    let mut other = connection.expect("the database");
    let locked = other.execute("BEGIN; LOCK TABLE monthly_usage").await;
    locked.expect("locked");
    let hasty = PostgresSettings {
        migration_timeout: Duration::ZERO,
        ..PostgresSettings::default()
    };
    let opened = hato_store::open_with(database.url(), &hasty).await;
    let Some(StoreOpenError::Postgres(PostgresOpenError::Migration(error))) = opened.err() else {
        panic!("the table is locked");
    };
    assert!(error.to_string().contains("lock timeout"), "{error}");
    other.execute("COMMIT").await.expect("unlocked");
    let store = hato_store::open_with(database.url(), &hasty).await;
    store.expect("opened").ping().await.expect("all tables");
}

#[tokio::test]
async fn a_later_versions_tables_are_let_be() {
    let database = TestDatabase::postgres().await;
    database.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', true, '\\x00', 0)",
    );
    let store = hato_store::open(database.url()).await;
    store.expect("opened").ping().await.expect("all tables");
}

#[tokio::test]
async fn an_old_version_is_refused() {
    let server = old_postgres().await;
    let url = format!("postgres://hato:the-password@{server}/hato?sslmode=disable");
    let error = refusal(&url).await;
    assert!(
        matches!(error, PostgresOpenError::TooOld { found: 14 }),
        "{error}"
    );
}

#[tokio::test]
async fn a_half_migrated_database_is_refused_by_who_migrates_and_who_waits() {
    for damage in [
        "UPDATE _sqlx_migrations SET success = false WHERE version = 3",
        "UPDATE _sqlx_migrations SET checksum = '\\x00' WHERE version = 3",
    ] {
        let database = TestDatabase::postgres().await;
        database.execute(damage);
        for migrate in [true, false] {
            let settings = PostgresSettings {
                migrate,
                ..PostgresSettings::default()
            };
            let opened = hato_store::open_with(database.url(), &settings).await;
            let Some(StoreOpenError::Postgres(PostgresOpenError::Migration(error))) = opened.err()
            else {
                panic!("refused for its migration");
            };
            assert!(error.to_string().contains("migration 3 "), "{error}");
        }
    }
}

#[tokio::test]
async fn who_may_have_no_connection_is_told_so() {
    let database = TestDatabase::postgres().await;
    database.execute("CREATE ROLE without_connections LOGIN CONNECTION LIMIT 0");
    let url = database
        .url()
        .replace("user=hato", "user=without_connections");
    let error = refusal(&url).await;
    assert!(
        matches!(error, PostgresOpenError::TooManyConnections { .. }),
        "{error}"
    );
}
