//! What is sealed: all of it is found, and replaced where it is still the same.

use std::collections::BTreeSet;

use hato_service::SealPurpose;
use hato_service::ports::{ResealedText, SealedText};
use hato_testkit::{TestDatabase, on_each_database};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use crate::copy::filled;
use crate::test_store::TestStore;

/// Everything, read a few at a time.
async fn all(test: &TestStore, limit: i64) -> Vec<SealedText> {
    let mut all: Vec<SealedText> = Vec::new();
    loop {
        let after = all.last().map(|text| text.place.clone());
        let texts = test.store.sealed_texts(after, limit).await.expect("read");
        if texts.is_empty() {
            return all;
        }
        assert!(i64::try_from(texts.len()).expect("few") <= limit);
        all.extend(texts);
    }
}

/// Both databases have the same columns; a test of copies holds that.
#[tokio::test]
async fn every_sealed_column_is_known() {
    let database = TestDatabase::sqlite().await;
    let test = TestStore::new(database).await;
    filled::fill(&test).await;
    let database = &test.database;
    let mut file = SqliteConnection::connect(database.url())
        .await
        .expect("a file");
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
         WHERE t.type = 'table' AND c.name LIKE 'sealed_%' ORDER BY 1, 2",
    )
    .fetch_all(&mut file)
    .await
    .expect("listed");
    assert!(columns.len() >= 5, "{columns:?}");
    let mut expected = BTreeSet::new();
    sqlx::query("PRAGMA ignore_check_constraints = ON")
        .execute(&mut file)
        .await
        .expect("set");
    for (table, column) in &columns {
        let name = format!("{table}.{column}");
        let update = format!("UPDATE {table} SET {column} = CAST($1 AS BLOB)");
        let updated = sqlx::query(AssertSqlSafe(update)).bind(&name);
        let updated = updated.execute(&mut file).await.expect("written");
        assert!(updated.rows_affected() > 0, "{table} has no row");
        expected.insert(name.into_bytes());
    }
    let found: BTreeSet<_> = all(&test, 1).await.into_iter().map(|it| it.text).collect();
    assert_eq!(found, expected);
}

#[on_each_database]
async fn a_text_is_replaced_while_it_is_the_same(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let apps = [test.app().await, test.app().await, test.app().await];
    let texts = all(&test, 2).await;
    let found: Vec<_> = texts.iter().map(|text| text.app.clone()).collect();
    assert_eq!(found, apps);
    assert!(texts.iter().all(|it| it.purpose == SealPurpose::VapidKey));
    let replaced = |at: usize, before: &[u8]| ResealedText {
        place: texts[at].place.clone(),
        before: before.to_vec(),
        after: vec![8; 60],
    };
    let both = vec![replaced(0, &texts[0].text), replaced(1, b"another")];
    assert_eq!(test.store.replace_sealed(both).await.expect("written"), 1);
    let after: Vec<_> = all(&test, 2).await.into_iter().map(|it| it.text).collect();
    assert_eq!(
        after,
        [vec![8; 60], texts[1].text.clone(), texts[2].text.clone()]
    );
}
