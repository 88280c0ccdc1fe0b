//! What the pages of an engine share.

use std::sync::Arc;

use hato_service::ports::Clock;
use hato_service::{Notifier, Secrets};

use super::lease_registry::LeaseRegistry;
use super::panic_counts::PanicCounts;
use super::slots::Slots;
use crate::due_time_repair::DueTimeRepair;
use crate::failure_log::FailureLog;
use crate::metrics::HostDeliveries;
use crate::push::push_sender::PushSender;
use crate::push::settings::DeliverySettings;

/// What an engine and its pages work with, made once.
pub struct EngineContext<Q: ?Sized> {
    pub queue: Arc<Q>,
    pub clock: Arc<dyn Clock>,
    pub secrets: Secrets,
    pub notifier: Notifier,
    pub push_sender: PushSender,
    pub slots: Arc<Slots>,
    pub leases: Arc<LeaseRegistry>,
    pub panic_counts: PanicCounts,
    pub due_time_repair: DueTimeRepair,
    pub host_deliveries: HostDeliveries,
    pub failures: PageFailures,
    pub settings: DeliverySettings,
}

/// How the store fails the pages of an engine.
pub struct PageFailures {
    pub claims: FailureLog,
    pub renewals: FailureLog,
    pub settlements: FailureLog,
}

impl Default for PageFailures {
    fn default() -> Self {
        Self {
            claims: FailureLog::new("the queue cannot be asked", "the queue can be asked again"),
            renewals: FailureLog::new("a lease cannot be renewed", "leases are renewed again"),
            settlements: FailureLog::new("a page cannot be settled yet", "pages are settled again"),
        }
    }
}
