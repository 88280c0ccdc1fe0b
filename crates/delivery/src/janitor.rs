//! Removes what is too old (CONTRACT 1, `HATO_RETENTION_DAYS`).
//!
//! It does so in steps of 500 rows with a pause after each: a database with one writer would otherwise accept no sends while a million
//! rows are removed.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{Clock, Store, StoreError};
use hato_service::{APP_PURGE_BATCH_SIZE, IDEMPOTENCY_TTL, MAX_KEPT_ATTEMPTS};

use crate::push::DeliverySettings;
use crate::shutdown::Shutdown;

/// How long it waits between two sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);
/// Rows of a kind that are removed at a time.
const STEP_ROWS: u32 = 500;
/// The pause between two steps, in which others write.
const STEP_DELAY: Duration = Duration::from_millis(20);

/// Keeps the store from growing for ever. Any number of processes may run one.
pub struct Janitor {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    retention: Duration,
}

/// A kind of rows that become too old.
#[derive(Clone, Copy, Debug)]
enum PurgeKind {
    DeletedApps,
    Sends,
    DeactivatedSubscriptions,
    Sessions,
    GitHubLogins,
    IdempotencyKeys,
    Webhooks,
}

/// All kinds, in the order in which they are removed.
const PURGE_KINDS: [PurgeKind; 7] = [
    PurgeKind::DeletedApps,
    PurgeKind::Sends,
    PurgeKind::DeactivatedSubscriptions,
    PurgeKind::Sessions,
    PurgeKind::GitHubLogins,
    PurgeKind::IdempotencyKeys,
    PurgeKind::Webhooks,
];

impl Janitor {
    /// A janitor of `store` that keeps things for `settings.retention_days`.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: &DeliverySettings) -> Self {
        Self {
            store,
            clock,
            retention: Duration::from_hours(24) * settings.retention_days,
        }
    }

    /// Removes at once and then again and again, until asked to stop.
    pub async fn run(self, shutdown: Shutdown) {
        tokio::select! {
            () = shutdown.draining() => {}
            () = self.sweep_repeatedly() => {}
        }
    }

    /// Removes everything that is too old now. A kind that cannot be removed is logged and keeps no other from being removed.
    pub async fn sweep(&self) {
        for kind in PURGE_KINDS {
            if let Err(error) = self.remove(kind).await {
                tracing::warn!(?kind, %error, "what is too old cannot be removed");
            }
        }
    }

    async fn sweep_repeatedly(&self) {
        loop {
            self.sweep().await;
            tokio::time::sleep(SWEEP_INTERVAL).await;
        }
    }

    async fn remove(&self, kind: PurgeKind) -> Result<(), StoreError> {
        while self.step(kind).await? {
            tokio::time::sleep(STEP_DELAY).await;
        }
        Ok(())
    }

    /// Removes up to 500 rows of a kind, and tells whether more may be left.
    async fn step(&self, kind: PurgeKind) -> Result<bool, StoreError> {
        let (store, now) = (&self.store, self.clock.now());
        let old: UnixMillis = now.minus(self.retention);
        match kind {
            PurgeKind::DeletedApps => store.purge_deleted_apps(APP_PURGE_BATCH_SIZE).await,
            PurgeKind::Sends => store.purge_sends(old, STEP_ROWS).await,
            PurgeKind::DeactivatedSubscriptions => {
                store.purge_deactivated_subscriptions(old, STEP_ROWS).await
            }
            PurgeKind::Sessions => store.purge_sessions(now, STEP_ROWS).await,
            PurgeKind::GitHubLogins => store.purge_github_logins(now, STEP_ROWS).await,
            PurgeKind::IdempotencyKeys => {
                store
                    .purge_idempotency_keys(now.minus(IDEMPOTENCY_TTL), STEP_ROWS)
                    .await
            }
            PurgeKind::Webhooks => store.purge_webhooks(MAX_KEPT_ATTEMPTS, STEP_ROWS).await,
        }
    }
}
