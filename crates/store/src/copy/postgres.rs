//! A PostgreSQL database that is read or written by a copy.
//!
//! No statement is prepared under a name: whatever is between, a pooler included, passes them on.

use async_trait::async_trait;
use futures_util::stream::{BoxStream, StreamExt as _};
use hato_store_postgres::{is_awaited, open_exclusively, stored_text};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Postgres, Row as _};

use super::Copied;
use super::error::CopyFailure;
use super::row::{ColumnKind, ColumnValue, CopiedColumn, Row, decode_row, names};
use super::tables::TABLES;
use crate::StoreOpenError;

/// The columns whose texts are escaped here, because they may hold U+0000.
const ESCAPED: [(&str, &str); 2] = [("sends", "title"), ("sends", "body")];

pub(super) struct PostgresSide {
    connection: PgConnection,
}

impl PostgresSide {
    pub(super) async fn open(url: &str) -> Result<Self, StoreOpenError> {
        let connection = open_exclusively(url, &TABLES).await?;
        Ok(Self { connection })
    }
}

#[async_trait]
impl Copied for PostgresSide {
    async fn columns(&mut self, table: &str) -> Result<Vec<CopiedColumn>, CopyFailure> {
        let columns = sqlx::query_as(
            r#"SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT)
               FROM information_schema.columns
               WHERE table_schema = current_schema() AND table_name = $1
               ORDER BY CAST(column_name AS TEXT) COLLATE "C""#,
        )
        .bind(table)
        .persistent(false)
        .fetch_all(&mut self.connection)
        .await?;
        columns.into_iter().map(column).collect()
    }

    async fn count(&mut self, table: &str) -> sqlx::Result<i64> {
        let text = format!("SELECT COUNT(*) FROM \"{table}\"");
        sqlx::query_scalar(AssertSqlSafe(text))
            .persistent(false)
            .fetch_one(&mut self.connection)
            .await
    }

    fn rows<'c>(
        &'c mut self,
        table: &str,
        columns: &'c [CopiedColumn],
    ) -> BoxStream<'c, Result<Row, CopyFailure>> {
        let text = format!("SELECT {} FROM \"{table}\"", names(columns));
        let escaped = escaped(table, columns);
        sqlx::query(AssertSqlSafe(text))
            .persistent(false)
            .fetch(&mut self.connection)
            .map(move |row| {
                let row = row?;
                let mut row = decode_row!(row, columns)?;
                for at in &escaped {
                    change_text(&mut row[*at], stored_text::from_stored);
                }
                Ok(row)
            })
            .boxed()
    }

    async fn insert(
        &mut self,
        table: &str,
        columns: &[CopiedColumn],
        mut rows: Vec<Row>,
    ) -> Result<(), CopyFailure> {
        escape(table, columns, &mut rows);
        let lists: Vec<_> = columns.iter().zip(1..).map(list).collect();
        let (names, lists) = (names(columns), lists.join(", "));
        let text = format!("INSERT INTO \"{table}\" ({names}) SELECT * FROM UNNEST({lists})");
        let mut insert = sqlx::query(AssertSqlSafe(text)).persistent(false);
        let mut rows: Vec<_> = rows.into_iter().map(Vec::into_iter).collect();
        for column in columns {
            let values = rows.iter_mut().filter_map(Iterator::next);
            insert = bind(insert, column, values)?;
        }
        insert.execute(&mut self.connection).await?;
        Ok(())
    }

    async fn last_number(&mut self, table: &str) -> sqlx::Result<Option<i64>> {
        let Some(sequence) = self.sequence(table).await? else {
            return Ok(None);
        };
        let last = "CASE WHEN is_called THEN last_value ELSE last_value - 1 END";
        sqlx::query_scalar(AssertSqlSafe(format!("SELECT {last} FROM {sequence}")))
            .persistent(false)
            .fetch_optional(&mut self.connection)
            .await
    }

    async fn set_last_number(&mut self, table: &str, number: i64) -> sqlx::Result<()> {
        let sequence = self.sequence(table).await?;
        sqlx::query("SELECT setval(CAST(CAST($1 AS TEXT) AS REGCLASS), $2)")
            .bind(sequence)
            .bind(number)
            .persistent(false)
            .execute(&mut self.connection)
            .await
            .map(drop)
    }

    async fn is_awaited(&mut self) -> sqlx::Result<bool> {
        is_awaited(&mut self.connection).await
    }

    async fn commit(mut self: Box<Self>) -> sqlx::Result<()> {
        let analyze = format!("ANALYZE {}", TABLES.join(", "));
        self.connection.execute(AssertSqlSafe(analyze)).await?;
        self.connection.execute("COMMIT").await?;
        self.connection.close().await
    }
}

