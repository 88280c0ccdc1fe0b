//! Copying everything from one database to another (CONTRACT 17).

pub mod filled;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hato_service::ports::{SettleOutcome, Settlement, Store};
use hato_store::{
    COPIED_TABLES, CopyError, CopyFailure, CopyProgress, CopySide, CopyStage, CopySummary,
};
use hato_testkit::{TestDatabase, on_each_database, partitioning};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::block_in_place;

use self::filled::fill;
use crate::postgres::until_so_many_wait;
use crate::test_store::{TestStore, ids, sent_to};

async fn copy(from: &TestDatabase, to: &TestDatabase) -> Result<CopySummary, CopyError> {
    hato_store::copy(from.url(), to.url(), &mut |_| ()).await
}

async fn refusal(from: &TestDatabase, to: &TestDatabase) -> CopyError {
    let error = copy(from, to).await.expect_err("refused");
    assert!(!error.to_string().contains('\n'), "{error}");
    error
}

/// A database with rows in every table but those of positions.
async fn filled(database: TestDatabase) -> TestDatabase {
    let test = TestStore::new(database).await;
    fill(&test).await;
    test.store.close().await;
    test.database
}

/// Puts something into the tables of positions of a file that is filled.
async fn add_positions(database: &TestDatabase) {
    let mut file = SqliteConnection::connect(database.url())
        .await
        .expect("a file");
    for positions in [
        "INSERT INTO tag_positions SELECT id, 'lang:ja', 0, x'0100' FROM apps",
        "INSERT INTO send_positions SELECT id, 0, x'0200' FROM sends",
        "INSERT INTO send_missed SELECT id, 0, x'0300' FROM sends",
        "INSERT INTO reach SELECT id, 0, x'0100000002000100' FROM apps",
    ] {
        let inserted = sqlx::query(positions).execute(&mut file).await;
        assert!(inserted.expect("written").rows_affected() > 0);
    }
}

/// All rows of all tables of a file, as SQL writes them.
async fn dump(database: &TestDatabase) -> BTreeMap<String, Vec<String>> {
    let mut file = SqliteConnection::connect(database.url())
        .await
        .expect("a file");
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> '_sqlx_migrations'",
    )
    .fetch_all(&mut file)
    .await
    .expect("listed");
    let mut dump = BTreeMap::new();
    for table in tables {
        let columns: Vec<String> = sqlx::query_scalar("SELECT name FROM pragma_table_info($1)")
            .bind(&table)
            .fetch_all(&mut file)
            .await
            .expect("listed");
        let quoted = columns.iter().map(|name| format!("quote(\"{name}\")"));
        let row = quoted.collect::<Vec<_>>().join(" || ',' || ");
        let rows = format!("SELECT {row} FROM \"{table}\" ORDER BY 1");
        let rows = sqlx::query_scalar(AssertSqlSafe(rows))
            .fetch_all(&mut file)
            .await;
        dump.insert(table, rows.expect("read"));
    }
    dump
}

#[tokio::test]
async fn everything_arrives_through_postgres_and_back() {
    let original = filled(TestDatabase::sqlite().await).await;
    add_positions(&original).await;
    let first = TestDatabase::postgres().await;
    let second = TestDatabase::postgres().await.behind_pooler();
    let back = TestDatabase::sqlite().await;
    let mut seen = BTreeMap::new();
    let mut on_progress = |progress: CopyProgress| {
        let is_compared = progress.stage == CopyStage::Comparing;
        seen.insert((progress.table, is_compared), (progress.rows, progress.of));
    };
    let summary = hato_store::copy(original.url(), first.url(), &mut on_progress).await;
    let summary = summary.expect("copied");
    assert_eq!(
        seen.len(),
        2 * COPIED_TABLES.len(),
        "no table was empty: {seen:?}"
    );
    assert!(seen.values().all(|(rows, of)| rows == of), "{seen:?}");
    assert_eq!(copy(&first, &second).await.expect("copied"), summary);
    assert_eq!(copy(&second, &back).await.expect("copied"), summary);
    let (before, after) = (dump(&original).await, dump(&back).await);
    assert!(before.contains_key("sqlite_sequence"));
    assert_eq!(before, after);
}

/// A database whose tables belong to a role that may do nothing else, partitioned by somebody who may do everything; and how that
/// role opens it.
async fn partitioned() -> (TestDatabase, String) {
    let database = TestDatabase::empty_postgres();
    database.execute(
        "CREATE ROLE tables_owner LOGIN;
         DO $$ BEGIN
             EXECUTE format('ALTER DATABASE %I OWNER TO tables_owner', current_database());
         END $$",
    );
    let url = database.url().replace("user=hato", "user=tables_owner");
    let opened = hato_store::open(&url).await;
    opened.expect("its tables are made").close().await;
    let as_owner = partitioning().replace("SET ROLE hato;", "SET ROLE tables_owner;");
    assert_ne!(as_owner, partitioning());
    database.execute(&as_owner);
    (database, url)
}

