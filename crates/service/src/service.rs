//! The value that the use cases are methods of.

use std::sync::Arc;

use hato_domain::{AccountId, UnixMillis};
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use crate::engagement_reports::Reports;
use crate::heavy_reads::HeavyReads;
use crate::last_used::LastUsed;
use crate::notifier::Notifier;
use crate::password_hash::Hasher;
use crate::ports::{Clock, RateWindow, Store};
use crate::secrets::Secrets;
use crate::settings::ServiceSettings;

/// Where it is counted what the holders of `subscribe_only` keys do, by client address.
pub struct StrangerWindows {
    /// Counts registrations that make a new subscription.
    pub registrations: Arc<dyn RateWindow>,
    /// Counts registering again, changing and unsubscribing.
    pub changes: Arc<dyn RateWindow>,
}

/// The use cases over one store, shared by every request of a server.
pub struct Service {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) secrets: Secrets,
    pub(crate) settings: ServiceSettings,
    pub(crate) notifier: Notifier,
    pub(crate) last_used: LastUsed,
    pub(crate) hasher: Hasher,
    pub(crate) heavy_reads: HeavyReads<AccountId>,
    pub(crate) reports: Reports,
    pub(crate) strangers: Option<StrangerWindows>,
    /// Whose turn it is to cancel, which is one read after the other through all recipients.
    pub(crate) cancellations: HeavyReads<AccountId>,
    /// Whose turn it is to register many: everybody's registrations wait while one is written.
    pub(crate) bulk_registrations: HeavyReads<AccountId>,
    /// What goes on when its caller goes away.
    pub(crate) unattended: TaskTracker,
}

impl Service {
    /// Puts the use cases over `store`; the last uses of keys, the permits of the password hasher and the locks of heavy reads live
    /// in here.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        settings: ServiceSettings,
        notifier: Notifier,
    ) -> Self {
        Self {
            store,
            clock,
            secrets,
            settings,
            notifier,
            last_used: LastUsed::default(),
            hasher: Hasher::default(),
            heavy_reads: HeavyReads::default(),
            reports: Reports::default(),
            strangers: None,
            cancellations: HeavyReads::default(),
            bulk_registrations: HeavyReads::default(),
            unattended: TaskTracker::new(),
        }
    }

    /// Counts what strangers do to subscriptions in `strangers`; without that they may do it as often as they like (CONTRACT 18).
    #[must_use]
    pub fn limit_strangers(self, strangers: Option<StrangerWindows>) -> Self {
        Self { strangers, ..self }
    }

    /// Hashes passwords on the threads of `runtime`; without that, on those of the caller's.
    #[must_use]
    pub fn hash_in(self, runtime: Handle) -> Self {
        Self {
            hasher: Hasher::on(runtime),
            ..self
        }
    }

    /// Waits for what goes on without its caller. Nobody may call a use case any more.
    pub async fn finish(&self) {
        self.unattended.close();
        self.unattended.wait().await;
    }

    /// The operator's settings that the use cases go by.
    pub fn settings(&self) -> &ServiceSettings {
        &self.settings
    }

    /// The current time of the clock that was given.
    pub fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// Whether the database answers, which is what `/readyz` tells.
    pub async fn is_ready(&self) -> bool {
        self.store.ping().await.is_ok()
    }
}
