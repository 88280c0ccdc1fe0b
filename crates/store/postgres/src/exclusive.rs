//! Opening the database for one connection alone, as copying a whole database needs it (CONTRACT 17).

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};

use tokio::time::timeout;

use crate::Database;
use crate::database::connect_options;
use crate::failure::is_locked_out;
use crate::migration::later_migration;
use crate::open_error::PostgresOpenError;
use crate::presence::is_in_use;
use crate::settings::PostgresSettings;

/// How the transaction begins in which everything happens: nothing limits how long its statements run, and its commit waits for the
/// disk.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE;
    SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL lock_timeout = '10s';
    SELECT set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')";

/// Opens the database, brings its tables up to date, and begins a transaction that keeps everybody else from writing to `tables`, and
/// servers from starting. While one has it open, or wrote to it for 10 s, it is [`PostgresOpenError::InUse`].
pub async fn open_exclusively(
    url: &str,
    tables: &[&str],
) -> Result<PgConnection, PostgresOpenError> {
    let settings = PostgresSettings {
        prepared_statements: false,
        ..PostgresSettings::default()
    };
    refuse_if_in_use(url).await?;
    let connections = Database::open(url, &settings).await?.connections;
    let later = later_migration(&connections).await;
    if let Some(version) = later.map_err(PostgresOpenError::Database)? {
        return Err(PostgresOpenError::TooNew { version });
    }
    let connected = connections.connect().await;
    let mut connection = connected.map_err(PostgresOpenError::Database)?;
    connections.close().await;
    let locked = lock(&mut connection, tables).await;
    locked.map_err(in_use_or_broken)?;
    if is_in_use(&mut connection)
        .await
        .map_err(PostgresOpenError::Database)?
    {
        return Err(PostgresOpenError::InUse);
    }
    Ok(connection)
}

/// [`PostgresOpenError::InUse`] while a server has the database open, whatever version its tables are of. Whatever else is wrong with
/// the address, opening says.
pub async fn refuse_if_in_use(url: &str) -> Result<(), PostgresOpenError> {
    let acquire_timeout = PostgresSettings::default().acquire_timeout;
    let options = connect_options(url)?;
    let connecting = timeout(acquire_timeout, PgConnection::connect_with(&options));
    let Ok(Ok(mut connection)) = connecting.await else {
        return Ok(());
    };
    let is_in_use = has_server(&mut connection).await;
    connection.close().await.ok();
    if is_in_use.map_err(PostgresOpenError::Database)? {
        return Err(PostgresOpenError::InUse);
    }
    Ok(())
}

/// In one transaction: a pooler may take the rest of a statement to another session otherwise.
async fn has_server(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let mut transaction = connection.begin().await?;
    let has_table = transaction.fetch_one("SELECT to_regclass('processes') IS NOT NULL");
    Ok(has_table.await?.try_get(0)? && is_in_use(&mut transaction).await?)
}

/// The lock lets others read, as an operator may want to. Each server that starts writes to `processes` first.
async fn lock(connection: &mut PgConnection, tables: &[&str]) -> sqlx::Result<()> {
    let tables = tables.join(", ");
    connection.execute(BEGIN).await?;
    let lock = format!("LOCK TABLE {tables}, processes IN EXCLUSIVE MODE");
    connection.execute(AssertSqlSafe(lock)).await.map(drop)
}

fn in_use_or_broken(error: sqlx::Error) -> PostgresOpenError {
    if is_locked_out(&error) {
        PostgresOpenError::InUse
    } else {
        PostgresOpenError::Database(error)
    }
}
