//! Opening: how a database is connected to, and whether it is one that can be used.

mod server;

use std::env;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use hato_service::ports::NewSend;
use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio_util::task::TaskTracker;
use url::Url;

use self::server::inspect;
use crate::bounded_reads::BoundedReaders;
use crate::clock_check::ClockCheck;
use crate::connections::Connections;
use crate::costly_selections::CostlySelections;
use crate::migration::{self, LaterMigrations};
use crate::open_error::{OLDEST_VERSION, PostgresOpenError};
use crate::presence::Presence;
use crate::settings::PostgresSettings;
use crate::settled_page::PageSettlement;
use crate::waiting::WaitingOperations;

/// More than there are statements, so that each is prepared once on a connection.
const MAX_PREPARED_STATEMENTS: usize = 1_000;

/// Parameters of libpq that promise nothing which the store does not keep by itself: it has time limits of its own, and refuses servers that
/// take no writes.
const WITHOUT_EFFECT: [&str; 8] = [
    "connect_timeout",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "fallback_application_name",
    "target_session_attrs",
];

/// A store on a PostgreSQL database, which implements every port of `hato_service::ports`.
pub struct Database {
    pub(crate) connections: Connections,
    pub(crate) waiting_sends: Arc<WaitingOperations<NewSend>>,
    pub(crate) waiting_settlements: Arc<WaitingOperations<PageSettlement>>,
    /// The transactions that run: each goes on when its caller goes away, and closing waits for them.
    pub(crate) writes: TaskTracker,
    pub(crate) bounded_readers: BoundedReaders,
    pub(crate) costly_selections: CostlySelections,
    /// How many requests this process has counted in windows.
    pub(crate) counted_requests: AtomicU64,
    pub(crate) clock_check: ClockCheck,
    pub(crate) presence: Presence,
    pub(crate) later_migrations: LaterMigrations,
    pub(crate) listens: bool,
}

impl Database {
    /// Opens the database at `url`, `postgres://` or `postgresql://` with those parameters of libpq that the driver reads, and brings
    /// its tables up to date, or waits until somebody has. Must be called on a tokio runtime.
    pub async fn open(url: &str, settings: &PostgresSettings) -> Result<Self, PostgresOpenError> {
        let options = connect_options(url)?;
        let address = address(&options);
        let refused = |error| PostgresOpenError::from_connecting(error, &address);
        let server = inspect(&options, settings).await.map_err(refused)?;
        if let Some(version) = server.version.filter(|version| *version < OLDEST_VERSION) {
            return Err(PostgresOpenError::too_old(version));
        }
        if server.lends_sessions {
            return Err(PostgresOpenError::TransactionPooler);
        }
        let presence = Presence::new();
        let options = if settings.prepared_statements {
            presence.name_connections(options)
        } else {
            options
        };
        let connections = Connections::new(options, &address, settings);
        if let Some(reason) = unsuitability(&connections).await.map_err(refused)? {
            return Err(reason);
        }
        if settings.migrate {
            Box::pin(migration::migrate(&connections, settings.migration_timeout)).await?;
        } else {
            Box::pin(migration::wait(&connections, settings.migration_timeout)).await?;
        }
        let later_migrations = LaterMigrations::default();
        let reported = later_migrations.report(&connections).await;
        reported.map_err(PostgresOpenError::Database)?;
        Ok(Self {
            connections,
            waiting_sends: Arc::default(),
            waiting_settlements: Arc::default(),
            writes: TaskTracker::new(),
            bounded_readers: BoundedReaders::default(),
            costly_selections: CostlySelections::default(),
            counted_requests: AtomicU64::new(0),
            clock_check: ClockCheck::default(),
            presence,
            later_migrations,
            listens: settings.listen,
        })
    }
}

