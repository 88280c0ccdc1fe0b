//! Rows as either database has them.

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// A signed integer of 64 bits.
    Number,
    /// A text in UTF-8.
    Text,
    Bytes,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CopiedColumn {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

/// What stands in a column; `None` is NULL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnValue {
    Number(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

/// The values of a row, in the order of its table's columns.
pub(crate) type Row = Vec<ColumnValue>;

/// The columns as statements name them.
pub(crate) fn names(columns: &[CopiedColumn]) -> String {
    let quoted = columns.iter().map(|column| format!("\"{}\"", column.name));
    quoted.collect::<Vec<_>>().join(", ")
}

/// Reads the columns of a row of sqlx's: a macro, because the two databases' rows are different types.
macro_rules! decode_row {
    ($row:expr, $columns:expr) => {{
        let values = $columns.iter().enumerate().map(|(at, column)| {
            Ok(match column.kind {
                ColumnKind::Number => ColumnValue::Number($row.try_get(at)?),
                ColumnKind::Text => ColumnValue::Text($row.try_get(at)?),
                ColumnKind::Bytes => ColumnValue::Bytes($row.try_get(at)?),
            })
        });
        values.collect::<sqlx::Result<Row>>()
    }};
}
pub(crate) use decode_row;
