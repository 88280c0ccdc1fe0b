//! One page's way through the engine, from its recipients to its settlement.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use hato_domain::{ErrorCode, FailureReason};
use hato_service::CannotOpen;
use hato_service::ports::{
    ClaimedPage, DeliveryQueue, Recipient, RecipientId, Settled, Settlement, StoreError,
};

use super::held::Hold;
use super::slots::Slot;
use super::{Engine, Shared};
use crate::courier::{Launch, Mail};
use crate::metrics;
use crate::perseverance::persist;
use crate::settlement::{Outcomes, all_failed, settlement, ttl_left};
use crate::shutdown::Shutdown;
use crate::vapid::{BadKey, Signer};

/// The wait before a page is tried again whose app's private key cannot be opened: an operator has to act.
const LOCKED_WAIT: Duration = Duration::from_mins(1);
/// The wait before a page is tried again whose recipients could not be read.
const UNREAD_WAIT: Duration = Duration::from_secs(5);
/// The wait before a page is tried again that panics even when it is given up.
const HOPELESS_WAIT: Duration = Duration::from_hours(1);
/// Recipients of a page that leaves its slot as soon as it only waits for answers.
const SMALL_PAGE: usize = 32;
/// The pause between two attempts to step aside.
const LOOK_ASIDE: Duration = Duration::from_millis(250);