impl PostgresSide {
    /// What gives the table's rows their numbers, as statements name it: that of an identity, or the one that a column of a partitioned
    /// table owns (docs/SCALING.md).
    async fn sequence(&mut self, table: &str) -> sqlx::Result<Option<String>> {
        sqlx::query_scalar(
            "SELECT sequence
             FROM information_schema.columns,
                  pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
             WHERE table_schema = current_schema() AND table_name = $1 AND sequence IS NOT NULL",
        )
        .bind(table)
        .persistent(false)
        .fetch_optional(&mut self.connection)
        .await
    }
}

fn column((name, kind): (String, String)) -> Result<CopiedColumn, CopyFailure> {
    let kind = match &*kind {
        "bigint" => ColumnKind::Number,
        "text" => ColumnKind::Text,
        "bytea" => ColumnKind::Bytes,
        _ => return Err(CopyFailure::Type(name)),
    };
    Ok(CopiedColumn { name, kind })
}

/// Where the escaped ones are among the columns.
fn escaped(table: &str, columns: &[CopiedColumn]) -> Vec<usize> {
    let is_escaped = |column: &CopiedColumn| ESCAPED.contains(&(table, &column.name));
    let places = columns.iter().enumerate();
    let escaped = places.filter(|(_, column)| is_escaped(column));
    escaped.map(|(at, _)| at).collect()
}

fn change_text(value: &mut ColumnValue, change: impl Fn(String) -> String) {
    if let ColumnValue::Text(Some(text)) = value {
        *text = change(std::mem::take(text));
    }
}

/// The values of a column as one parameter.
fn list((column, number): (&CopiedColumn, usize)) -> String {
    let kind = match column.kind {
        ColumnKind::Number => "BIGINT",
        ColumnKind::Text => "TEXT",
        ColumnKind::Bytes => "BYTEA",
    };
    format!("CAST(${number} AS {kind}[])")
}

/// Writes the texts of strangers as PostgreSQL can hold them.
fn escape(table: &str, columns: &[CopiedColumn], rows: &mut [Row]) {
    for at in escaped(table, columns) {
        for row in &mut *rows {
            let escape = |text: String| stored_text::to_stored(&text).into_owned();
            change_text(&mut row[at], escape);
        }
    }
}

fn bind<'q>(
    insert: Query<'q, Postgres, PgArguments>,
    column: &CopiedColumn,
    values: impl Iterator<Item = ColumnValue>,
) -> Result<Query<'q, Postgres, PgArguments>, CopyFailure> {
    let (mut numbers, mut texts, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for value in values {
        match value {
            ColumnValue::Number(value) => numbers.push(value),
            ColumnValue::Text(Some(text)) if text.contains('\0') => {
                return Err(CopyFailure::Nul(column.name.clone()));
            }
            ColumnValue::Text(value) => texts.push(value),
            ColumnValue::Bytes(value) => bytes.push(value),
        }
    }
    Ok(match column.kind {
        ColumnKind::Number => insert.bind(numbers),
        ColumnKind::Text => insert.bind(texts),
        ColumnKind::Bytes => insert.bind(bytes),
    })
}
