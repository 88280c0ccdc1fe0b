//! One page in the engine, from its recipients to its settlement.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use hato_domain::{ErrorCode, FailureReason};
use hato_service::UnsealError;
use hato_service::ports::{
    ClaimedPage, DeliveryQueue, Recipient, SettleOutcome, Settlement, StoreError,
};

use super::lease_registry::LeaseGuard;
use super::slots::Slot;
use super::{Engine, EngineShared};
use crate::metrics;
use crate::push::push_sender::{DispatchCountdown, PushJob};
use crate::push::settlement::{PushOutcomes, all_failed, settlement, ttl_left};
use crate::push::vapid::{MalformedKeyError, Signer};
use crate::retry::retry_until_shutdown;
use crate::shutdown::Shutdown;

/// The wait before a page is tried again whose app's private key cannot be opened: an operator has to act.
const SIGNING_KEY_RETRY_DELAY: Duration = Duration::from_mins(1);
/// The wait before a page is tried again whose recipients could not be read.
const READ_RETRY_DELAY: Duration = Duration::from_secs(5);
/// The wait before a page is tried again that panics even when it is given up.
const POISONED_PAGE_DELAY: Duration = Duration::from_hours(1);
/// Recipients of a page that leaves its slot as soon as it only waits for answers.
const SMALL_PAGE: usize = 32;
/// The pause between two attempts to park a page.
const PARK_RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// The app's private key is not to be had.
#[derive(Debug, thiserror::Error)]
enum SigningKeyError {
    #[error("the encryption key is not configured (HATO_ENCRYPTION_KEY)")]
    NotConfigured,
    #[error(transparent)]
    Sealed(#[from] UnsealError),
    #[error(transparent)]
    MalformedKey(#[from] MalformedKeyError),
}

impl From<ErrorCode> for SigningKeyError {
    fn from(_: ErrorCode) -> Self {
        Self::NotConfigured
    }
}

/// Why a page is given back undelivered.
enum ReleaseReason {
    SigningKey(SigningKeyError),
    Read(StoreError),
}

/// A claimed page with all that it takes to deliver it.
pub(super) struct PageTask<Q: ?Sized> {
    pub(super) engine: Engine<Q>,
    pub(super) page: ClaimedPage,
    pub(super) guard: LeaseGuard,
    pub(super) shutdown: Shutdown,
}

impl<Q: DeliveryQueue + Send + Sync + ?Sized + 'static> PageTask<Q> {
    /// Delivers the page and settles it, renewing its lease all the while.
    pub(super) async fn deliver(&self, slot: &mut Slot) {
        tokio::select! {
            () = self.run(slot) => {}
            never = self.keep_lease() => match never {},
        }
    }

    /// Gives the page back after the delivery has panicked, each time for longer; after the last retry its recipients have
    /// finally failed. A page that panics even then stays in the queue.
    pub(super) async fn after_panic(&self) {
        let before = self.shared().panic_counts.count(self.guard.lease().job);
        tracing::error!(send = %self.page.send_id, before, "the work on a page panicked");
        if let Some(wait) = self.shared().settings.retry_delays.get(before) {
            return self.release(*wait).await;
        }
        match AssertUnwindSafe(self.give_up()).catch_unwind().await {
            Ok(Ok(())) => self.shared().panic_counts.forget(self.guard.lease().job),
            _ => self.release(POISONED_PAGE_DELAY).await,
        }
    }

    async fn give_up(&self) -> Result<(), StoreError> {
        let recipients = self.engine.queue.recipients(&self.page).await?;
        let settlement = all_failed(&self.page, &recipients, FailureReason::Unreachable);
        self.settle(settlement).await;
        Ok(())
    }

    async fn run(&self, slot: &mut Slot) {
        match self.attempt(slot).await {
            Ok(Some(settlement)) => self.settle(settlement).await,
            Ok(None) => self.release(Duration::ZERO).await,
            Err(ReleaseReason::SigningKey(cause)) => {
                tracing::error!(app = %self.page.app_id, %cause, "a page waits: no VAPID key");
                self.release(SIGNING_KEY_RETRY_DELAY).await;
            }
            Err(ReleaseReason::Read(cause)) => {
                tracing::error!(send = %self.page.send_id, %cause, "a page waits: no recipients");
                self.release(READ_RETRY_DELAY).await;
            }
        }
    }

    /// What became of the page; None when it was interrupted before anything was known.
    async fn attempt(&self, slot: &mut Slot) -> Result<Option<Settlement>, ReleaseReason> {
        let EngineShared {
            clock, settings, ..
        } = self.shared();
        let recipients = self.engine.queue.recipients(&self.page).await;
        let recipients = recipients.map_err(ReleaseReason::Read)?;
        let Some(ttl) = ttl_left(&self.page, clock.now()) else {
            let settlement = all_failed(&self.page, &recipients, FailureReason::OutOfTime);
            return Ok(Some(settlement));
        };
        let signer = self.signer().map_err(ReleaseReason::SigningKey)?;
        let outcomes = self.push(slot, &signer, ttl, &recipients).await;
        if outcomes.is_empty() && !recipients.is_empty() {
            return Ok(None);
        }
        let settlement = settlement(
            &self.page,
            &recipients,
            &outcomes,
            &settings.retry_delays,
            clock.now(),
        );
        Ok(Some(settlement))
    }

    fn signer(&self) -> Result<std::sync::Arc<Signer>, SigningKeyError> {
        let (shared, page) = (self.shared(), &self.page);
        shared.push_sender.signer(page, || {
            Ok(shared
                .secrets
                .sealer()?
                .open(page.app_id.as_str(), &page.sealed_private_key)?)
        })
    }

    /// The outcomes that are known when all are, or when the engine is asked to stop now.
    async fn push(
        &self,
        slot: &mut Slot,
        signer: &Signer,
        ttl: Duration,
        recipients: &[Recipient],
    ) -> PushOutcomes {
        let countdown = DispatchCountdown::new(recipients.len());
        let deliveries = self.shared().push_sender.deliver(PushJob {
            page: &self.page,
            signer,
            ttl,
            recipients,
            countdown: &countdown,
        });
        let unknown = AtomicUsize::new(recipients.len());
        let mut deliveries = pin!(deliveries.take_until(self.shutdown.aborting()));
        let recipients = recipients.len();
        let mut parking = pin!(self.park(slot, recipients, &countdown, &unknown).fuse());
        let mut outcomes = PushOutcomes::with_capacity(recipients);
        loop {
            tokio::select! {
                biased;
                next = deliveries.next() => match next {
                    Some((recipient, outcome)) => {
                        outcomes.insert(recipient, outcome);
                        unknown.fetch_sub(1, Ordering::Relaxed);
                    }
                    None => return outcomes,
                },
                () = &mut parking => {}
            }
        }
    }

    /// Leaves the slot when the page only waits for answers: a small page at once, for one that is kept from its next page by
    /// each latency would send to a few recipients a second; a large one when that takes long.
    async fn park(
        &self,
        slot: &mut Slot,
        recipients: usize,
        countdown: &DispatchCountdown,
        unknown: &AtomicUsize,
    ) {
        countdown.wait().await;
        if unknown.load(Ordering::Relaxed) > SMALL_PAGE {
            tokio::time::sleep(self.shared().settings.park_after).await;
        }
        while !slot.park(recipients, unknown.load(Ordering::Relaxed)) {
            tokio::time::sleep(PARK_RETRY_INTERVAL).await;
        }
    }

    fn shared(&self) -> &EngineShared {
        &self.engine.shared
    }

    async fn settle(&self, settlement: Settlement) {
        let settled = retry_until_shutdown(&self.shutdown, || async {
            let settled = self.try_settle(&settlement).await;
            let settled = settled.inspect_err(|error| {
                tracing::error!(send = %self.page.send_id, %error, "a page cannot be settled yet");
            });
            settled.ok()
        });
        match settled.await {
            Some(SettleOutcome::Recorded) => self.after_recording(&settlement),
            Some(SettleOutcome::RecordedWithEvents) => {
                self.after_recording(&settlement);
                self.shared().notifier.notify_event(&self.page.app_id);
            }
            Some(SettleOutcome::LeaseLost) => {
                tracing::warn!(send = %self.page.send_id, "a page's lease was lost: nothing recorded");
            }
            None => {
                tracing::error!(send = %self.page.send_id, "a page is left to its next claim");
            }
        }
    }

    async fn try_settle(&self, settlement: &Settlement) -> Result<SettleOutcome, StoreError> {
        loop {
            let (lease, now) = (self.guard.lease(), self.shared().clock.now());
            let page = ClaimedPage {
                lease,
                ..self.page.clone()
            };
            let settled = self.engine.queue.settle(&page, settlement.clone(), now);
            match settled.await? {
                SettleOutcome::LeaseLost if self.guard.lease() != lease => {}
                settled => return Ok(settled),
            }
        }
    }

    fn after_recording(&self, settlement: &Settlement) {
        metrics::count_deliveries(settlement, self.page.attempt);
        if !settlement.retries.is_empty() {
            self.shared().notifier.notify();
        }
    }

    /// A page that cannot be given back is due again when its lease ends.
    async fn release(&self, wait: Duration) {
        let due_at = self.shared().clock.now().plus(wait);
        if let Err(error) = self.engine.queue.release(self.guard.lease(), due_at).await {
            tracing::warn!(send = %self.page.send_id, %error, "a page cannot be given back");
        }
    }

    async fn keep_lease(&self) -> std::convert::Infallible {
        let Self { engine, page, .. } = self;
        let lease = self.shared().settings.lease;
        loop {
            tokio::time::sleep(lease / 3).await;
            let until = self.shared().clock.now().plus(lease);
            if let Err(error) = engine
                .queue
                .renew_leases(&[self.guard.lease()], until)
                .await
            {
                tracing::warn!(send = %page.send_id, %error, "a lease cannot be renewed");
            }
        }
    }
}
