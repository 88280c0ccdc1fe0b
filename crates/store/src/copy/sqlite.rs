//! A SQLite file that is read or written by a copy.

use std::path::Path;

use async_trait::async_trait;
use futures_util::stream::{BoxStream, StreamExt as _};
use hato_store_sqlite::{SqliteOpenError, open_exclusively};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _, SqliteConnection};

use super::Copied;
use super::error::CopyFailure;
use super::row::{ColumnKind, ColumnValue, CopiedColumn, Row, decode_row, names};
use crate::StoreOpenError;

pub(super) struct SqliteSide {
    connection: SqliteConnection,
}

impl SqliteSide {
    pub(super) async fn open(path: &Path) -> Result<Self, StoreOpenError> {
        let mut connection = open_exclusively(path).await?;
        let begun = connection.execute("BEGIN IMMEDIATE").await;
        begun.map_err(|source| SqliteOpenError::File {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self { connection })
    }
}

#[async_trait]
impl Copied for SqliteSide {
    async fn columns(&mut self, table: &str) -> Result<Vec<CopiedColumn>, CopyFailure> {
        let columns = sqlx::query_as("SELECT name, type FROM pragma_table_info($1) ORDER BY name")
            .bind(table)
            .fetch_all(&mut self.connection)
            .await?;
        columns.into_iter().map(column).collect()
    }

    async fn count(&mut self, table: &str) -> sqlx::Result<i64> {
        let text = format!("SELECT COUNT(*) FROM \"{table}\"");
        sqlx::query_scalar(AssertSqlSafe(text))
            .fetch_one(&mut self.connection)
            .await
    }

    fn rows<'c>(
        &'c mut self,
        table: &str,
        columns: &'c [CopiedColumn],
    ) -> BoxStream<'c, Result<Row, CopyFailure>> {
        let text = format!("SELECT {} FROM \"{table}\"", names(columns));
        sqlx::query(AssertSqlSafe(text))
            .fetch(&mut self.connection)
            .map(move |row| {
                let row = row?;
                Ok(decode_row!(row, columns)?)
            })
            .boxed()
    }

    async fn insert(
        &mut self,
        table: &str,
        columns: &[CopiedColumn],
        rows: Vec<Row>,
    ) -> Result<(), CopyFailure> {
        let text = insertion(table, columns, rows.len());
        let insert = sqlx::query(AssertSqlSafe(text));
        let insert = rows
            .into_iter()
            .flatten()
            .fold(insert, |insert, value| match value {
                ColumnValue::Number(value) => insert.bind(value),
                ColumnValue::Text(value) => insert.bind(value),
                ColumnValue::Bytes(value) => insert.bind(value),
            });
        insert.execute(&mut self.connection).await?;
        Ok(())
    }

    async fn last_number(&mut self, table: &str) -> sqlx::Result<Option<i64>> {
        sqlx::query_scalar(
            "SELECT COALESCE((SELECT q.seq FROM sqlite_sequence AS q WHERE q.name = s.name), 0)
             FROM sqlite_schema AS s WHERE s.name = $1 AND s.sql LIKE '%AUTOINCREMENT%'",
        )
        .bind(table)
        .fetch_optional(&mut self.connection)
        .await
    }

    async fn set_last_number(&mut self, table: &str, number: i64) -> sqlx::Result<()> {
        sqlx::query("DELETE FROM sqlite_sequence WHERE name = $1")
            .bind(table)
            .execute(&mut self.connection)
            .await?;
        sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)")
            .bind(table)
            .bind(number)
            .execute(&mut self.connection)
            .await
            .map(drop)
    }

    async fn is_awaited(&mut self) -> sqlx::Result<bool> {
        // Whoever opens a file that is locked ends.
        Ok(false)
    }

    async fn commit(mut self: Box<Self>) -> sqlx::Result<()> {
        self.connection.execute("COMMIT").await?;
        self.connection.close().await
    }
}

fn column((name, kind): (String, String)) -> Result<CopiedColumn, CopyFailure> {
    let kind = match &*kind {
        "INTEGER" => ColumnKind::Number,
        "TEXT" => ColumnKind::Text,
        "BLOB" => ColumnKind::Bytes,
        _ => return Err(CopyFailure::Type(name)),
    };
    Ok(CopiedColumn { name, kind })
}

/// A statement that inserts so many rows.
fn insertion(table: &str, columns: &[CopiedColumn], rows: usize) -> String {
    let places = format!("({})", vec!["?"; columns.len()].join(", "));
    let places = vec![places; rows].join(", ");
    let names = names(columns);
    format!("INSERT INTO \"{table}\" ({names}) VALUES {places}")
}
