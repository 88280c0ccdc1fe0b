//! Hato's use cases, and the ports through which they reach the world.
//!
//! REST handlers, the dashboard's server functions and operator commands are thin adapters over [`Service`]. What a caller
//! may do is a value (`access`) that only authentication makes, and each use case takes the one it needs: forgetting a
//! check does not compile.

pub mod access;
mod accounts;
mod apps;
mod dead_letters;
mod error;
mod github;
mod history;
mod keys;
mod last_used;
mod notifier;
mod operator;
mod paging;
mod password_hash;
pub mod ports;
mod secrets;
mod sends;
mod sessions;
mod settings;
mod stats;
mod subscriptions;
mod webhooks;
mod wire;

pub use apps::APP_PURGE_BATCH_SIZE;
pub use error::{ServiceError, ServiceResult};
pub use github::{GithubLogin, GithubUser};
pub use keys::{KEY_PREFIX, NewKey};
pub use notifier::{AppNotifier, Notifier};
pub use secrets::{Sealer, Secrets, UnsealError};
pub use sends::{IDEMPOTENCY_TTL, IdempotentRequest, SendReceipt};
pub use sessions::{AuthenticatedSession, ListedSession, SESSION_LIFETIME};
pub use settings::ServiceSettings;
pub use stats::AppOverview;
pub use subscriptions::Registration;
pub use webhooks::{MAX_KEPT_ATTEMPTS, WebhookDetails, event_body, new_secret};

use std::sync::Arc;

use hato_domain::UnixMillis;
use ports::{Clock, Store};

/// The use cases, over one store.
pub struct Service {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    secrets: Secrets,
    settings: ServiceSettings,
    notifier: Notifier,
    last_used: last_used::LastUsed,
    hasher: password_hash::Hasher,
}

impl Service {
    /// The use cases over `store`.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        settings: ServiceSettings,
        notifier: Notifier,
    ) -> Self {
        let last_used = last_used::LastUsed::default();
        let hasher = password_hash::Hasher::default();
        Self {
            store,
            clock,
            secrets,
            settings,
            notifier,
            last_used,
            hasher,
        }
    }

    /// The settings that the use cases go by.
    pub fn settings(&self) -> &ServiceSettings {
        &self.settings
    }

    /// Now.
    pub fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// Whether the database answers.
    pub async fn is_ready(&self) -> bool {
        self.store.ping().await.is_ok()
    }
}
