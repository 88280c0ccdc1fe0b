//! The work on one page: its recipients are read, pushed to and settled.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use hato_domain::{ErrorCode, FailureReason, Pace, Tracking};
use hato_service::ports::{DeliveryQueue, Recipient, Settlement, StoreError, VapidKeyNumber};
use hato_service::{SealPurpose, SendTokens, UnsealError};
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

use super::leased_page::LeasedPage;
use super::slots::Slot;
use crate::TRACED;
use crate::metrics::PageTally;
use crate::push::push_sender::{DispatchCountdown, PageSigners, PushJob};
use crate::push::settlement_plan::{PushOutcomes, all_failed, machine_wait, settlement, ttl_left};
use crate::push::vapid::{MalformedKeyError, Signer};
use crate::shutdown::Shutdown;

/// The wait before a page is tried again whose app's private key cannot be opened: an operator has to act.
const SIGNING_KEY_RETRY_DELAY: Duration = Duration::from_mins(1);
/// The wait before a page is tried again whose recipients could not be read.
const READ_RETRY_DELAY: Duration = Duration::from_secs(5);
/// The wait before a page is tried again that panics even when it is given up.
const POISONED_PAGE_DELAY: Duration = Duration::from_hours(1);
/// Recipients of a page that leaves its slot as soon as it only waits for responses.
const SMALL_PAGE: usize = 32;
/// The pause between two attempts to park a page.
const PARK_RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// The app's private key cannot be used.
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

/// Why a page is released undelivered.
enum ReleaseReason {
    /// The engine is stopped, and nothing is known yet.
    Stopped,
    /// The claim was answered when its lease had ended: another process may be at it.
    Late,
    /// Another process has it, and nothing is known yet.
    Lost,
    /// This machine could not try anybody; it may for so long as well be left alone.
    ThisMachine(Duration),
    SigningKey(SigningKeyError),
    Read(StoreError),
}

/// The work on a claimed page.
pub struct PageTask<Q: ?Sized> {
    pub leased: LeasedPage<Q>,
    /// No later than the time by which the page was claimed.
    pub claimed_at: Instant,
    pub shutdown: Shutdown,
}

impl<Q: DeliveryQueue + Send + Sync + ?Sized> PageTask<Q> {
    /// Delivers the page and settles it. A panic on the way releases it instead.
    pub async fn run(self, mut slot: Slot) {
        // Dropped before the slot is free, for the next claim may find this very page, released.
        let task = self;
        let span = task.span();
        let delivery = AssertUnwindSafe(task.deliver_leased(&mut slot).instrument(span));
        let delivery = delivery.catch_unwind();
        let panic_counts = &task.leased.context.panic_counts;
        match delivery.await {
            Ok(()) => panic_counts.forget(task.leased.guard.lease().job),
            Err(_) => task.after_panic().await,
        }
    }

    fn span(&self) -> Span {
        let page = &self.leased.page;
        let (send, app, attempt) = (&page.send_id, &page.app_id, page.attempt);
        tracing::info_span!(target: TRACED, "page", %send, %app, attempt)
    }

    async fn deliver_leased(&self, slot: &mut Slot) {
        tokio::select! {
            () = self.deliver(slot) => {}
            never = self.leased.keep_lease(self.claimed_at) => match never {},
        }
    }

    async fn deliver(&self, slot: &mut Slot) {
        match self.attempt(slot).await {
            Ok((settlement, tally)) => self.leased.settle(settlement, tally, &self.shutdown).await,
            Err(reason) => self.leased.release(self.release_wait(reason)).await,
        }
    }

    /// The wait before a page that is released for this reason, which is logged, is tried again.
    fn release_wait(&self, reason: ReleaseReason) -> Duration {
        let page = &self.leased.page;
        match reason {
            ReleaseReason::Stopped => Duration::ZERO,
            ReleaseReason::Late => {
                tracing::warn!(send = %page.send_id, "a page's lease had ended when its claim was answered");
                Duration::ZERO
            }
            ReleaseReason::Lost => {
                self.leased.after_losing_lease();
                Duration::ZERO
            }
            ReleaseReason::ThisMachine(wait) => {
                tracing::debug!(send = %page.send_id, ?wait, "a page waits: no connections");
                wait
            }
            ReleaseReason::SigningKey(error) => {
                tracing::error!(app = %page.app_id, %error, "a page waits: no VAPID key");
                SIGNING_KEY_RETRY_DELAY
            }
            ReleaseReason::Read(error) => {
                tracing::error!(send = %page.send_id, %error, "a page waits: no recipients");
                READ_RETRY_DELAY
            }
        }
    }

