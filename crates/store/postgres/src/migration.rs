//! Bringing the tables up to date, by one process of a fleet at a time.

mod applied;
mod later;

use std::pin::pin;
use std::time::{Duration, Instant};

use sqlx::migrate::{MigrateError, Migration, Migrator};
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, Postgres, Row as _, Transaction,
};
use tokio::time::timeout;

use self::applied::{applied, applied_on, first_missing};
pub(crate) use self::later::{LaterMigrations, later_migration};
use crate::connection::DbConnection;
use crate::connections::Connections;
use crate::failure::{is_conflict, is_locked_out, is_unsupported};
use crate::open_error::PostgresOpenError;

/// Whoever migrates holds this advisory lock until its transaction ends: "hato" in ASCII.
const LOCK: i64 = 0x6861_746f;

/// Whoever builds an index holds this one: "hatx".
const BUILD_LOCK: i64 = 0x6861_7478;

/// How a transaction begins whose statements take as long as it takes; a process that is halted holds its locks for ten seconds.
/// That the migrator's own table is there already is no news.
const WITHOUT_LIMITS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL client_min_messages = warning";

/// How often whoever holds a lock while an index is built gives a sign of life.
const SIGN_OF_LIFE_INTERVAL: Duration = Duration::from_secs(2);

/// Between two looks at the tables.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The migrations of this version. A later version's are let be: its processes run beside this one's during an upgrade. The lock is
/// taken here, since the migrator's own belongs to a session, which a pooler's clients do not have.
fn migrations() -> Migrator {
    let mut migrations = sqlx::migrate!("../../../migrations/postgres");
    migrations.set_ignore_missing(true).set_locking(false);
    migrations
}

/// Runs the missing migrations, and waits so long for a table that others use.
pub(crate) async fn migrate(
    connections: &Connections,
    timeout: Duration,
) -> Result<(), PostgresOpenError> {
    let ran = run(connections, timeout).await;
    ran.map_err(PostgresOpenError::from_migrating)
}

/// What became of the first migration that is missing.
enum MigrationStep {
    Ran,
    /// Another process runs it.
    RunElsewhere,
    /// Another process builds the index that it is.
    BuiltElsewhere,
    /// There is none.
    NothingMissing,
}

/// One after the other, so that nobody waits for a table while another one is changed. A migration that waits for a table makes everybody
/// behind it wait, so it gives up soon, and comes again.
async fn run(connections: &Connections, timeout: Duration) -> Result<(), MigrateError> {
    let started = Instant::now();
    let mut reported = None;
    loop {
        let wait = match run_first_missing(connections).await {
            Ok(MigrationStep::NothingMissing) => return Ok(()),
            Ok(MigrationStep::Ran) => {
                reported = None;
                continue;
            }
            Ok(MigrationStep::RunElsewhere) => "waiting until another process has migrated",
            Ok(MigrationStep::BuiltElsewhere) => "waiting until another process has built an index",
            Err(error) if met_a_lock(&error) && started.elapsed() < timeout => {
                "waiting until a table that is to be migrated is not in use"
            }
            Err(error) => return Err(error),
        };
        if reported.replace(wait) != Some(wait) {
            tracing::info!("{wait}");
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

fn met_a_lock(error: &MigrateError) -> bool {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            is_locked_out(error) || is_conflict(error)
        }
        _ => false,
    }
}

/// Runs the first migration that is missing, in a transaction of its own.
async fn run_first_missing(connections: &Connections) -> Result<MigrationStep, MigrateError> {
    let mut connection = connections.begin().await?;
    if !lock(&mut connection, LOCK).await? {
        connection.rollback().await?;
        return Ok(MigrationStep::RunElsewhere);
    }
    let Some(missing) = first_missing(&applied_on(&mut connection).await?)? else {
        connection.commit().await?;
        return Ok(MigrationStep::NothingMissing);
    };
    if missing.no_tx {
        connection.commit().await?;
        return build(connections, &missing).await;
    }
    sqlx::raw_sql("SET LOCAL lock_timeout = '2s'")
        .execute(connection.driver())
        .await?;
    let mut known = known_transaction(&mut connection).await?;
    let ran = migrations().run_to(missing.version, &mut *known).await;
    // sqlx's own statements have names, under which whoever gets this session next from a pooler has others.
    known.clear_cached_statements().await?;
    end(known, ran.is_ok()).await?;
    connection.give_back();
    ran?;
    Ok(MigrationStep::Ran)
}

/// Takes an advisory lock until the end of the transaction, which then waits for as long as it takes; `false` when somebody else has it.
async fn lock(connection: &mut DbConnection, lock: i64) -> sqlx::Result<bool> {
    let lock = format!("{WITHOUT_LIMITS}; SELECT pg_try_advisory_xact_lock({lock})");
    let locked = sqlx::raw_sql(AssertSqlSafe(lock))
        .fetch_all(connection.driver())
        .await?;
    locked.last().map_or(Ok(false), |row| row.try_get(0))
}

/// Builds an index beside those who use the table (`CREATE INDEX CONCURRENTLY`), which no transaction may do, unless another process
/// does. It waits for everybody who may still see the table as it was, so nobody may wait for its lock meanwhile: they
/// come again. What a process has left that died here is removed before: of no use, or complete but recorded nowhere, since PostgreSQL
/// goes on without its client.
async fn build(
    connections: &Connections,
    index: &Migration,
) -> Result<MigrationStep, MigrateError> {
    let mut holder = connections.begin().await?;
    if !lock(&mut holder, BUILD_LOCK).await? {
        holder.rollback().await?;
        return Ok(MigrationStep::BuiltElsewhere);
    }
    if !applied_on(&mut holder).await?.contains_key(&index.version) {
        let mut connection = connections.connect().await?;
        let building = build_on(&mut connection, connections.has_sessions, index);
        let built = while_held(&mut holder, building).await;
        connection.close().await.ok();
        built.map_err(|error| MigrateError::ExecuteMigration(error, index.version))?;
        let mut known = known_transaction(&mut holder).await?;
        let recorded = migrations().skip(&mut *known, Some(index.version)).await;
        known.clear_cached_statements().await?;
        end(known, recorded.is_ok()).await?;
        holder.give_back();
        recorded?;
        return Ok(MigrationStep::Ran);
    }
    holder.commit().await?;
    Ok(MigrationStep::Ran)
}

/// The same transaction for sqlx, which takes it for one that has just begun: its migrator would begin and end one of its own otherwise.
async fn known_transaction(
    connection: &mut DbConnection,
) -> sqlx::Result<Transaction<'_, Postgres>> {
    connection
        .driver()
        .begin_with("SAVEPOINT before_migration")
        .await
}

