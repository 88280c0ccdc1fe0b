//! What differs between the databases on which the shared statements run: here, SQLite.
//!
//! The sources in `../shared` know of the database only what stands here: the connection, where reads go (`readers`,
//! `bounded_reader`, `snapshot`, `costly_snapshot`), how a transaction is run (`write`), the locks (`lock_…`), and the words of SQL that differ (`sql!`); and
//! beside it which failures are whose (`failure`, `bounded_reads`), and what shares a transaction (`acceptance_groups`, `settlement_groups`).

mod locks;

use std::io;
use std::ops::{Deref, DerefMut};

use futures_util::future::{BoxFuture, Ready, ready};
use hato_domain::UnixMillis;
use hato_service::ports::{DatabaseFiles, StoreError};
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection, SqlitePool, Transaction};
use tokio::fs;

pub(crate) use self::locks::{
    lock_account_listeners, lock_app, lock_app_alone, lock_apps_alone, lock_github_user,
    lock_listeners, lock_request, lock_unclaimed_jobs, lock_webhook,
};
use crate::Database;
use crate::costly_selections::CostlyTurn;
use crate::error::with_context;
pub(crate) use crate::references::check_references;
use crate::writer::log_path;

/// The connection on which an operation runs.
pub(crate) type DbConnection = SqliteConnection;

/// The database as sqlx names it.
pub(crate) type Driver = Sqlite;

/// Where reads outside a transaction go.
pub(crate) fn readers(database: &Database) -> &SqlitePool {
    &database.readers
}

/// A transaction that only reads, all of it as of one moment. Nobody waits for it.
pub(crate) async fn snapshot(database: &Database) -> sqlx::Result<Transaction<'static, Sqlite>> {
    database.readers.begin().await
}

/// The same for a costly selection, while it is its turn. One that nobody waits for any more ends at its next row.
pub(crate) async fn costly_snapshot(
    database: &Database,
    turn: CostlyTurn,
) -> sqlx::Result<CostlySnapshot> {
    let transaction = snapshot(database).await?;
    Ok(CostlySnapshot {
        transaction,
        _turn: turn,
    })
}

/// A transaction that reads a large part of an app's subscriptions.
pub(crate) struct CostlySnapshot {
    transaction: Transaction<'static, Sqlite>,
    _turn: CostlyTurn,
}

impl Deref for CostlySnapshot {
    type Target = DbConnection;

    fn deref(&self) -> &DbConnection {
        &self.transaction
    }
}

impl DerefMut for CostlySnapshot {
    fn deref_mut(&mut self) -> &mut DbConnection {
        &mut self.transaction
    }
}

/// Where reads go whose cost grows with what a tenant has stored: what takes longer than a second there ends with an error, which
/// [`is_out_of_time`](crate::bounded_reads::is_out_of_time) tells from others, like the wait when too many read so.
pub(crate) async fn bounded_reader(database: &Database) -> sqlx::Result<PoolConnection<Sqlite>> {
    database.bounded_readers.acquire().await
}

/// Runs `operation` in a transaction of its own and returns when its changes are on disk; when it fails or panics, none of
/// them are kept. [`transaction!`](crate::transaction::transaction) is the way to call it.
pub(crate) async fn write<T, F>(
    database: &Database,
    context: &'static str,
    operation: F,
) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: for<'c> FnOnce(&'c mut DbConnection) -> BoxFuture<'c, sqlx::Result<T>>
        + Clone
        + Send
        + 'static,
{
    let written = database.writer.run(operation).await;
    written.map_err(with_context(context))
}

/// The sizes of the file and of its log.
pub(crate) async fn files(database: &Database) -> io::Result<Option<DatabaseFiles>> {
    let main = fs::metadata(&database.path).await?;
    let log = fs::metadata(log_path(&database.path)).await;
    Ok(Some(DatabaseFiles {
        main: main.len(),
        log: log.map_or(0, |log| log.len()),
    }))
}

/// A text as its column holds it, where it may hold U+0000. Here nothing has to be escaped.
pub(crate) const fn to_stored(text: &str) -> &str {
    text
}

/// The text that [`to_stored`] was given.
pub(crate) const fn from_stored(text: String) -> String {
    text
}

/// Whether somebody may claim whose clock shows `now`. Here all processes have one clock.
pub(crate) fn may_claim(_: &Database, _: UnixMillis) -> Ready<Result<bool, StoreError>> {
    ready(Ok(true))
}

/// How far a clock that shows `now` is ahead of the one that all processes have in common, ms. Here they have but that one.
pub(crate) fn clock_lead(_: &Database, _: UnixMillis) -> i64 {
    0
}