    /// What is to be recorded of the page, and counted when it is.
    async fn attempt(&self, slot: &mut Slot) -> Result<(Settlement, PageTally), ReleaseReason> {
        let (context, page) = (&self.leased.context, &self.leased.page);
        if self.claimed_at.elapsed() >= context.settings.lease {
            return Err(ReleaseReason::Late);
        }
        let recipients = context.queue.recipients(page).await;
        let recipients = recipients.map_err(ReleaseReason::Read)?;
        let Some(ttl) = ttl_left(page, self.leased.now()) else {
            return Ok(self.out_of_time(&recipients));
        };
        let signers = self.signers(&recipients).await?;
        let mut outcomes = self.push(slot, &signers, ttl, &recipients).await;
        if outcomes.is_empty() && !recipients.is_empty() {
            let is_lost = self.leased.lost.is_cancelled();
            return Err(if is_lost {
                ReleaseReason::Lost
            } else {
                ReleaseReason::Stopped
            });
        }
        let now = self.leased.now();
        if let Some(wait) = machine_wait(page, &recipients, &outcomes, now) {
            return Err(ReleaseReason::ThisMachine(wait));
        }
        let sender = &context.push_sender;
        sender.schedule_deferred(&page.app_id, &recipients, &mut outcomes);
        let delays = &context.settings.retry_delays;
        let settlement = settlement(page, &recipients, &outcomes, delays, now);
        Ok(self.tallied(settlement, &recipients))
    }

    fn out_of_time(&self, recipients: &[Recipient]) -> (Settlement, PageTally) {
        let page = &self.leased.page;
        let (reason, attempts) = (FailureReason::OutOfTime, page.attempt);
        self.tallied(all_failed(page, recipients, reason, attempts), recipients)
    }

    fn tallied(&self, settlement: Settlement, recipients: &[Recipient]) -> (Settlement, PageTally) {
        let tally = PageTally::new(&settlement, self.leased.page.attempt, recipients);
        (settlement, tally)
    }

    /// The signers of all recipients. Nearly always they have the primary key, which has come with the page.
    async fn signers(&self, recipients: &[Recipient]) -> Result<PageSigners, ReleaseReason> {
        let page = &self.leased.page;
        let primary = self.signer(page.vapid_key, &page.sealed_private_key);
        let primary = primary.map_err(ReleaseReason::SigningKey)?;
        let keys = recipients.iter().map(|recipient| recipient.vapid_key);
        let other_keys: BTreeSet<_> = keys.filter(|key| *key != page.vapid_key).collect();
        let mut others = Vec::with_capacity(other_keys.len());
        for key in other_keys {
            if let Some(signer) = self.other_signer(key).await? {
                others.push((key, signer));
            }
        }
        let primary = (page.vapid_key, primary);
        Ok(PageSigners { primary, others })
    }

    /// The signer of a key that is not the primary one; `None` when the app has no such key any more.
    async fn other_signer(
        &self,
        key: VapidKeyNumber,
    ) -> Result<Option<Arc<Signer>>, ReleaseReason> {
        let (context, page) = (&self.leased.context, &self.leased.page);
        if let Some(signer) = context.push_sender.kept_signer(page, key) {
            return Ok(Some(signer));
        }
        let sealed = context.queue.sealed_vapid_key(&page.app_id, key).await;
        let sealed = sealed.map_err(ReleaseReason::Read)?;
        let signer = sealed.map(|sealed| self.signer(key, &sealed));
        signer.transpose().map_err(ReleaseReason::SigningKey)
    }

