//! Opening and closing: a pool of connections, each set up as the store needs it.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hato_service::Notifier;
use hato_service::ports::{Store, StoreError};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, PgPool};
use tokio_util::task::TaskTracker;

use crate::bounded_reads::BoundedReaders;
use crate::dialect::readers;
use crate::error::with_context;
use crate::failure::LastLoss;
use crate::migration;
use crate::open_error::{OLDEST_VERSION, PostgresOpenError};
use crate::settings::PostgresSettings;
use crate::wake_ups::relay;

/// Reads a page of a table.
const PROBE_QUERY: &str = "SELECT id FROM accounts LIMIT 1";

/// More than there are statements, so that each is prepared once on a connection.
const MAX_PREPARED_STATEMENTS: usize = 1_000;

/// How long a connection may lie idle before it is asked whether it still stands.
const TRUSTED_IDLE_TIME: Duration = Duration::from_secs(1);

/// A store on a PostgreSQL database, which implements every port of `hato_service::ports`.
pub struct Database {
    pub(crate) pool: PgPool,
    pub(crate) last_loss: Arc<LastLoss>,
    /// The transactions that run: each goes on when its caller goes away, and closing waits for them.
    pub(crate) writes: TaskTracker,
    pub(crate) bounded_readers: BoundedReaders,
    listens: bool,
}

impl Database {
    /// Opens the database at `url`, `postgres://` or `postgresql://` with the parameters of libpq, and brings its tables up to date,
    /// or waits until somebody has. Must be called on a tokio runtime.
    pub async fn open(url: &str, settings: &PostgresSettings) -> Result<Self, PostgresOpenError> {
        let options = PgConnectOptions::from_str(url).map_err(|_| PostgresOpenError::Url)?;
        let options = options.statement_cache_capacity(MAX_PREPARED_STATEMENTS);
        let address = address(&options);
        let connecting = |error| PostgresOpenError::from_connecting(error, &address);
        let last_loss = Arc::new(LastLoss::default());
        let pool = connect(options, settings, &last_loss)
            .await
            .map_err(connecting)?;
        let mut connection = pool.acquire().await.map_err(connecting)?;
        check(&mut connection).await?;
        if settings.migrate {
            migration::migrate(&mut connection).await?;
        } else {
            migration::wait(&mut connection).await?;
        }
        Ok(Self {
            pool,
            last_loss,
            writes: TaskTracker::new(),
            bounded_readers: BoundedReaders::default(),
            listens: settings.listen,
        })
    }
}

#[async_trait]
impl Store for Database {
    async fn ping(&self) -> Result<(), StoreError> {
        let probed = sqlx::query(PROBE_QUERY).fetch_optional(readers(self)).await;
        probed.map(drop).map_err(with_context("probe the database"))
    }

    async fn give_back_space(&self) -> Result<bool, StoreError> {
        // PostgreSQL's autovacuum does.
        Ok(false)
    }

    async fn relay_wake_ups(&self, notifier: &Notifier) {
        relay(&self.pool, notifier, self.listens).await;
    }

    async fn close(&self) {
        self.writes.close();
        self.writes.wait().await;
        self.pool.close().await;
    }
}

/// Where the database is, without user and password.
fn address(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}

async fn connect(
    options: PgConnectOptions,
    settings: &PostgresSettings,
    last_loss: &Arc<LastLoss>,
) -> sqlx::Result<PgPool> {
    let last_loss = Arc::clone(last_loss);
    let setup = session_setup(settings);
    // A pool would try again and again and say in the end that it took too long; the first failure says why.
    let first = tokio::time::timeout(
        settings.acquire_timeout,
        PgConnection::connect_with(&options),
    );
    let first = first.await.map_err(|_| sqlx::Error::PoolTimedOut)??;
    first.close().await.ok();
    PgPoolOptions::new()
        .max_connections(settings.max_connections)
        .acquire_timeout(settings.acquire_timeout)
        .test_before_acquire(false)
        .before_acquire(move |connection, metadata| {
            let is_suspect =
                metadata.idle_for > TRUSTED_IDLE_TIME || last_loss.makes_suspect(metadata.idle_for);
            Box::pin(test_if(is_suspect, connection))
        })
        .after_connect(move |connection, _| {
            let setup = setup.clone();
            Box::pin(async move { connection.execute(AssertSqlSafe(setup)).await.map(drop) })
        })
        .connect_with(options)
        .await
}

/// What every session begins with. Whoever has chosen to wait for standbys keeps that; who has chosen to wait for nothing does not,
/// for what was accepted must not be lost. Every statement has an index that serves it; while a table is small PostgreSQL would plan to
/// read all of it, and keep that plan when it has grown, until somebody renews its statistics. Times are in milliseconds.
fn session_setup(settings: &PostgresSettings) -> String {
    format!(
        "SELECT set_config('synchronous_commit', 'on', false)
         WHERE current_setting('synchronous_commit') IN ('off', 'local');
         SET default_transaction_isolation = 'read committed';
         SET enable_seqscan = off;
         SET jit = off;
         SET statement_timeout = {};
         SET lock_timeout = {};
         SET idle_in_transaction_session_timeout = {}",
        settings.statement_timeout.as_millis(),
        settings.lock_timeout.as_millis(),
        settings.statement_timeout.as_millis(),
    )
}

/// Asks a connection that has lain idle whether it still stands: nobody shall get one that died with its server.
async fn test_if(is_suspect: bool, connection: &mut PgConnection) -> sqlx::Result<bool> {
    if is_suspect {
        connection.ping().await?;
    }
    Ok(true)
}

/// Whether this is a database that the store can use: new enough, and one that takes writes.
async fn check(connection: &mut PgConnection) -> Result<(), PostgresOpenError> {
    let row: (i32, String, bool) = sqlx::query_as(
        "SELECT CAST(current_setting('server_version_num') AS INTEGER), current_setting('server_version'),
                CAST(current_setting('transaction_read_only') AS BOOLEAN)",
    )
    .persistent(false)
    .fetch_one(connection)
    .await
    .map_err(PostgresOpenError::Database)?;
    let (version, found, is_read_only) = row;
    if u32::try_from(version).unwrap_or(0) < OLDEST_VERSION {
        return Err(PostgresOpenError::TooOld { found });
    }
    if is_read_only {
        return Err(PostgresOpenError::ReadOnly);
    }
    Ok(())
}
