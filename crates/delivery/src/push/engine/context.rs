//! What the pages of an engine share.

use std::sync::Arc;

use hato_outbound::RootStoreError;
use hato_service::ports::Clock;
use hato_service::{Notifier, Secrets};

use super::lease_registry::LeaseRegistry;
use super::panic_counts::PanicCounts;
use super::slots::Slots;
use crate::clock_step::ClockStepDetector;
use crate::push::push_sender::PushSender;
use crate::push::settings::DeliverySettings;
use crate::recipient_cache::RecipientCache;

/// What an engine and its pages work with, made once.
pub struct EngineContext<Q: ?Sized> {
    pub queue: Arc<Q>,
    pub clock: Arc<dyn Clock>,
    pub secrets: Secrets,
    pub notifier: Notifier,
    pub recipient_cache: RecipientCache,
    pub push_sender: PushSender,
    pub slots: Arc<Slots>,
    pub leases: Arc<LeaseRegistry>,
    pub panic_counts: PanicCounts,
    pub clock_steps: ClockStepDetector,
    pub settings: DeliverySettings,
}

impl<Q: ?Sized> EngineContext<Q> {
    /// The context of an engine over `queue`.
    pub fn new(
        queue: Arc<Q>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        (notifier, recipient_cache): (Notifier, RecipientCache),
        settings: DeliverySettings,
    ) -> Result<Self, RootStoreError> {
        let slots = Slots::new(settings.pages_in_flight, settings.max_parked_recipients);
        Ok(Self {
            queue,
            push_sender: PushSender::new(&settings, Arc::clone(&clock))?,
            clock,
            secrets,
            notifier,
            recipient_cache,
            slots: Arc::new(slots),
            leases: Arc::default(),
            panic_counts: PanicCounts::default(),
            clock_steps: ClockStepDetector::default(),
            settings,
        })
    }
}