/// A query that is checked at compile time like `sqlx::query!`, whose text is put together from literals and the words in which
/// databases differ: `sql!(query ["DELETE FROM t WHERE id IN (" NUMBERS ")"] numbers)`. The first word is the macro of sqlx, with
/// the row's type where it takes one: `sql!(query_as Row ["SELECT …"] …)`.
///
/// | Word          | Stands for |
/// |---------------|------------|
/// | `NUMBERS`     | the members of `$1`, a JSON array of numbers, as rows |
/// | `TEXTS`       | the members of `$1`, a JSON array of texts, as rows |
/// | `KINDS`       | the members of `$6`, a JSON array of texts, as rows |
/// | `HASHES`      | the members of `$1`, a JSON array of hexadecimal texts, as rows of bytes |
/// | `OF_APP("c" IN NUMBERS)` | that a row is one of the app `$2` and its column `c` one of `NUMBERS`; so with `TEXTS` and `HASHES` |
/// | `FAILURES`    | the members of `$1`, a JSON array of arrays of five, as rows (`recipient`, `reason`, `http_status`, `attempts`, `detail`) |
/// | `NEW_SUBSCRIPTIONS` | the members of `$1`, a JSON array of arrays of thirteen, as rows named like the columns; bytes are hexadecimal texts |
/// | `RANGES`      | the members of `$1`, a JSON array of pairs, as rows (`low`, `high`) |
/// | `BLOCKS`      | the members of `$1`, a JSON array of triples, as rows (`block`, and `positions`, which are the bytes of `$3` from a place, counted from 1, on) |
/// | `TAG_BLOCKS`  | the members of `$1`, a JSON array of triples, as rows (`app_id`, which is `$2`, `tag`, `block`, and `positions` of its hexadecimal digits) |
/// | `LIST_LENGTH` | how many members the JSON array `j.recipients` has |
/// | `FOR_UPDATE`  | a lock on the rows that are read, until the end of the transaction |
/// | `SKIP_LOCKED` | the same, skipping rows that somebody else has locked |
/// | `KEEP_APP`    | a lock that keeps the app `p` from being deleted or put under review until the end of the transaction |
/// | `KEEP_SUBSCRIPTION` | a lock that keeps the subscriptions `s` from being removed until the end of the transaction |
///
/// SQLite has one writer, so the locks are nothing here.
macro_rules! sql {
    // @ [sqlx's macro and type] [text so far] [words to come] [arguments]
    (@ $call:tt [$($text:tt)*] [NUMBERS $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "SELECT value FROM json_each($1)"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [TEXTS $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "SELECT value FROM json_each($1)"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [OF_APP ($column:tt IN NUMBERS) $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "app_id = $2 AND " $column " IN ("] [NUMBERS ")" $($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [OF_APP ($column:tt IN TEXTS) $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "app_id = $2 AND " $column " IN ("] [TEXTS ")" $($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [OF_APP ($column:tt IN HASHES) $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "app_id = $2 AND " $column " IN ("] [HASHES ")" $($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [KINDS $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "SELECT value FROM json_each($6)"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [FAILURES $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT value ->> 0 AS recipient, value ->> 1 AS reason, value ->> 2 AS http_status, value ->> 3 AS attempts, value ->> 4 AS detail FROM json_each($1)"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [NEW_SUBSCRIPTIONS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT value ->> 0 AS public_id, value ->> 1 AS endpoint, unhex(value ->> 2) AS endpoint_hash,
                               unhex(value ->> 3) AS p256dh, unhex(value ->> 4) AS auth, value ->> 5 AS platform,
                               value ->> 6 AS position, value ->> 7 AS created_at, value ->> 8 AS user_id,
                               value ->> 9 AS tags, value ->> 10 AS lang, value ->> 11 AS time_zone,
                               value ->> 12 AS vapid_key
                        FROM json_each($1)"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [HASHES $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "SELECT unhex(value) FROM json_each($1)"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [RANGES $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT value ->> 0 AS low, value ->> 1 AS high FROM json_each($1)"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [BLOCKS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT value ->> 0 AS block, substr($3, value ->> 1, value ->> 2) AS positions FROM json_each($1)"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [TAG_BLOCKS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT $2 AS app_id, value ->> 0 AS tag, value ->> 1 AS block, unhex(value ->> 2) AS positions FROM json_each($1)"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [LIST_LENGTH $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "json_array_length(j.recipients)"] [$($rest)*] $args)
    };
    (@ $call:tt $text:tt [FOR_UPDATE $($rest:tt)*] $args:tt) => {
        sql!(@ $call $text [$($rest)*] $args)
    };
    (@ $call:tt $text:tt [SKIP_LOCKED $($rest:tt)*] $args:tt) => {
        sql!(@ $call $text [$($rest)*] $args)
    };
    (@ $call:tt $text:tt [KEEP_APP $($rest:tt)*] $args:tt) => {
        sql!(@ $call $text [$($rest)*] $args)
    };
    (@ $call:tt $text:tt [KEEP_SUBSCRIPTION $($rest:tt)*] $args:tt) => {
        sql!(@ $call $text [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [$literal:tt $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* $literal] [$($rest)*] $args)
    };
    (@ [$macro:ident] [$first:tt $($text:tt)*] [] [$($args:tt)*]) => {
        sqlx::$macro!($first $(+ $text)*, $($args)*)
    };
    (@ [$macro:ident $row:ident] [$first:tt $($text:tt)*] [] [$($args:tt)*]) => {
        sqlx::$macro!($row, $first $(+ $text)*, $($args)*)
    };
    ($macro:ident $($row:ident)? [$($part:tt)*] $($args:tt)*) => {
        sql!(@ [$macro $($row)?] [] [$($part)*] [$($args)*])
    };
}
pub(crate) use sql;