    /// The signer with the sealed private key.
    fn signer(
        &self,
        key: VapidKeyNumber,
        private_key: &[u8],
    ) -> Result<Arc<Signer>, SigningKeyError> {
        let (context, page) = (&self.leased.context, &self.leased.page);
        if let Some(signer) = context.push_sender.kept_signer(page, key) {
            return Ok(signer);
        }
        let sealer = context.secrets.sealer()?;
        let document = sealer.open(SealPurpose::VapidKey, &page.app_id, private_key)?;
        Ok(context.push_sender.keep_signer(page, key, &document)?)
    }

    /// The outcomes that are known when all are, or when the engine is asked to stop now or has lost the page: who has it now sends to
    /// everybody whose outcome it does not find.
    async fn push(
        &self,
        slot: &mut Slot,
        signers: &PageSigners,
        ttl: Duration,
        recipients: &[Recipient],
    ) -> PushOutcomes {
        let countdown = DispatchCountdown::new(recipients.len());
        let tokens = self.tokens();
        let deliveries = self.leased.context.push_sender.deliver(PushJob {
            page: &self.leased.page,
            signers,
            tokens: tokens.as_ref(),
            ttl,
            recipients,
            begin_by: self.begin_by(),
            countdown: &countdown,
        });
        let unknown = AtomicUsize::new(recipients.len());
        let stopped = async {
            tokio::select! {
                () = self.shutdown.aborting() => {}
                () = self.leased.lost.cancelled() => {}
            }
        };
        let mut deliveries = pin!(deliveries.take_until(stopped));
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

    /// What makes the tokens of its messages, if the app counts what becomes of them.
    fn tokens(&self) -> Option<SendTokens> {
        let (context, page) = (&self.leased.context, &self.leased.page);
        if page.messages.tracking == Tracking::Off {
            return None;
        }
        let tokens = context.secrets.engagement_tokens().ok()?;
        tokens.of_send(&page.send_id, context.clock.now())
    }

    /// Until when its requests may begin, if the send is paced: what the queue hands out later is counted from then on.
    fn begin_by(&self) -> Option<Instant> {
        let is_paced = self.leased.page.is_paced();
        is_paced.then(|| self.claimed_at + Pace::BEGIN_WITHIN)
    }

    /// Leaves the slot when the page only waits for responses: a small page at once, or single sends would go out at the rate of
    /// slots per round trip; a large one when that takes long, because what is parked is held in memory.
    async fn park(
        &self,
        slot: &mut Slot,
        recipients: usize,
        countdown: &DispatchCountdown,
        unknown: &AtomicUsize,
    ) {
        countdown.wait().await;
        if unknown.load(Ordering::Relaxed) > SMALL_PAGE {
            tokio::time::sleep(self.leased.context.settings.park_after).await;
        }
        while !slot.park(recipients, unknown.load(Ordering::Relaxed)) {
            tokio::time::sleep(PARK_RETRY_INTERVAL).await;
        }
    }

    /// Gives the page back after the delivery has panicked, each time for longer; after the last retry its recipients have
    /// finally failed. A page that panics even then stays in the queue.
    async fn after_panic(&self) {
        let (context, job) = (&self.leased.context, self.leased.guard.lease().job);
        let before = context.panic_counts.count(job);
        tracing::error!(send = %self.leased.page.send_id, before, "the work on a page panicked");
        if let Some(wait) = context.settings.retry_delays.get(before) {
            return self.leased.release(*wait).await;
        }
        match AssertUnwindSafe(self.give_up()).catch_unwind().await {
            Ok(Ok(())) => context.panic_counts.forget(job),
            _ => self.leased.release(POISONED_PAGE_DELAY).await,
        }
    }

    async fn give_up(&self) -> Result<(), StoreError> {
        let page = &self.leased.page;
        let recipients = self.leased.context.queue.recipients(page).await?;
        let (reason, attempts) = (FailureReason::Unreachable, page.attempt + 1);
        let settlement = all_failed(page, &recipients, reason, attempts);
        let (settlement, tally) = self.tallied(settlement, &recipients);
        self.leased.settle(settlement, tally, &self.shutdown).await;
        Ok(())
    }
}