/// How to connect to the database at `url`, directly or through a pooler.
pub(crate) fn connect_options(url: &str) -> Result<PgConnectOptions, PostgresOpenError> {
    if has_misplaced_password(url) {
        return Err(PostgresOpenError::Url);
    }
    let url = Url::parse(url).map_err(|_| PostgresOpenError::Url)?;
    refuse_ignored(&url)?;
    let options = PgConnectOptions::from_url(&url).map_err(|_| PostgresOpenError::Url)?;
    let mode = match options.get_ssl_mode() {
        // The driver takes "allow" for "disable"; "prefer" connects to the same servers, and to more of them with TLS.
        PgSslMode::Allow => PgSslMode::Prefer,
        // As libpq does (PostgreSQL's documentation, "SSL Support"); the driver would not look at the certificate.
        PgSslMode::Require if names_root(&url) => PgSslMode::VerifyCa,
        mode => mode,
    };
    Ok(options
        .ssl_mode(mode)
        .statement_cache_capacity(MAX_PREPARED_STATEMENTS)
        // A pooler knows the usual parameters of a session only, and no column holds such a number.
        .extra_float_digits(None))
}

/// Whether a password seems to have a `/`, `?` or `#` that is not percent-encoded: what stands before it, or behind an `@` in it, would
/// pass for host and port, which the log shows and name servers are asked for. The `@` behind it tells, so a value with an `@` has to
/// be percent-encoded as well.
fn has_misplaced_password(url: &str) -> bool {
    let (_, rest) = url.split_once("://").unwrap_or_default();
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    !authority.is_empty() && rest.contains('@')
}

/// Refuses what the driver would ignore, such as `sslMode=verify-full`: the connection would lack what was asked for, and nobody would
/// see it. What stands behind a password, or has no value, may be the rest of a password with an `&`, and is not named.
fn refuse_ignored(url: &Url) -> Result<(), PostgresOpenError> {
    if url.fragment().is_some() {
        return Err(PostgresOpenError::Url);
    }
    let mut is_behind_password = false;
    for (key, value) in url.query_pairs() {
        if !is_read_by_driver(&key) && !WITHOUT_EFFECT.contains(&&*key) {
            return Err(if is_behind_password || value.is_empty() {
                PostgresOpenError::Url
            } else {
                let key = key.into_owned();
                PostgresOpenError::UnknownParameter { key }
            });
        }
        is_behind_password = key == "password";
    }
    Ok(())
}

/// The keys of `options/parse.rs` in sqlx-postgres 0.9.
fn is_read_by_driver(key: &str) -> bool {
    match key {
        "sslmode"
        | "ssl-mode"
        | "sslrootcert"
        | "ssl-root-cert"
        | "ssl-ca"
        | "sslcert"
        | "ssl-cert"
        | "sslkey"
        | "ssl-key"
        | "statement-cache-capacity"
        | "host"
        | "hostaddr"
        | "port"
        | "dbname"
        | "user"
        | "password"
        | "application_name"
        | "options" => true,
        key => key.starts_with("options[") && key.ends_with(']'),
    }
}

/// Whether the URL, or the variable of libpq in its place, names the authorities that sign the server's certificate.
fn names_root(url: &Url) -> bool {
    let is_root = |key: &str| matches!(key, "sslrootcert" | "ssl-root-cert" | "ssl-ca");
    let is_named = url
        .query_pairs()
        .any(|(key, value)| is_root(&key) && !value.is_empty());
    is_named || env::var_os("PGSSLROOTCERT").is_some_and(|path| !path.is_empty())
}

/// Where the database is, without user and password.
fn address(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}

/// Why the database cannot be used as it is set, if so: it takes no writes, or not every text.
async fn unsuitability(connections: &Connections) -> sqlx::Result<Option<PostgresOpenError>> {
    let mut connection = connections.begin_read().await?;
    let settings = sqlx::query_as(
        "SELECT pg_is_in_recovery() OR CAST(current_setting('default_transaction_read_only') AS BOOLEAN),
                current_setting('server_encoding')",
    );
    let (is_read_only, encoding): (bool, String) = settings.fetch_one(&mut connection).await?;
    connection.commit().await?;
    Ok(if is_read_only {
        Some(PostgresOpenError::ReadOnly)
    } else if encoding == "UTF8" {
        None
    } else {
        Some(PostgresOpenError::Encoding { found: encoding })
    })
}
