//! Which servers have the database open: each says so now and then, in the table `processes`. Connections would not tell: a pooler
//! keeps its own, and closes them as it likes.

use std::time::Duration;

use sqlx::PgConnection;
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::connections::Connections;

/// Between two signs of life. Who has been silent for 30 s is gone.
const INTERVAL: Duration = Duration::from_secs(10);

/// How long saying goodbye may take: whoever does not hear it waits a little.
const FAREWELL_TIMEOUT: Duration = Duration::from_millis(500);

/// A process's own row.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    /// A name that the process made up, while it says that it is there.
    id: Mutex<Option<String>>,
}

impl Presence {
    /// Says that the process is there, until the pool is closed.
    pub(crate) async fn keep(&self, connections: &Connections) {
        *self.id.lock().await = Some(Uuid::now_v7().to_string());
        let saying = async {
            loop {
                if let Err(error) = self.say(connections).await {
                    tracing::debug!(%error, "the database was not told that this process is there");
                }
                sleep(INTERVAL).await;
            }
        };
        tokio::select! {
            () = connections.pool.close_event() => {}
            () = saying => {}
        }
    }

    async fn say(&self, connections: &Connections) -> sqlx::Result<()> {
        let id = self.id.lock().await;
        let Some(id) = id.as_ref() else {
            return Ok(());
        };
        // A transaction says that it writes, whatever a session may do by default.
        let mut connection = connections.begin().await?;
        sqlx::query!(
            "WITH forgotten AS (DELETE FROM processes WHERE seen_at < now() - INTERVAL '1 day')
             INSERT INTO processes (id, seen_at) VALUES ($1, now())
             ON CONFLICT (id) DO UPDATE SET seen_at = now()",
            id
        )
        .execute(&mut connection)
        .await?;
        connection.commit().await
    }

    /// Says that the process is gone, if it said that it was there.
    pub(crate) async fn end(&self, connections: &Connections) {
        let ending = async {
            if let Some(id) = self.id.lock().await.take() {
                sqlx::query!("DELETE FROM processes WHERE id = $1", id)
                    .execute(connections)
                    .await
                    .ok();
            }
        };
        timeout(FAREWELL_TIMEOUT, ending).await.ok();
    }
}

/// Whether a server has the database open, or was killed less than 30 seconds ago.
pub async fn is_in_use(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM processes WHERE seen_at > now() - INTERVAL '30 seconds')",
    )
    .persistent(false)
    .fetch_one(connection)
    .await
}
