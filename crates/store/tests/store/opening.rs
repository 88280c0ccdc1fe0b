//! Database URLs, and that what was stored survives.

use std::os::unix::fs::PermissionsExt as _;

use hato_domain::Plan;
use hato_service::ports::Audience;
use hato_store::StoreOpenError;
use hato_testkit::{TestDatabase, on_each_database};
use sqlx::{Connection as _, SqliteConnection};

use crate::test_store::{START, TestStore, endpoint};

async fn refusal(url: &str) -> StoreOpenError {
    hato_store::open(url).await.err().expect("refused")
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    for url in ["mysql://localhost/x", "hato.db", ""] {
        assert!(
            matches!(refusal(url).await, StoreOpenError::UnknownScheme),
            "{url}"
        );
    }
    for url in [
        "sqlite:",
        "sqlite::memory:",
        "sqlite:data/",
        "sqlite:hato.db?mode=ro",
    ] {
        assert!(
            matches!(refusal(url).await, StoreOpenError::InvalidPath),
            "{url}"
        );
    }
}

#[tokio::test]
async fn a_file_in_a_folder_that_is_not_there_yet_is_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a/b/hato.db");
    let store = hato_store::open(&format!("sqlite:{}", path.display()))
        .await
        .expect("made");
    store.ping().await.expect("alive");
    store.close().await;
    assert!(path.is_file());
}

#[tokio::test]
async fn a_url_with_two_slashes_is_the_same_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("hato.db").display().to_string();
    let test = TestStore::new(TestDatabase::sqlite().await).await;
    let account = test.new_account("a@example.com", Plan::Free);
    let email = account.email.clone();
    let plain = hato_store::open(&format!("sqlite:{path}")).await;
    let made = plain.expect("made").create_account(account).await;
    assert!(made.expect("stored"));
    let slashes = hato_store::open(&format!("sqlite://{path}")).await;
    let found = slashes.expect("opened").account_by_email(&email).await;
    assert!(found.expect("read").is_some());
}

#[tokio::test]
async fn a_file_that_is_no_database_is_an_error_and_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("letter.txt");
    let letter = "dear database, ".repeat(100);
    std::fs::write(&path, &letter).expect("written");
    let error = refusal(&format!("sqlite:{}", path.display())).await;
    assert!(matches!(error, StoreOpenError::Sqlite(_)), "{error}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), letter);
}

#[tokio::test]
async fn a_half_migrated_file_is_refused_by_the_migration_that_is_wrong() {
    for damage in [
        "UPDATE _sqlx_migrations SET success = FALSE WHERE version = 3",
        "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 3",
    ] {
        let database = TestDatabase::sqlite().await;
        let made = hato_store::open(database.url()).await;
        made.expect("made").close().await;
        let connection = SqliteConnection::connect(database.url()).await;
        let mut connection = connection.expect("a database");
        let damaged = sqlx::query(damage).execute(&mut connection).await;
        assert_eq!(damaged.expect("damaged").rows_affected(), 1);
        let StoreOpenError::Sqlite(error) = refusal(database.url()).await else {
            panic!("refused as a file");
        };
        assert!(error.to_string().contains("migration 3 "), "{error}");
    }
}

#[on_each_database]
async fn reopening_after_a_drop_without_close_keeps_everything(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 30).await;
    let send = test.broadcast(&app, START).await;
    let claimed = test.claim(START, 10).await;
    let test = test.reopened().await;
    assert_eq!(test.record(&app).await.active_subscriptions, 30);
    assert_eq!(test.deliver(&claimed).await.len(), 10);
    assert_eq!(test.deliver_all(START, 10).await.len(), 20);
    assert_eq!(test.send(&app, &send).await.counts.sent, 30);
}

#[tokio::test]
async fn two_stores_open_one_file_at_the_same_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("hato.db").display());
    let (one, other) = tokio::join!(hato_store::open(&url), hato_store::open(&url));
    one.expect("opened").ping().await.expect("alive");
    other.expect("opened").ping().await.expect("alive");
}

#[on_each_database]
async fn a_closed_store_answers_with_an_error(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.store.close().await;
    let send = test.new_send(&app, Audience::One(endpoint(0)), START);
    assert!(test.store.accept_send(send).await.is_err());
    assert!(test.store.ping().await.is_err());
    test.store.close().await;
}

#[tokio::test]
async fn the_files_are_their_owners_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("data/hato.db");
    let url = format!("sqlite:{}", path.display());
    let store = hato_store::open(&url).await.expect("made");
    for (file, expected) in [
        ("data", 0o700),
        ("data/hato.db", 0o600),
        ("data/hato.db-wal", 0o600),
        ("data/hato.db-shm", 0o600),
    ] {
        let metadata = std::fs::metadata(folder.path().join(file)).expect(file);
        assert_eq!(metadata.permissions().mode() & 0o777, expected, "{file}");
    }
    store.close().await;
}

#[tokio::test]
async fn a_store_whose_file_is_gone_fails_its_ping() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("hato.db");
    let url = format!("sqlite:{}", path.display());
    let store = hato_store::open(&url).await.expect("made");
    store.ping().await.expect("alive");
    let away = folder.path().join("away.db");
    std::fs::rename(&path, &away).expect("moved");
    store.ping().await.expect_err("no file");
    assert!(!path.exists(), "asking makes no file");
    std::fs::rename(&away, &path).expect("moved back");
    store.ping().await.expect("alive again");
}
