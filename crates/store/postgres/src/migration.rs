//! Bringing the tables up to date, by one process of a fleet at a time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sqlx::Connection as _;
use sqlx::migrate::{MigrateError, Migrator};

use crate::connections::Connections;
use crate::failure::is_locked_out;
use crate::open_error::PostgresOpenError;

/// Whoever migrates holds this advisory lock until its transaction ends: "hato" in ASCII.
const LOCK: i64 = 0x6861_746f;

/// How long a process that does not migrate waits for one that does.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// Between two looks at the tables.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// The migrations that a database has, by version: whether each is done, and its checksum.
type Applied = BTreeMap<i64, (bool, Vec<u8>)>;

/// The migrations of this version. A later version's are let be: its processes run beside this one's during an upgrade. The lock is
/// taken here, since the migrator's own belongs to a session, which a pooler's clients do not have.
fn migrations() -> Migrator {
    let mut migrations = sqlx::migrate!("../../../migrations/postgres");
    migrations.set_ignore_missing(true).set_locking(false);
    migrations
}

/// Runs the missing migrations in one transaction.
pub(crate) async fn migrate(connections: &Connections) -> Result<(), PostgresOpenError> {
    run(connections)
        .await
        .map_err(PostgresOpenError::from_migrating)?;
    report_later_migrations(&applied(connections).await.map_err(opening)?);
    Ok(())
}

/// A migration that waits for a table makes everybody behind it wait, so it gives up soon, and comes again.
async fn run(connections: &Connections) -> Result<(), MigrateError> {
    let started = Instant::now();
    loop {
        match run_once(connections).await {
            Err(error) if met_a_lock(&error) && started.elapsed() < LONGEST_WAIT => {
                tracing::info!("waiting until a table that is to be migrated is not in use");
                tokio::time::sleep(LOOK_INTERVAL).await;
            }
            result => return result,
        }
    }
}

fn met_a_lock(error: &MigrateError) -> bool {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            is_locked_out(error)
        }
        _ => false,
    }
}

async fn run_once(connections: &Connections) -> Result<(), MigrateError> {
    let mut connection = connections.begin().await?;
    let without_limits = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0";
    sqlx::raw_sql(without_limits)
        .execute(&mut connection)
        .await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(LOCK)
        .execute(&mut connection)
        .await?;
    sqlx::raw_sql("SET LOCAL lock_timeout = '2s'")
        .execute(&mut connection)
        .await?;
    let ran = migrations().run(connection.driver()).await;
    // sqlx's own statements have names, under which whoever gets this session next from a pooler has others.
    connection.driver().clear_cached_statements().await?;
    ran?;
    Ok(connection.commit().await?)
}

/// Waits until another process has made the tables that this version needs.
pub(crate) async fn wait(connections: &Connections) -> Result<(), PostgresOpenError> {
    let started = Instant::now();
    loop {
        let applied = applied(connections).await.map_err(opening)?;
        let Some(missing) = first_missing(&applied).map_err(PostgresOpenError::Migration)? else {
            report_later_migrations(&applied);
            return Ok(());
        };
        if started.elapsed() >= LONGEST_WAIT {
            return Err(PostgresOpenError::NotMigrated { missing });
        }
        tracing::info!(
            missing,
            "waiting until another process has migrated the database"
        );
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// The first migration of this version that the database does not have. One that it has otherwise than this version is an error.
fn first_missing(applied: &Applied) -> Result<Option<i64>, MigrateError> {
    for migration in migrations().iter() {
        match applied.get(&migration.version) {
            None => return Ok(Some(migration.version)),
            Some((false, _)) => return Err(MigrateError::Dirty(migration.version)),
            Some((true, checksum)) if *checksum != *migration.checksum => {
                return Err(MigrateError::VersionMismatch(migration.version));
            }
            Some(_) => {}
        }
    }
    Ok(None)
}

/// Says so when a later version has migrated the database; this one goes on, since its tables are still as it knows them.
fn report_later_migrations(applied: &Applied) {
    if let Some(version) = last_later(applied) {
        tracing::warn!(
            version,
            "the database was migrated by a later version; going on"
        );
    }
}

/// The last migration of the database, if a later version has made it.
pub(crate) async fn later_migration(connections: &Connections) -> sqlx::Result<Option<i64>> {
    Ok(last_later(&applied(connections).await?))
}

fn last_later(applied: &Applied) -> Option<i64> {
    let newest = migrations().iter().map(|migration| migration.version).max();
    let last = applied.last_key_value().map(|(version, _)| *version);
    last.filter(|version| Some(*version) > newest)
}

/// The migrations that the database has; none when it never had any.
async fn applied(connections: &Connections) -> sqlx::Result<Applied> {
    let mut connection = connections.begin_read().await?;
    let table: Option<String> = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text")
        .fetch_one(&mut connection)
        .await?;
    let mut applied: Vec<(i64, bool, Vec<u8>)> = Vec::new();
    if table.is_some() {
        let all = sqlx::query_as("SELECT version, success, checksum FROM _sqlx_migrations");
        applied = all.fetch_all(&mut connection).await?;
    }
    connection.commit().await?;
    let applied = applied.into_iter();
    Ok(applied
        .map(|(version, success, checksum)| (version, (success, checksum)))
        .collect())
}

const fn opening(error: sqlx::Error) -> PostgresOpenError {
    PostgresOpenError::Database(error)
}