/// Ends the whole transaction.
async fn end(known: Transaction<'_, Postgres>, is_kept: bool) -> sqlx::Result<()> {
    if is_kept {
        known.commit().await
    } else {
        known.rollback().await
    }
}

/// Finishes the work, and gives signs of life meanwhile in the transaction that holds a lock for it.
async fn while_held(
    holder: &mut DbConnection,
    work: impl Future<Output = sqlx::Result<()>>,
) -> sqlx::Result<()> {
    let mut work = pin!(work);
    loop {
        if let Ok(done) = timeout(SIGN_OF_LIFE_INTERVAL, work.as_mut()).await {
            return done;
        }
        // Takes no snapshot, for whose end the build would wait.
        holder.driver().execute("SHOW lock_timeout").await?;
    }
}

/// Each statement by itself: several would be a transaction.
async fn build_on(
    connection: &mut PgConnection,
    has_sessions: bool,
    index: &Migration,
) -> sqlx::Result<()> {
    if has_sessions {
        for setting in ["SET statement_timeout = 0", "SET lock_timeout = 0"] {
            connection.execute(setting).await?;
        }
    }
    let left = connection
        .fetch_all(
            "SELECT format('%I', c.relname)
             FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
             WHERE c.relnamespace = current_schema()::regnamespace",
        )
        .await?;
    for row in left {
        let name: String = row.try_get(0)?;
        // Others are an operator's, or being built.
        if index
            .sql
            .as_str()
            .contains(&format!(" CONCURRENTLY {name} ON "))
        {
            let removal = format!("DROP INDEX CONCURRENTLY IF EXISTS {name}");
            execute_on_index(connection, &removal).await?;
        }
    }
    execute_on_index(connection, index.sql.as_str()).await
}

/// The index of a partitioned table is built and dropped while nobody writes to it: PostgreSQL can do neither beside writers.
async fn execute_on_index(connection: &mut PgConnection, statement: &str) -> sqlx::Result<()> {
    let executed = connection
        .execute(AssertSqlSafe(statement.to_owned()))
        .await;
    match executed {
        Err(error) if is_unsupported(&error) => {
            let locking = statement.replace(" CONCURRENTLY", "");
            connection.execute(AssertSqlSafe(locking)).await.map(drop)
        }
        executed => executed.map(drop),
    }
}

/// Waits until another process has made the tables that this version needs, but no longer than this.
pub(crate) async fn wait(
    connections: &Connections,
    timeout: Duration,
) -> Result<(), PostgresOpenError> {
    let started = Instant::now();
    let mut reported = None;
    loop {
        let applied = applied(connections).await.map_err(opening)?;
        let missing = first_missing(&applied).map_err(PostgresOpenError::Migration)?;
        let Some(missing) = missing.map(|migration| migration.version) else {
            return Ok(());
        };
        if started.elapsed() >= timeout {
            return Err(PostgresOpenError::NotMigrated { missing });
        }
        if reported.replace(missing) != Some(missing) {
            tracing::info!(
                missing,
                "waiting until another process has migrated the database"
            );
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

const fn opening(error: sqlx::Error) -> PostgresOpenError {
    PostgresOpenError::Database(error)
}
