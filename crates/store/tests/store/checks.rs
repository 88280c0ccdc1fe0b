//! The check of counters against rows (CONTRACT 1).

use hato_service::ports::Flaw;
use hato_testkit::{TestDatabase, on_each_database};
use sqlx::{Connection as _, PgConnection, SqliteConnection};

use crate::test_store::{START, TestStore};

/// Somebody else who uses the database.
enum Other {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Other {
    async fn on(database: &TestDatabase) -> Self {
        if database.is_postgres() {
            let connection = PgConnection::connect(database.url()).await;
            Self::Postgres(connection.expect("a database"))
        } else {
            let connection = SqliteConnection::connect(database.url()).await;
            Self::Sqlite(connection.expect("a database"))
        }
    }

    async fn execute(&mut self, statements: &'static str) {
        let statements = sqlx::raw_sql(statements);
        let done = match self {
            Self::Sqlite(connection) => statements.execute(connection).await.map(drop),
            Self::Postgres(connection) => statements.execute(connection).await.map(drop),
        };
        done.expect("the statements work");
    }
}

#[on_each_database]
async fn looking_waits_for_nobody_who_writes(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let mut other = Other::on(&test.database).await;
    other
        .execute("UPDATE apps SET active_subscriptions = 7")
        .await;
    other
        .execute("BEGIN; UPDATE apps SET active_subscriptions = 8; DELETE FROM sends")
        .await;
    let store = &test.store;
    assert_eq!(store.check_references(false).await.expect("looked"), []);
    assert_eq!(store.check_sends(START, false).await.expect("looked"), []);
    let failures = store.check_failures(START, false).await;
    assert_eq!(failures.expect("looked"), []);
    let found = store.check_app(&app, false).await.expect("looked");
    let what = format!("{app}: active subscriptions: 7 by the counter, 3 by the rows");
    let is_repaired = false;
    assert_eq!(found, [Flaw { what, is_repaired }]);
}
