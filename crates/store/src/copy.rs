//! Copying everything from one database to another, each of either kind (CONTRACT 17).
//!
//! Nothing here knows a table's columns: they are read from the databases, which must agree about them. So a migration needs no
//! change here, and one that adds a table a line in `tables`.
//!
//! - **Alone.** Both databases are opened so that nobody writes to either meanwhile, and neither while a server has it open.
//! - **All or nothing.** What is written is one transaction, committed after it was read again: a copy that was interrupted has left
//!   the target empty.
//! - **Bounded memory.** Rows stream from one to the other, some hundreds at a time.
//!
//! Row numbers are kept, and so is which of them was given last: none is ever given again.

mod error;
mod postgres;
mod row;
mod sqlite;
mod tables;
mod tally;

use std::collections::BTreeMap;
use std::path::Path;

use async_trait::async_trait;
use futures_util::TryStreamExt as _;
use futures_util::stream::BoxStream;
use hato_store_postgres::PostgresOpenError;

pub use self::error::{CopyError, CopyFailure, CopySide};
use self::postgres::PostgresSide;
use self::row::{CopiedColumn, Row};
use self::sqlite::SqliteSide;
pub use self::tables::TABLES;
use self::tally::Tally;
use crate::{StoreOpenError, sqlite_path};

/// How many rows are written with one statement: SQLite takes 32,766 values in one.
const BATCH: usize = 500;

/// The same for pictures, which are large.
const PICTURES_BATCH: usize = 16;

/// A database that is open for nobody else, in a transaction.
#[async_trait]
trait Copied: Send {
    /// The table's columns in the order of their names.
    async fn columns(&mut self, table: &str) -> Result<Vec<CopiedColumn>, CopyFailure>;

    /// How many rows it has.
    async fn count(&mut self, table: &str) -> sqlx::Result<i64>;

    /// All rows, in any order, with these columns.
    fn rows<'c>(
        &'c mut self,
        table: &str,
        columns: &'c [CopiedColumn],
    ) -> BoxStream<'c, Result<Row, CopyFailure>>;

    /// Adds rows, at most [`BATCH`].
    async fn insert(
        &mut self,
        table: &str,
        columns: &[CopiedColumn],
        rows: Vec<Row>,
    ) -> Result<(), CopyFailure>;

    /// The row number that was given last, 0 when none ever was; `None` when the table's rows have none.
    async fn last_number(&mut self, table: &str) -> sqlx::Result<Option<i64>>;

    /// Goes on after this number.
    async fn set_last_number(&mut self, table: &str, number: i64) -> sqlx::Result<()>;

    /// Whether a server waits to use it.
    async fn is_awaited(&mut self) -> sqlx::Result<bool>;

    /// Keeps what was written, and looks at it as the database needs it to plan its queries.
    async fn commit(self: Box<Self>) -> sqlx::Result<()>;
}

/// What a copy does with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyStage {
    /// Reads its rows and writes them.
    Copying,
    /// Reads what was written and compares it with what was read.
    Comparing,
}

/// How far a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyProgress {
    /// What it is at.
    pub stage: CopyStage,
    /// The table that it is at.
    pub table: &'static str,
    /// With how many of its rows that was done.
    pub rows: u64,
    /// How many it has.
    pub of: u64,
}

/// How much a copy that was committed has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// The tables, the empty ones included.
    pub tables: usize,
    /// The rows of all of them.
    pub rows: u64,
}

