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
    let is_used = |number: &u8| statement.contains(&format!("${number}"));
    let parameters: Vec<_> = (1..=u8::MAX).take_while(is_used).map(|_| "NULL").collect();
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

/// Thousands of apps with a few rows each, and one that has more than all of them: PostgreSQL expects as few of an app it does not know.
const ONE_LARGE_APP: &str = "
    SET session_replication_role = replica;
    INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position,
                               created_at, user_id)
    SELECT 'sub_' || n, app, '', sha256(CAST(CAST(n AS TEXT) AS BYTEA)), '', '', n, 0, 'user ' || n
    FROM (SELECT n, CASE WHEN n > 8000 THEN 'app_large' ELSE 'app_' || n / 4 END AS app
          FROM generate_series(1, 20000) AS n) AS numbered;
    INSERT INTO tag_positions (app_id, tag, block, positions)
    SELECT app_id, user_id, 0, '' FROM subscriptions;
    ANALYZE subscriptions, tag_positions";

/// Whether the plan reads all rows of an app that a table has which grows with the app, by one of the table's indexes.
fn reads_whole_app(plan: &[String]) -> bool {
    plan.windows(2).any(|lines| {
        let is_scan = lines[0].contains("Index") && lines[0].contains("Scan");
        let is_large = lines[0].contains("subscriptions") || lines[0].contains("tag_positions");
        let condition = lines[1].trim().strip_prefix("Index Cond: (app_id = $");
        let parameter = condition.and_then(|it| it.strip_suffix(')'));
        is_scan && is_large && parameter.is_some_and(|it| it.parse::<u32>().is_ok())
    })
}

#[tokio::test]
async fn what_a_list_names_is_looked_up_one_by_one_in_the_largest_app_among_thousands() {
    let database = TestDatabase::postgres().await;
    let mut session = session(&database).await;
    execute(&mut session, ONE_LARGE_APP).await;
    let of_lists = |statement: &String| statement.contains("FROM json_array_elements");
    for statement in statements().into_iter().filter(of_lists) {
        let plan = plan(&mut session, &statement).await;
        assert!(!reads_whole_app(&plan), "{plan:#?} of {statement}");
    }
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