#[tokio::test]
async fn everything_arrives_in_partitions_and_back() {
    let original = filled(TestDatabase::sqlite().await).await;
    let (partitioned, url) = partitioned().await;
    let back = TestDatabase::sqlite().await;
    let summary = hato_store::copy(original.url(), &url, &mut |_| ()).await;
    let summary = summary.expect("their owner writes to them");
    let copied = hato_store::copy(&url, back.url(), &mut |_| ()).await;
    assert_eq!(copied.expect("and reads them"), summary);
    assert_eq!(dump(&original).await, dump(&back).await);

    let test = TestStore::new(partitioned).await;
    let app = filled::app(&test).await;
    let before = test.record(&app).await.active_subscriptions;
    test.subscribe(&app, 100).await;
    let after = test.record(&app).await.active_subscriptions;
    assert_eq!(after, before + 1, "numbers go on");
}

/// What tells of migrations, and what of the last minutes and of the processes that run: none does while a database is copied.
const LEFT_OUT: [&str; 6] = [
    "_sqlx_migrations",
    "heard_events",
    "listeners",
    "processes",
    "rate_windows",
    "sweep_lease",
];

fn assert_known(found: &[String]) {
    let found: BTreeSet<_> = found.iter().map(String::as_str).collect();
    let copied = BTreeSet::from(COPIED_TABLES);
    let missing: Vec<_> = copied.difference(&found).collect();
    assert!(missing.is_empty(), "there is no {missing:?}");
    let known = copied.union(&LEFT_OUT.into()).copied().collect();
    let unknown: Vec<_> = found.difference(&known).collect();
    assert!(unknown.is_empty(), "no copy has {unknown:?}");
}

#[tokio::test]
async fn every_table_of_both_databases_is_copied_or_left_out() {
    let file = filled(TestDatabase::sqlite().await).await;
    let connection = SqliteConnection::connect(file.url()).await;
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    let tables: Vec<String> = sqlx::query_scalar(names)
        .fetch_all(&mut connection.expect("a file"))
        .await
        .expect("listed");
    assert_known(&tables);

    let database = TestDatabase::postgres().await;
    let connection = PgConnection::connect(database.url()).await;
    let names = "SELECT CAST(relname AS TEXT) FROM pg_class
                 WHERE relkind IN ('r', 'p') AND relnamespace = CAST('public' AS REGNAMESPACE)";
    let tables: Vec<String> = sqlx::query_scalar(names)
        .fetch_all(&mut connection.expect("a database"))
        .await
        .expect("listed");
    assert_known(&tables);
}

#[on_each_database]
async fn a_store_goes_on_with_the_copy(target: TestDatabase) {
    let source = filled(TestDatabase::sqlite().await).await;
    copy(&source, &target).await.expect("copied");
    assert_goes_on(target).await;
}

#[tokio::test]
async fn a_store_goes_on_when_its_tables_were_partitioned() {
    let database = filled(TestDatabase::postgres().await).await;
    database.partition();
    assert_goes_on(database).await;
}

/// Asserts that a filled database takes a subscription and a broadcast, and that everybody is reached.
async fn assert_goes_on(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = filled::app(&test).await;
    let before = test.record(&app).await;
    test.subscribe(&app, 100).await;
    let after = test.record(&app).await;
    assert_eq!(after.active_subscriptions, before.active_subscriptions + 1);
    let day = filled::TOMORROW;
    test.broadcast(&app, day).await;
    let mut reached = 0;
    while let Some(page) = test.try_claim(day, 100).await {
        let recipients = ids(&test.recipients(&page).await);
        reached += recipients.len();
        let settlement = Settlement {
            sent: sent_to(&recipients),
            ..Settlement::default()
        };
        let settled = test.settle(&page, settlement).await;
        assert_eq!(settled, SettleOutcome::RecordedWithEvents);
    }
    // What was queued before, the retry included, and then everybody.
    assert_eq!(reached, 2 + 1 + 6);
}

#[on_each_database]
async fn a_target_that_has_something_is_refused(target: TestDatabase) {
    let source = filled(TestDatabase::sqlite().await).await;
    let target = filled(target).await;
    let refused = refusal(&source, &target).await;
    assert!(
        matches!(refused, CopyError::NotEmpty("accounts")),
        "{refused}"
    );
}

/// A process on the database, as long as the store is open.
async fn server(database: &TestDatabase) -> Arc<dyn Store> {
    let store = hato_store::open(database.url()).await.expect("opened");
    store.announce_server().await.expect("announced");
    store
}

fn is_in_use(copied: &Result<CopySummary, CopyError>, expected: CopySide) -> bool {
    matches!(copied, Err(CopyError::InUse { side, .. }) if *side == expected)
}

