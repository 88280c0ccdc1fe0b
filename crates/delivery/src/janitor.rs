//! Removes what is too old (CONTRACT 1, `HATO_RETENTION_DAYS`), in small steps between which others write.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{Clock, Store, StoreError};
use hato_service::{PURGED_AT_ONCE, REPEATABLE_FOR, SHOWN_ATTEMPTS};

use crate::settings::DeliverySettings;
use crate::shutdown::Shutdown;

/// How long it rests between two rounds.
const INTERVAL: Duration = Duration::from_mins(1);
/// Rows of a kind that are removed at a time.
const STEP: u32 = 500;
/// The pause between two steps, in which others write.
const PAUSE: Duration = Duration::from_millis(20);

/// Keeps the store from growing for ever.
pub struct Janitor {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    retention: Duration,
}

/// What is removed, in this order.
#[derive(Clone, Copy, Debug)]
enum Kind {
    DeletedApps,
    Sends,
    DeactivatedSubscriptions,
    Sessions,
    GitHubLogins,
    RequestNames,
    Webhooks,
}

const KINDS: [Kind; 7] = [
    Kind::DeletedApps,
    Kind::Sends,
    Kind::DeactivatedSubscriptions,
    Kind::Sessions,
    Kind::GitHubLogins,
    Kind::RequestNames,
    Kind::Webhooks,
];

impl Janitor {
    /// One for `store` that goes by `settings`.
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
            () = self.rounds() => {}
        }
    }

    /// Removes everything that is too old now; what cannot be removed keeps nothing else.
    pub async fn sweep(&self) {
        for kind in KINDS {
            if let Err(error) = self.remove(kind).await {
                tracing::warn!(?kind, %error, "what is too old cannot be removed");
            }
        }
    }

    async fn rounds(&self) {
        loop {
            self.sweep().await;
            tokio::time::sleep(INTERVAL).await;
        }
    }

    async fn remove(&self, kind: Kind) -> Result<(), StoreError> {
        while self.step(kind).await? {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    async fn step(&self, kind: Kind) -> Result<bool, StoreError> {
        let (store, now) = (&self.store, self.clock.now());
        let old: UnixMillis = now.minus(self.retention);
        match kind {
            Kind::DeletedApps => store.purge_deleted_apps(PURGED_AT_ONCE).await,
            Kind::Sends => store.purge_sends(old, STEP).await,
            Kind::DeactivatedSubscriptions => {
                store.purge_deactivated_subscriptions(old, STEP).await
            }
            Kind::Sessions => store.purge_sessions(now, STEP).await,
            Kind::GitHubLogins => store.purge_github_logins(now, STEP).await,
            Kind::RequestNames => {
                store
                    .purge_idempotency_keys(now.minus(REPEATABLE_FOR), STEP)
                    .await
            }
            Kind::Webhooks => store.purge_webhooks(SHOWN_ATTEMPTS, STEP).await,
        }
    }
}