/// Copies everything in the database at `from` into the empty one at `to`, and tells `progress` after every batch of rows, of at most 500, that
/// is written, and that is compared. Both are brought to this version's tables. Must be called on a tokio runtime.
pub async fn copy(
    from: &str,
    to: &str,
    progress: &mut (dyn FnMut(CopyProgress) + Send),
) -> Result<CopySummary, CopyError> {
    if let Some(file) = crate::file(from).filter(|file| is_missing(file)) {
        return Err(CopyError::Missing(file.to_owned()));
    }
    let mut source = open(from)
        .await
        .map_err(|error| CopyError::opening(CopySide::Source, error))?;
    let mut target = open(to)
        .await
        .map_err(|error| CopyError::opening(CopySide::Target, error))?;
    refuse_unless_empty(&mut *target).await?;
    let mut tallies = BTreeMap::new();
    for table in TABLES {
        let copied = copy_table(&mut *source, &mut *target, table, progress).await;
        let copied = copied.map_err(|failure| failure.in_table(table))?;
        tallies.insert(table, copied);
    }
    verify(&mut *target, &tallies, progress).await?;
    // One that has begun or gone on meanwhile would go on with the source.
    if source.is_awaited().await.map_err(CopyError::Commit)? {
        let in_use = PostgresOpenError::InUse.into();
        return Err(CopyError::opening(CopySide::Source, in_use));
    }
    target.commit().await.map_err(CopyError::Commit)?;
    Ok(CopySummary {
        tables: tallies.len(),
        rows: tallies.values().map(|tally| tally.rows).sum(),
    })
}

/// Opening would make it.
fn is_missing(file: &Path) -> bool {
    std::fs::metadata(file).map_or(true, |file| file.len() == 0)
}

async fn open(url: &str) -> Result<Box<dyn Copied>, StoreOpenError> {
    match url.split_once(':') {
        Some(("sqlite", path)) => Ok(Box::new(SqliteSide::open(sqlite_path(path)?).await?)),
        Some(("postgres" | "postgresql", _)) => Ok(Box::new(PostgresSide::open(url).await?)),
        _ => Err(StoreOpenError::UnknownScheme),
    }
}

async fn refuse_unless_empty(target: &mut dyn Copied) -> Result<(), CopyError> {
    for table in TABLES {
        let count = target.count(table).await;
        if count.map_err(|error| CopyFailure::from(error).in_table(table))? > 0 {
            return Err(CopyError::NotEmpty(table));
        }
    }
    Ok(())
}

async fn copy_table(
    source: &mut dyn Copied,
    target: &mut dyn Copied,
    table: &'static str,
    progress: &mut (dyn FnMut(CopyProgress) + Send),
) -> Result<Tally, CopyFailure> {
    let columns = source.columns(table).await?;
    if target.columns(table).await? != columns {
        return Err(CopyFailure::Columns);
    }
    let last_number = source.last_number(table).await?;
    let of = u64::try_from(source.count(table).await?).unwrap_or(0);
    let mut tally = Tally::new(last_number);
    let mut batches = source.rows(table, &columns).try_chunks(batch(table));
    while let Some(batch) = batches.try_next().await.map_err(|error| error.1)? {
        for row in &batch {
            tally.add(row);
        }
        target.insert(table, &columns, batch).await?;
        let rows = tally.rows;
        progress(CopyProgress {
            stage: CopyStage::Copying,
            table,
            rows,
            of,
        });
    }
    if let Some(number) = last_number.filter(|number| *number > 0) {
        target.set_last_number(table, number).await?;
    }
    Ok(tally)
}

fn batch(table: &str) -> usize {
    if table == "pictures" {
        PICTURES_BATCH
    } else {
        BATCH
    }
}

/// Reads what was written and compares it with what was read.
async fn verify(
    target: &mut dyn Copied,
    tallies: &BTreeMap<&'static str, Tally>,
    progress: &mut (dyn FnMut(CopyProgress) + Send),
) -> Result<(), CopyError> {
    for (table, copied) in tallies {
        let mut on_rows = |rows| {
            progress(CopyProgress {
                stage: CopyStage::Comparing,
                table,
                rows,
                of: copied.rows,
            });
        };
        let found = tally(target, table, &mut on_rows).await;
        if found.map_err(|failure| failure.in_table(table))? != *copied {
            return Err(CopyError::Differs(table));
        }
    }
    Ok(())
}

async fn tally(
    database: &mut dyn Copied,
    table: &str,
    on_rows: &mut (dyn FnMut(u64) + Send),
) -> Result<Tally, CopyFailure> {
    let columns = database.columns(table).await?;
    let mut tally = Tally::new(database.last_number(table).await?);
    let mut batches = database.rows(table, &columns).try_chunks(batch(table));
    while let Some(batch) = batches.try_next().await.map_err(|error| error.1)? {
        for row in &batch {
            tally.add(row);
        }
        on_rows(tally.rows);
    }
    Ok(tally)
}