#[on_each_database]
async fn a_database_that_a_server_has_open_is_neither_read_nor_written(database: TestDatabase) {
    let (empty, full) = (
        database.another().await,
        filled(database.another().await).await,
    );
    let server = server(&database).await;
    assert!(is_in_use(&copy(&database, &empty).await, CopySide::Source));
    assert!(is_in_use(&copy(&full, &database).await, CopySide::Target));
    server.close().await;
    copy(&full, &database).await.expect("copied");
    copy(&database, &empty).await.expect("copied");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_during_which_a_server_comes_is_not_kept() {
    let source = filled(TestDatabase::postgres().await).await;
    let target = TestDatabase::postgres().await;
    let server = hato_store::open(source.url()).await.expect("opened");
    let watcher = PgConnection::connect(source.url()).await;
    let mut watcher = watcher.expect("it is there");
    let mut coming = Some(Arc::clone(&server));
    let mut come = |_| {
        let Some(server) = coming.take() else { return };
        tokio::spawn(async move { server.announce_server().await });
        block_in_place(|| Handle::current().block_on(until_so_many_wait(&mut watcher, 1)));
    };
    let copied = hato_store::copy(source.url(), target.url(), &mut come).await;
    assert!(is_in_use(&copied, CopySide::Source), "{copied:?}");
    server.close().await;
    copy(&source, &target).await.expect("the target is empty");
}

#[tokio::test]
async fn a_server_that_was_killed_is_waited_for() {
    let (source, target) = (
        TestDatabase::postgres().await,
        TestDatabase::postgres().await,
    );
    source.execute("INSERT INTO processes VALUES ('killed', now() - INTERVAL '10 seconds')");
    assert!(is_in_use(&copy(&source, &target).await, CopySide::Source));
    source.execute("UPDATE processes SET seen_at = now() - INTERVAL '31 seconds'");
    copy(&source, &target).await.expect("copied");
}

#[on_each_database]
async fn a_copy_that_was_interrupted_leaves_the_target_empty(target: TestDatabase) {
    let source = filled(TestDatabase::sqlite().await).await;
    let (begin, is_begun) = oneshot::channel();
    let mut begin = Some(begin);
    let mut tell = |_| {
        if let Some(begin) = begin.take() {
            begin.send(()).ok();
        }
    };
    {
        let copying = hato_store::copy(source.url(), target.url(), &mut tell);
        tokio::select! {
            biased;
            _ = is_begun => {}
            result = copying => panic!("it was not interrupted: {result:?}"),
        }
    }
    copy(&source, &target).await.expect("copied");
}

#[tokio::test]
async fn a_copy_that_differs_is_not_kept() {
    let source = filled(TestDatabase::sqlite().await).await;
    let target = TestDatabase::postgres().await;
    target.execute(
        "CREATE FUNCTION alter_name() RETURNS trigger LANGUAGE plpgsql
         AS 'BEGIN NEW.name := NEW.name || 1; RETURN NEW; END';
         CREATE TRIGGER altering BEFORE INSERT ON apps FOR EACH ROW EXECUTE FUNCTION alter_name()",
    );
    let refused = refusal(&source, &target).await;
    assert!(matches!(refused, CopyError::Differs("apps")), "{refused}");
    target.execute("DROP TRIGGER altering ON apps");
    copy(&source, &target).await.expect("copied");
}

#[tokio::test]
async fn what_cannot_be_copied_is_named() {
    let source = filled(TestDatabase::sqlite().await).await;
    let target = TestDatabase::postgres().await;
    target.execute("ALTER TABLE apps ADD COLUMN extra TEXT");
    let refused = refusal(&source, &target).await;
    let is_columns = |failure: &CopyFailure| matches!(failure, CopyFailure::Columns);
    assert!(matches!(&refused, CopyError::Table { table: "apps", failure } if is_columns(failure)));

    let target = TestDatabase::postgres().await;
    let mut file = SqliteConnection::connect(source.url())
        .await
        .expect("a file");
    let nul = sqlx::query("UPDATE apps SET name = 'a' || char(0)");
    nul.execute(&mut file).await.expect("altered");
    file.close().await.expect("closed");
    let refused = refusal(&source, &target).await;
    assert!(
        refused
            .to_string()
            .contains("name has the character U+0000"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_later_versions_database_is_refused() {
    let (source, target) = (
        TestDatabase::postgres().await,
        TestDatabase::postgres().await,
    );
    source.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', true, '\\x00', 0)",
    );
    let refused = refusal(&source, &target).await;
    assert!(
        refused.to_string().contains("by a later version"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_file_that_is_not_there_is_not_made() {
    let (missing, target) = (TestDatabase::sqlite().await, TestDatabase::sqlite().await);
    let refused = refusal(&missing, &target).await;
    assert!(matches!(refused, CopyError::Missing(_)), "{refused}");
    let again = refusal(&missing, &target).await;
    assert!(matches!(again, CopyError::Missing(_)), "{again}");
}
