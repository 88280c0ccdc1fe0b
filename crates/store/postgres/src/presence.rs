//! Which servers have the database open: each says so when it starts, and now and then, in the table `processes`. Connections alone would
//! not tell: a pooler keeps its own, and closes them as it likes. But those of a server that is halted are still there when it has been
//! silent for long.

use std::time::Duration;

use sqlx::PgConnection;
use sqlx::postgres::PgConnectOptions;
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::connections::Connections;

/// Between two signs of life. Who has been silent for 30 s, and has no connection, is gone.
const INTERVAL: Duration = Duration::from_secs(10);

/// How long saying goodbye may take: whoever does not hear it waits a little.
const FAREWELL_TIMEOUT: Duration = Duration::from_millis(500);

/// A process's own row.
#[derive(Debug)]
pub(crate) struct Presence {
    /// A name that the process has made up.
    id: String,
    /// Whether it says that it is there.
    is_there: Mutex<bool>,
}

impl Presence {
    /// One that says nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            id: Uuid::now_v7().to_string(),
            is_there: Mutex::new(false),
        }
    }

    /// Connections that bear the process's name, unless somebody has given them another one. Behind a pooler they would not be its own, and
    /// would be renamed for each transaction.
    pub(crate) fn name_connections(&self, options: PgConnectOptions) -> PgConnectOptions {
        if options.get_application_name().is_some() {
            return options;
        }
        options.application_name(&format!("hato-server {}", self.id))
    }

    /// Says that the process is there, for the first time.
    pub(crate) async fn begin(&self, connections: &Connections) -> sqlx::Result<()> {
        *self.is_there.lock().await = true;
        self.say(connections).await
    }

    /// Says so again and again, until the pool is closed.
    pub(crate) async fn keep(&self, connections: &Connections) {
        let saying = async {
            loop {
                sleep(INTERVAL).await;
                if let Err(error) = self.say(connections).await {
                    tracing::debug!(%error, "the database was not told that this process is there");
                }
            }
        };
        tokio::select! {
            () = connections.closed.cancelled() => {}
            () = saying => {}
        }
    }

    async fn say(&self, connections: &Connections) -> sqlx::Result<()> {
        let is_there = self.is_there.lock().await;
        if !*is_there {
            return Ok(());
        }
        // A transaction says that it writes, whatever a session may do by default.
        let mut connection = connections.begin().await?;
        sqlx::query!(
            "WITH forgotten AS (DELETE FROM processes WHERE seen_at < now() - INTERVAL '1 day')
             INSERT INTO processes (id, seen_at) VALUES ($1, now())
             ON CONFLICT (id) DO UPDATE SET seen_at = now()",
            self.id
        )
        .execute(&mut connection)
        .await?;
        connection.commit().await
    }

    /// Says that the process is gone, if it said that it was there.
    pub(crate) async fn end(&self, connections: &Connections) {
        let ending = async {
            if std::mem::take(&mut *self.is_there.lock().await) {
                sqlx::query!("DELETE FROM processes WHERE id = $1", self.id)
                    .execute(connections)
                    .await
                    .ok();
            }
        };
        timeout(FAREWELL_TIMEOUT, ending).await.ok();
    }
}

/// Whether a server waits to say that it is there, while this connection has the table locked.
pub async fn is_awaited(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "SELECT EXISTS (
             SELECT FROM pg_locks
             WHERE NOT granted AND relation = to_regclass('processes')
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
    )
    .persistent(false)
    .fetch_one(connection)
    .await
}

/// Whether a server has the database open, is halted, or was killed less than 30 seconds ago.
pub(crate) async fn is_in_use(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "SELECT EXISTS (
             SELECT FROM processes AS p
             WHERE seen_at > now() - INTERVAL '30 seconds' OR EXISTS (
                 SELECT FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'hato-server ' || p.id))",
    )
    .persistent(false)
    .fetch_one(connection)
    .await
}
