//! How a process uses the database.

use std::time::Duration;

/// What an operator may choose about the connections to PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresSettings {
    /// Most connections of this process. All processes together stay below PostgreSQL's `max_connections`.
    pub max_connections: u32,
    /// How long an operation waits for a free connection, or for a new one to stand.
    pub acquire_timeout: Duration,
    /// How long a statement may run. Migrations have no limit.
    pub statement_timeout: Duration,
    /// How long a statement waits for a lock that somebody else holds.
    pub lock_timeout: Duration,
    /// Whether wake-ups of other processes are listened for, on a connection of its own. Otherwise polling finds their work.
    pub listen: bool,
    /// Whether statements are prepared once for each connection. False behind a pooler that gives each transaction another session
    /// (PgBouncer's transaction mode), which knows nothing of them.
    pub prepared_statements: bool,
    /// Whether opening makes missing tables. Otherwise it waits until another process has made them.
    pub migrate: bool,
    /// How long opening waits for a process that migrates, and for a table that others use.
    pub migration_timeout: Duration,
}

impl Default for PostgresSettings {
    fn default() -> Self {
        Self {
            max_connections: 16,
            acquire_timeout: Duration::from_secs(10),
            statement_timeout: Duration::from_secs(30),
            lock_timeout: Duration::from_secs(10),
            listen: true,
            prepared_statements: true,
            migrate: true,
            migration_timeout: Duration::from_mins(5),
        }
    }
}
