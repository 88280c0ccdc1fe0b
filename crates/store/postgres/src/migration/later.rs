//! The migrations of later versions, whose processes run beside this one's during an upgrade.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use super::applied::{applied, last_later};
use crate::connections::Connections;

/// Between two looks.
const INTERVAL: Duration = Duration::from_secs(10);

/// The last migration of the database, if a later version has made it.
pub(crate) async fn later_migration(connections: &Connections) -> sqlx::Result<Option<i64>> {
    Ok(last_later(&applied(connections).await?))
}

/// What the log has of later versions.
#[derive(Debug, Default)]
pub(crate) struct LaterMigrations {
    /// The last migration that was reported.
    reported: Mutex<Option<i64>>,
}

impl LaterMigrations {
    /// Says so when a later version has migrated the database; this one goes on, since its tables are still as it knows them.
    pub(crate) async fn report(&self, connections: &Connections) -> sqlx::Result<()> {
        let later = later_migration(connections).await?;
        if self.is_news(later) {
            tracing::warn!(
                version = later,
                "the database was migrated by a later version; going on"
            );
        }
        Ok(())
    }

    /// Whether this is a later version's migration, and later than what was reported.
    fn is_news(&self, later: Option<i64>) -> bool {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = later > *reported;
        if is_news {
            *reported = later;
        }
        is_news
    }

    /// Reports them until the pool is closed.
    pub(crate) async fn keep_reporting(&self, connections: &Connections) {
        let reporting = async {
            loop {
                sleep(INTERVAL).await;
                if let Err(error) = self.report(connections).await {
                    tracing::debug!(%error, "the migrations of later versions were not looked up");
                }
            }
        };
        tokio::select! {
            () = connections.closed.cancelled() => {}
            () = reporting => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LaterMigrations;

    #[test]
    fn each_migration_is_news_once() {
        let later = LaterMigrations::default();
        let seen = [
            None,
            Some(9_998),
            Some(9_998),
            Some(9_999),
            None,
            Some(9_999),
        ];
        let news = seen.map(|migration| later.is_news(migration));
        assert_eq!(news, [false, true, false, true, false, false]);
    }
}