/// The app's private key is not to be had.
#[derive(Debug, thiserror::Error)]
enum Locked {
    #[error("the encryption key is not configured (HATO_ENCRYPTION_KEY)")]
    NoSealer,
    #[error(transparent)]
    Sealed(#[from] CannotOpen),
    #[error(transparent)]
    BadKey(#[from] BadKey),
}

impl From<ErrorCode> for Locked {
    fn from(_: ErrorCode) -> Self {
        Self::NoSealer
    }
}

/// Why a page is given back undelivered.
enum GivenBack {
    Locked(Locked),
    Unread(StoreError),
}

/// Those who are not tried again.
fn final_ones(mut recipients: Vec<Recipient>, settlement: &Settlement) -> Vec<Recipient> {
    let again = settlement.retries.iter().flat_map(|job| &job.recipients);
    let again: HashSet<RecipientId> = again.copied().collect();
    recipients.retain(|recipient| !again.contains(&recipient.id));
    recipients
}

/// A claimed page with all that it takes to deliver it.
pub(super) struct Shift<Q: ?Sized> {
    pub(super) engine: Engine<Q>,
    pub(super) page: ClaimedPage,
    pub(super) hold: Hold,
    pub(super) shutdown: Shutdown,
}

impl<Q: DeliveryQueue + Send + Sync + ?Sized + 'static> Shift<Q> {
    /// Delivers the page and settles it, renewing its lease all the while.
    pub(super) async fn deliver(&self, slot: &mut Slot) {
        tokio::select! {
            () = self.see_through(slot) => {}
            never = self.keep_lease() => match never {},
        }
    }

    /// Gives the page back after the delivery has panicked, each time for longer; after the last retry its recipients have
    /// finally failed. A page that panics even then stays in the queue.
    pub(super) async fn after_panic(&self) {
        let before = self.shared().misfortunes.count(self.hold.lease().job);
        tracing::error!(send = %self.page.send_id, before, "the work on a page panicked");
        if let Some(wait) = self.shared().settings.retry_delays.get(before) {
            return self.release(*wait).await;
        }
        match AssertUnwindSafe(self.give_up()).catch_unwind().await {
            Ok(Ok(())) => self.shared().misfortunes.forget(self.hold.lease().job),
            _ => self.release(HOPELESS_WAIT).await,
        }
    }

    async fn give_up(&self) -> Result<(), StoreError> {
        let recipients = self.engine.queue.recipients(&self.page).await?;
        let settlement = all_failed(&self.page, &recipients, FailureReason::Unreachable);
        self.settle(settlement, recipients).await;
        Ok(())
    }

    async fn see_through(&self, slot: &mut Slot) {
        match self.attempt(slot).await {
            Ok(Some((settlement, recipients))) => self.settle(settlement, recipients).await,
            Ok(None) => self.release(Duration::ZERO).await,
            Err(GivenBack::Locked(cause)) => {
                tracing::error!(app = %self.page.app_id, %cause, "a page waits: no VAPID key");
                self.release(LOCKED_WAIT).await;
            }
            Err(GivenBack::Unread(cause)) => {
                tracing::error!(send = %self.page.send_id, %cause, "a page waits: no recipients");
                self.release(UNREAD_WAIT).await;
            }
        }
    }

    /// What became of the page, and of whom; None when it was interrupted before anything was known.
    async fn attempt(
        &self,
        slot: &mut Slot,
    ) -> Result<Option<(Settlement, Vec<Recipient>)>, GivenBack> {
        let Shared {
            clock, settings, ..
        } = self.shared();
        let recipients = self.engine.queue.recipients(&self.page).await;
        let recipients = recipients.map_err(GivenBack::Unread)?;
        let Some(ttl) = ttl_left(&self.page, clock.now()) else {
            let settlement = all_failed(&self.page, &recipients, FailureReason::OutOfTime);
            return Ok(Some((settlement, recipients)));
        };
        let signer = self.signer().map_err(GivenBack::Locked)?;
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
        Ok(Some((settlement, recipients)))
    }

    fn signer(&self) -> Result<std::sync::Arc<Signer>, Locked> {
        let (shared, page) = (self.shared(), &self.page);
        shared.courier.signer(page, || {
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
    ) -> Outcomes {
        let launch = Launch::of(recipients.len());
        let deliveries = self.shared().courier.deliver(Mail {
            page: &self.page,
            signer,
            ttl,
            recipients,
            launch: &launch,
        });
        let unknown = AtomicUsize::new(recipients.len());
        let mut deliveries = pin!(deliveries.take_until(self.shutdown.aborting()));
        let recipients = recipients.len();
        let mut aside = pin!(self.step_aside(slot, recipients, &launch, &unknown).fuse());
        let mut outcomes = Outcomes::with_capacity(recipients);
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
                () = &mut aside => {}
            }
        }
    }

    /// Leaves the slot when the page only waits for answers: a small page at once, for one that is kept from its next page by
    /// each latency would send to a few recipients a second; a large one when that takes long.
    async fn step_aside(
        &self,
        slot: &mut Slot,
        recipients: usize,
        launch: &Launch,
        unknown: &AtomicUsize,
    ) {
        launch.all().await;
        if unknown.load(Ordering::Relaxed) > SMALL_PAGE {
            tokio::time::sleep(self.shared().settings.page_patience).await;
        }
        while !slot.step_aside(recipients, unknown.load(Ordering::Relaxed)) {
            tokio::time::sleep(LOOK_ASIDE).await;
        }
    }

    fn shared(&self) -> &Shared {
        &self.engine.shared
    }

    async fn settle(&self, settlement: Settlement, recipients: Vec<Recipient>) {
        let settled = persist(&self.shutdown, || async {
            let settled = self.try_settle(&settlement).await;
            let settled = settled.inspect_err(|error| {
                tracing::error!(send = %self.page.send_id, %error, "a page cannot be settled yet");
            });
            settled.ok()
        });
        match settled.await {
            Some(Settled::Recorded) => self.after_recording(&settlement),
            Some(Settled::Announced { results }) => {
                self.after_recording(&settlement);
                if let Some(event) = results {
                    let named = final_ones(recipients, &settlement);
                    self.shared().handover.leave(event, named);
                }
                self.shared().wake.ring_for_event(&self.page.app_id);
            }
            Some(Settled::LeaseLost) => {
                tracing::warn!(send = %self.page.send_id, "a page's lease was lost: nothing recorded");
            }
            None => {
                tracing::error!(send = %self.page.send_id, "a page is left to its next claim");
            }
        }
    }

    async fn try_settle(&self, settlement: &Settlement) -> Result<Settled, StoreError> {
        loop {
            let (lease, now) = (self.hold.lease(), self.shared().clock.now());
            let page = ClaimedPage {
                lease,
                ..self.page.clone()
            };
            let settled = self.engine.queue.settle(&page, settlement.clone(), now);
            match settled.await? {
                Settled::LeaseLost if self.hold.lease() != lease => {}
                settled => return Ok(settled),
            }
        }
    }

    fn after_recording(&self, settlement: &Settlement) {
        metrics::count(settlement, self.page.attempt);
        if !settlement.retries.is_empty() {
            self.shared().wake.ring();
        }
    }

    /// A page that cannot be given back is due again when its lease ends.
    async fn release(&self, wait: Duration) {
        let due_at = self.shared().clock.now().plus(wait);
        if let Err(error) = self.engine.queue.release(self.hold.lease(), due_at).await {
            tracing::warn!(send = %self.page.send_id, %error, "a page cannot be given back");
        }
    }

    async fn keep_lease(&self) -> std::convert::Infallible {
        let Self { engine, page, .. } = self;
        let lease = self.shared().settings.lease;
        loop {
            tokio::time::sleep(lease / 3).await;
            let until = self.shared().clock.now().plus(lease);
            if let Err(error) = engine.queue.renew_leases(&[self.hold.lease()], until).await {
                tracing::warn!(send = %page.send_id, %error, "a lease cannot be renewed");
            }
        }
    }
}
