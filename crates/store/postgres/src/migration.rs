//! Bringing the tables up to date, by one process of a fleet at a time.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Connection as _, PgConnection};

use crate::open_error::PostgresOpenError;

/// Whoever migrates holds this advisory lock until its transaction ends: "hato" in ASCII.
const LOCK: i64 = 0x6861_746f;

/// How long a process that does not migrate waits for one that does.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// Between two looks at the tables.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// The migrations of this version. A later version's are let be: its processes run beside this one's during an upgrade. The lock is
/// taken here, since the migrator's own belongs to a session, which a pooler's clients do not have.
fn migrations() -> Migrator {
    let mut migrations = sqlx::migrate!("../../../migrations/postgres");
    migrations.set_ignore_missing(true).set_locking(false);
    migrations
}

/// Runs the missing migrations in one transaction.
pub(crate) async fn migrate(connection: &mut PgConnection) -> Result<(), PostgresOpenError> {
    run(connection)
        .await
        .map_err(PostgresOpenError::from_migrating)?;
    report_later_migrations(connection)
        .await
        .map_err(PostgresOpenError::Database)
}

async fn run(connection: &mut PgConnection) -> Result<(), MigrateError> {
    let begin = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0";
    let mut transaction = connection.begin_with(begin).await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(LOCK)
        .persistent(false)
        .execute(&mut *transaction)
        .await?;
    migrations().run(&mut *transaction).await?;
    Ok(transaction.commit().await?)
}

/// Waits until another process has made the tables that this version needs.
pub(crate) async fn wait(connection: &mut PgConnection) -> Result<(), PostgresOpenError> {
    let started = Instant::now();
    loop {
        let missing = first_missing(connection).await;
        let Some(missing) = missing.map_err(PostgresOpenError::Database)? else {
            break;
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
    report_later_migrations(connection)
        .await
        .map_err(PostgresOpenError::Database)
}

/// The first migration of this version that the database does not have.
async fn first_missing(connection: &mut PgConnection) -> sqlx::Result<Option<i64>> {
    let applied = applied(connection).await?;
    let migrations = migrations();
    let mut versions = migrations.iter().map(|migration| migration.version);
    Ok(versions.find(|version| !applied.contains(version)))
}

/// Says so when a later version has migrated the database; this one goes on, since its tables are still as it knows them.
async fn report_later_migrations(connection: &mut PgConnection) -> sqlx::Result<()> {
    let applied = applied(connection).await?;
    let newest = migrations().iter().map(|migration| migration.version).max();
    let later = applied.last().filter(|version| Some(**version) > newest);
    if let Some(version) = later {
        tracing::warn!(
            version,
            "the database was migrated by a later version; going on"
        );
    }
    Ok(())
}

/// The migrations that the database has; none when it never had any.
async fn applied(connection: &mut PgConnection) -> sqlx::Result<BTreeSet<i64>> {
    let table: Option<String> = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text")
        .persistent(false)
        .fetch_one(&mut *connection)
        .await?;
    if table.is_none() {
        return Ok(BTreeSet::new());
    }
    let versions = sqlx::query_scalar("SELECT version FROM _sqlx_migrations WHERE success")
        .persistent(false)
        .fetch_all(connection)
        .await?;
    Ok(versions.into_iter().collect())
}
