//! What differs between the databases on which the shared statements run: here, PostgreSQL.
//!
//! The sources in `../shared` know of the database only what stands here: the connection, where reads go (`readers`,
//! `bounded_reader`, `snapshot`, `costly_snapshot`), how a transaction is run (`write`), the locks (`lock_…`), and the words of SQL that differ (`sql!`); and
//! beside it which failures are whose (`failure`, `bounded_reads`), and what shares a transaction (`acceptance_groups`, `settlement_groups`).

mod locks;

use std::future::{Ready, ready};

use futures_util::future::BoxFuture;
use hato_domain::UnixMillis;
use hato_service::ports::{DatabaseFiles, Flaw, StoreError};

pub(crate) use self::locks::{
    lock_account_listeners, lock_app, lock_app_alone, lock_apps_alone, lock_github_user,
    lock_listeners, lock_request, lock_unclaimed_jobs, lock_webhook, request_name,
};
use crate::Database;
use crate::bounded_reads::ReadConnection;
pub(crate) use crate::connection::DbConnection;
use crate::costly_selections::CostlyTurn;
use crate::error::with_context;
use crate::failure::WriteError;
use crate::held_connection::HeldConnection;
use crate::readers::Readers;
pub(crate) use crate::stored_text::{from_stored, to_stored};
use crate::transactions::run;

/// The database as sqlx names it.
pub(crate) type Driver = sqlx::Postgres;

/// Where reads outside a transaction go.
pub(crate) fn readers(database: &Database) -> Readers<'_> {
    Readers(&database.connections)
}

/// A transaction that only reads, all of it as of one moment. Nobody waits for it.
pub(crate) async fn snapshot(database: &Database) -> sqlx::Result<DbConnection> {
    database.connections.begin_snapshot().await
}

/// The same for a costly selection, whose turn lasts for as long as the database is busy with it.
pub(crate) async fn costly_snapshot(
    database: &Database,
    turn: CostlyTurn,
) -> sqlx::Result<HeldConnection<CostlyTurn>> {
    let snapshot = snapshot(database).await?;
    Ok(HeldConnection::new(snapshot, turn))
}

/// Where reads go whose cost grows with what a tenant has stored: what takes longer than a second there ends with an error, which
/// [`is_out_of_time`](crate::bounded_reads::is_out_of_time) tells from others, like the wait when too many read so.
pub(crate) async fn bounded_reader(database: &Database) -> sqlx::Result<ReadConnection> {
    database
        .bounded_readers
        .acquire(&database.connections)
        .await
}

/// The files are the database server's.
pub(crate) fn files(_: &Database) -> Ready<sqlx::Result<Option<DatabaseFiles>>> {
    ready(Ok(None))
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
    if database.writes.is_closed() {
        return Err(with_context(context)(WriteError::Closed));
    }
    let connections = database.connections.clone();
    let writing = async move { run(&connections, operation).await };
    let runtime = database.connections.runtime();
    let written = database.writes.spawn_on(writing, runtime);
    let written = written.await.unwrap_or(Err(WriteError::Panicked));
    written.map_err(with_context(context))
}

/// Whether somebody may claim whose clock shows `now`.
pub(crate) async fn may_claim(database: &Database, now: UnixMillis) -> Result<bool, StoreError> {
    let permitted = database.clock_check.permits(&database.connections, now);
    permitted.await.map_err(with_context("compare the clock"))
}

/// How far a clock that shows `now` is ahead of the one that all processes have in common, ms; negative when it is behind.
pub(crate) fn clock_lead(database: &Database, now: UnixMillis) -> i64 {
    database.clock_check.lead(now)
}

/// Rows that refer to rows which are not there: PostgreSQL lets nobody write such.
pub(crate) fn check_references(_: &mut DbConnection, _: bool) -> Ready<sqlx::Result<Vec<Flaw>>> {
    ready(Ok(Vec::new()))
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
/// Where one of many apps has most of the rows, PostgreSQL expects as few of it as of every app, and to find some by a list it would read
/// all rows of the app. So the app stands with each member, as if it depended on that (`CASE`): then only an index over both serves.
///
/// The locks leave a row's key free (NO KEY), so that they do not wait for those who only refer to it.
macro_rules! sql {
    // @ [sqlx's macro and type] [text so far] [words to come] [arguments]
    (@ $call:tt [$($text:tt)*] [NUMBERS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [TEXTS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT value FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [OF_APP ($column:tt IN NUMBERS) $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "(app_id, " $column ") IN (SELECT CASE WHEN value IS NOT NULL THEN $2 END, CAST(value AS BIGINT)
                        FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [OF_APP ($column:tt IN TEXTS) $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "(app_id, " $column ") IN (SELECT CASE WHEN value IS NOT NULL THEN $2 END, value
                        FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [OF_APP ($column:tt IN HASHES) $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "(app_id, " $column ") IN (SELECT CASE WHEN value IS NOT NULL THEN $2 END, decode(value, 'hex')
                        FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [KINDS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT value FROM json_array_elements_text(CAST(CAST($6 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [FAILURES $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT CAST(value ->> 0 AS BIGINT) AS recipient, value ->> 1 AS reason,
                               CAST(value ->> 2 AS BIGINT) AS http_status,
                               CAST(value ->> 3 AS BIGINT) AS attempts, value ->> 4 AS detail
                        FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [NEW_SUBSCRIPTIONS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT value ->> 0 AS public_id, value ->> 1 AS endpoint,
                               decode(value ->> 2, 'hex') AS endpoint_hash,
                               decode(value ->> 3, 'hex') AS p256dh, decode(value ->> 4, 'hex') AS auth,
                               value ->> 5 AS platform, CAST(value ->> 6 AS BIGINT) AS position,
                               CAST(value ->> 7 AS BIGINT) AS created_at, value ->> 8 AS user_id,
                               value ->> 9 AS tags, value ->> 10 AS lang, value ->> 11 AS time_zone,
                               CAST(value ->> 12 AS BIGINT) AS vapid_key
                        FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [HASHES $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT decode(value, 'hex') FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [RANGES $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT CAST(value ->> 0 AS BIGINT) AS low, CAST(value ->> 1 AS BIGINT) AS high
                        FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [BLOCKS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT CAST(value ->> 0 AS BIGINT) AS block,
                               substr(CAST($3 AS BYTEA), CAST(value ->> 1 AS INTEGER),
                                      CAST(value ->> 2 AS INTEGER)) AS positions
                        FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [TAG_BLOCKS $($rest:tt)*] $args:tt) => {
        sql!(@ $call
            [$($text)* "SELECT CASE WHEN value IS NOT NULL THEN $2 END AS app_id, value ->> 0 AS tag,
                               CAST(value ->> 1 AS BIGINT) AS block, decode(value ->> 2, 'hex') AS positions
                        FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON))"]
            [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [LIST_LENGTH $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* "json_array_length(CAST(j.recipients AS JSON))"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [FOR_UPDATE $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* " FOR NO KEY UPDATE"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [SKIP_LOCKED $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* " FOR NO KEY UPDATE SKIP LOCKED"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [KEEP_APP $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* " FOR KEY SHARE OF p"] [$($rest)*] $args)
    };
    (@ $call:tt [$($text:tt)*] [KEEP_SUBSCRIPTION $($rest:tt)*] $args:tt) => {
        sql!(@ $call [$($text)* " FOR KEY SHARE OF s"] [$($rest)*] $args)
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
