//! The store as a whole: whether it answers, what its processes share, and its end.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::UnixMillis;
use hato_service::Notifier;
use hato_service::ports::{Clock, EntranceWindow, RateWindow, RequestLimit, Store, StoreError};
use tokio::time::timeout;

use crate::dialect::may_claim;
use crate::error::with_context;
use crate::failure::is_locked_out;
use crate::rate_windows::{self, SharedEntrance, SharedWindow};
use crate::transaction::transaction;
use crate::wake_ups::relay;
use crate::{Database, sweep_lease};

/// How long the connections may take to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads a page of a table.
const PROBE_QUERY: &str = "SELECT id FROM accounts LIMIT 1";

#[async_trait]
impl Store for Database {
    async fn ping(&self) -> Result<(), StoreError> {
        // In a transaction that may write, which no standby begins.
        transaction!(self, "probe the database", |c| {
            sqlx::query(PROBE_QUERY).fetch_optional(c).await.map(drop)
        })
    }

    async fn give_back_space(&self) -> Result<bool, StoreError> {
        // PostgreSQL's autovacuum does.
        Ok(false)
    }

    fn rate_window(self: Arc<Self>, limit: RequestLimit) -> Option<Arc<dyn RateWindow>> {
        Some(Arc::new(SharedWindow {
            database: self,
            limit,
        }))
    }

    fn entrance_window(
        self: Arc<Self>,
        client: RequestLimit,
        site: RequestLimit,
    ) -> Option<Arc<dyn EntranceWindow>> {
        Some(Arc::new(SharedEntrance {
            database: self,
            client,
            site,
        }))
    }

    async fn purge_rate_windows(&self, limit: u32) -> Result<bool, StoreError> {
        transaction!(self, "remove ended windows", |c| {
            rate_windows::purge(c, limit.into()).await
        })
    }

    async fn lease_sweep(
        &self,
        holder: i64,
        now: UnixMillis,
        lease: Duration,
    ) -> Result<bool, StoreError> {
        if !may_claim(self, now).await? {
            return Ok(false);
        }
        transaction!(self, "take the lease of the sweep", |c| {
            sweep_lease::take(c, holder, lease).await
        })
    }

    async fn end_sweep(&self, holder: i64) -> Result<(), StoreError> {
        transaction!(self, "end the lease of the sweep", |c| {
            sweep_lease::end(c, holder).await
        })
    }

    async fn announce_server(&self) -> Result<(), StoreError> {
        match self.presence.begin(&self.connections).await {
            Err(error) if is_locked_out(&error) => Err(with_context("announce the server")(error)),
            Err(error) => {
                tracing::warn!(%error, "a copy of the database would not notice this server yet");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    async fn relay_wake_ups(&self, notifier: &Notifier) {
        tokio::join!(
            relay(&self.connections, notifier, self.listens),
            self.presence.keep(&self.connections),
            self.later_migrations.keep_reporting(&self.connections)
        );
    }

    async fn compare_clock(&self, clock: &dyn Clock) -> Result<(), StoreError> {
        let compared = self.clock_check.compare(&self.connections, clock).await;
        compared.map_err(with_context("compare the clock"))
    }

    async fn close(&self) {
        self.writes.close();
        self.writes.wait().await;
        self.presence.end(&self.connections).await;
        // One that fell silent would be waited for for longer.
        timeout(CLOSE_TIMEOUT, self.connections.close()).await.ok();
    }
}
