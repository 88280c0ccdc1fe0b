//! How PostgreSQL runs the store's statements: by indexes, so that what one costs does not grow with what everybody has stored.

use std::collections::BTreeSet;

use hato_testkit::TestDatabase;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use super::{execute, statements};

/// Whole tables that are read, and why they may be.
const READ_THROUGH: [(&str, &str); 2] = [
    ("processes", "a row for each process"),
    ("sweep_lease", "one row at most"),
];

/// A session whose plans are those that the store's end up with: a table is read through only where no index serves.
async fn session(database: &TestDatabase) -> PgConnection {
    let connected = PgConnection::connect(database.url()).await;
    let mut session = connected.expect("a connection");
    let settings = "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan";
    execute(&mut session, settings).await;
    session
}

/// The lines of the statement's plan for any parameters.
async fn plan(session: &mut PgConnection, statement: &str) -> Vec<String> {
    let is_used = |number: &i32| statement.contains(&format!("${number}"));
    let parameters: Vec<_> = (1..).take_while(is_used).map(|_| "NULL").collect();
    let arguments = match parameters.as_slice() {
        [] => String::new(),
        parameters => format!("({})", parameters.join(", ")),
    };
    let explain = format!(
        "PREPARE planned AS {statement};
         EXPLAIN (COSTS OFF) EXECUTE planned {arguments};
         DEALLOCATE planned"
    );
    let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(session);
    let rows = rows.await;
    let rows = rows.unwrap_or_else(|error| panic!("{error}: {statement}"));
    rows.iter().map(|row| row.get(0)).collect()
}

/// The tables that a plan reads through.
fn read_through(plan: &[String]) -> impl Iterator<Item = &str> {
    let scanned = plan
        .iter()
        .filter_map(|line| line.split_once("Seq Scan on "));
    scanned.filter_map(|(_, table)| table.split(' ').next())
}

#[tokio::test]
async fn no_statement_reads_a_whole_table_unawares() {
    let database = TestDatabase::postgres().await;
    let mut session = session(&database).await;
    let statements = statements();
    assert!(statements.len() > 100);
    let mut seen = BTreeSet::new();
    for statement in statements {
        let plan = plan(&mut session, &statement).await;
        for table in read_through(&plan) {
            let known = READ_THROUGH.iter().any(|(known, _)| *known == table);
            assert!(known, "{table} in {statement}");
            seen.insert(table.to_owned());
        }
    }
    assert_eq!(seen.len(), READ_THROUGH.len(), "{seen:?}");
}
