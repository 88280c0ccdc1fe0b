//! Which servers have the database open: each says so when it starts, and now and then, in the table `processes`. One whose connections bear
//! its name has it open for as long as there is one of them, halted or not, and is gone with the last when it is killed. Of any other,
//! connections tell nothing: a pooler keeps its own, and closes them as it likes. It is gone when it has been silent for long.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Executor as _, PgConnection};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::connections::Connections;

/// Between two signs of life. Who has been silent for 30 s, and whose connections bear no name of its own, is gone.
const INTERVAL: Duration = Duration::from_secs(10);

/// With what the names begin that connections bear.
const NAME: &str = "hato-server";

/// How long saying goodbye may take: whoever does not hear it waits a little.
const FAREWELL_TIMEOUT: Duration = Duration::from_millis(500);

/// A process's own row.
#[derive(Debug)]
pub(crate) struct Presence {
    /// A name that the process has made up: the one that its connections bear, if they do.
    id: String,
    /// Whether it says that it is there.
    is_there: Mutex<bool>,
}

impl Presence {
    /// One that says nothing yet, of a process behind a pooler: connections would not be its own there, and would be renamed for each
    /// transaction.
    pub(crate) fn pooled() -> Self {
        Self {
            id: Uuid::now_v7().to_string(),
            is_there: Mutex::new(false),
        }
    }

    /// One that says nothing yet, and options for connections that bear its name, unless somebody has given them another one.
    pub(crate) fn of_connections(options: PgConnectOptions) -> (Self, PgConnectOptions) {
        let mut presence = Self::pooled();
        if options.get_application_name().is_some() {
            return (presence, options);
        }
        presence.id = format!("{NAME} {}", presence.id);
        let options = options.application_name(&presence.id);
        (presence, options)
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
            () = connections.pool.close_event() => {}
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

/// Whether a server has come since this connection has the tables locked, or found its database again.
pub async fn is_awaited(connection: &mut PgConnection) -> sqlx::Result<bool> {
    // A transaction sees the same sessions again and again otherwise.
    connection
        .execute("SELECT pg_stat_clear_snapshot()")
        .await?;
    let waits: bool = sqlx::query_scalar(
        "SELECT EXISTS (
             SELECT FROM pg_locks
             WHERE NOT granted AND relation = to_regclass('processes')
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
    )
    .persistent(false)
    .fetch_one(&mut *connection)
    .await?;
    Ok(waits || is_in_use(connection).await?)
}

/// Whether a server has the database open, is halted, or, where its connections bear no name of its own, was killed less than 30 seconds
/// ago.
pub(crate) async fn is_in_use(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "SELECT EXISTS (
             SELECT FROM processes AS p
             WHERE CASE WHEN starts_with(p.id, $1) THEN EXISTS (
                     SELECT FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = p.id)
                 ELSE seen_at > now() - INTERVAL '30 seconds' END)",
    )
    .bind(NAME)
    .persistent(false)
    .fetch_one(connection)
    .await
}
