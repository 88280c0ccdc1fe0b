//! One page's way through the engine, from its recipients to its settlement.

use std::time::Duration;

use futures_util::StreamExt as _;
use hato_domain::{ErrorCode, FailureReason};
use hato_service::CannotOpen;
use hato_service::ports::{
    ClaimedPage, DeliveryQueue, Recipient, RecipientId, Settled, Settlement, StoreError,
};
use tokio::time::Instant;

use super::Engine;
use crate::settlement::{Outcomes, all_failed, settlement, ttl_left};
use crate::shutdown::Shutdown;
use crate::vapid::{BadKey, Signer};

/// The wait before a page is tried again whose app's private key cannot be opened: an operator has to act.
const LOCKED_WAIT: Duration = Duration::from_mins(1);
/// The wait before a page is tried again whose recipients could not be read.
const UNREAD_WAIT: Duration = Duration::from_secs(5);
/// The waits between attempts to settle: the first, and the longest.
const SETTLE_WAITS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How long a settlement is attempted, in leases; afterwards the page is somebody else's.
const SETTLE_LEASES: u32 = 5;
/// How long a settlement is attempted once the engine was asked to stop now.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

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

/// A claimed page with all that it takes to deliver it.
pub(super) struct Shift<Q: ?Sized> {
    pub(super) engine: Engine<Q>,
    pub(super) page: ClaimedPage,
    pub(super) shutdown: Shutdown,
}

impl<Q: DeliveryQueue + Send + Sync + ?Sized + 'static> Shift<Q> {
    /// Delivers the page and settles it, renewing its lease all the while.
    pub(super) async fn deliver(&self) {
        tokio::select! {
            () = self.see_through() => {}
            never = self.keep_lease() => match never {},
        }
    }

    async fn see_through(&self) {
        match self.attempt().await {
            Ok(Some(settlement)) => self.settle(settlement).await,
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

    /// What became of the page; None when it was interrupted before anything was known.
    async fn attempt(&self) -> Result<Option<Settlement>, GivenBack> {
        let recipients = self.engine.queue.recipients(&self.page).await;
        let recipients = recipients.map_err(GivenBack::Unread)?;
        let ids: Vec<RecipientId> = recipients.iter().map(|recipient| recipient.id).collect();
        let Some(ttl) = ttl_left(&self.page, self.engine.clock.now()) else {
            return Ok(Some(all_failed(&ids, FailureReason::OutOfTime)));
        };
        let signer = self.signer().map_err(GivenBack::Locked)?;
        let outcomes = self.push(&signer, ttl, recipients).await;
        if outcomes.is_empty() && !ids.is_empty() {
            return Ok(None);
        }
        let delays = &self.engine.settings.retry_delays;
        Ok(Some(settlement(
            &self.page,
            &ids,
            &outcomes,
            delays,
            self.engine.clock.now(),
        )))
    }

    fn signer(&self) -> Result<std::sync::Arc<Signer>, Locked> {
        let Self { engine, page, .. } = self;
        engine.courier.signer(page, || {
            Ok(engine
                .secrets
                .sealer()?
                .open(page.app_id.as_str(), &page.sealed_private_key)?)
        })
    }

    /// The outcomes that are known when all are, or when the engine is asked to stop now.
    async fn push(&self, signer: &Signer, ttl: Duration, recipients: Vec<Recipient>) -> Outcomes {
        let deliveries = self
            .engine
            .courier
            .deliver(&self.page, signer, ttl, recipients);
        deliveries
            .take_until(self.shutdown.aborting())
            .collect()
            .await
    }

    /// A store that fails is asked again, for what was delivered must not be delivered twice. Asking late does no harm: the
    /// lease's token fences.
    async fn settle(&self, settlement: Settlement) {
        let give_up = Instant::now() + self.engine.settings.lease * SETTLE_LEASES;
        let mut wait = SETTLE_WAITS.0;
        while let Err(error) = self.try_settle(&settlement).await {
            tracing::error!(send = %self.page.send_id, %error, "a page cannot be settled yet");
            if self.is_past(give_up) {
                tracing::error!(send = %self.page.send_id, "a page is left to its next claim");
                return;
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(SETTLE_WAITS.1);
        }
    }

    async fn try_settle(&self, settlement: &Settlement) -> Result<(), StoreError> {
        let Self { engine, page, .. } = self;
        let now = engine.clock.now();
        let will_retry = !settlement.retries.is_empty();
        match engine.queue.settle(page, settlement.clone(), now).await? {
            Settled::Recorded if will_retry => engine.wake.ring(),
            Settled::Recorded => {}
            Settled::LeaseLost => {
                tracing::warn!(send = %page.send_id, "a page's lease was lost: nothing recorded");
            }
        }
        Ok(())
    }

    fn is_past(&self, give_up: Instant) -> bool {
        let left = give_up.saturating_duration_since(Instant::now());
        let lease = self.engine.settings.lease * SETTLE_LEASES;
        left.is_zero()
            || (self.shutdown.is_aborting() && lease.saturating_sub(left) > LAST_PATIENCE)
    }

    /// A page that cannot be given back is due again when its lease ends.
    async fn release(&self, wait: Duration) {
        let due_at = self.engine.clock.now().plus(wait);
        if let Err(error) = self.engine.queue.release(self.page.lease, due_at).await {
            tracing::warn!(send = %self.page.send_id, %error, "a page cannot be given back");
        }
    }

    async fn keep_lease(&self) -> std::convert::Infallible {
        let Self { engine, page, .. } = self;
        let lease = engine.settings.lease;
        loop {
            tokio::time::sleep(lease / 3).await;
            let until = engine.clock.now().plus(lease);
            if let Err(error) = engine.queue.renew_leases(&[page.lease], until).await {
                tracing::warn!(send = %page.send_id, %error, "a lease cannot be renewed");
            }
        }
    }
}
