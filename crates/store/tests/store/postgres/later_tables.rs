//! Every statement of the store, on tables to which a later version has added columns (CONTRACT 17).

use hato_testkit::TestDatabase;
use sqlx::{
    AssertSqlSafe, Column as _, Connection as _, Executor as _, PgConnection, SqlSafeStr as _,
    Statement as _, TypeInfo as _,
};

use super::statements;

/// Name and type of each column that the statement answers with.
async fn columns(connection: &mut PgConnection, statement: &str) -> Vec<(String, String)> {
    let sql = AssertSqlSafe(statement).into_sql_str();
    let prepared = connection.prepare(sql).await;
    let prepared = prepared.unwrap_or_else(|error| panic!("{statement}: {error}"));
    let columns = prepared.columns().iter();
    columns
        .map(|it| (it.name().to_owned(), it.type_info().name().to_owned()))
        .collect()
}

/// Whether each insertion of the statement names its columns.
fn names_its_columns(statement: &str) -> bool {
    let insertions = statement.split("INSERT INTO ").skip(1);
    let mut heads = insertions.filter_map(|rest| rest.split(['(', ')']).next());
    heads.all(|head| !head.contains("VALUES") && !head.contains("SELECT"))
}

#[tokio::test]
async fn every_statement_answers_as_before() {
    let [database, later] = [
        TestDatabase::postgres().await,
        TestDatabase::postgres().await,
    ];
    later.widen();
    let connect = async |database: &TestDatabase| {
        let connection = PgConnection::connect(database.url()).await;
        connection.expect("the database")
    };
    let (mut now, mut then) = (connect(&database).await, connect(&later).await);
    let statements = statements();
    assert!(statements.len() > 100, "{}", statements.len());
    for statement in statements {
        let expected = columns(&mut now, &statement).await;
        assert_eq!(
            columns(&mut then, &statement).await,
            expected,
            "{statement}"
        );
        assert!(names_its_columns(&statement), "{statement}");
    }
}
