//! A claimed page and its lease: renewed while the page is worked on, and ended by settling or releasing the page.
//!
//! Every write names the lease's token, and the store does nothing when another claim has replaced it. So a page whose process was
//! paused too long cannot be counted twice, however late it comes (a fencing token, as Kleppmann describes in *How to do distributed
//! locking*, 2016).

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{ClaimedPage, DeliveryQueue, SettleOutcome, Settlement, StoreError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::context::EngineContext;
use super::lease_registry::LeaseGuard;
use crate::lease_renewal::renew_repeatedly;
use crate::metrics::{self, PageTally};
use crate::shutdown::Shutdown;
use crate::store_retry::retry_until_shutdown;

/// A claimed page, in work in this process.
pub struct LeasedPage<Q: ?Sized> {
    pub context: Arc<EngineContext<Q>>,
    pub page: ClaimedPage,
    pub guard: LeaseGuard,
    /// Cancelled when another process has the page.
    pub lost: CancellationToken,
}

impl<Q: DeliveryQueue + Send + Sync + ?Sized> LeasedPage<Q> {
    /// Renews the lease of a page that was claimed no later than `claimed_at`. When somebody else has it, the page is lost.
    pub async fn keep_lease(&self, claimed_at: Instant) -> Infallible {
        let lease = self.context.settings.lease;
        renew_repeatedly(lease, claimed_at, || async {
            let now = self.context.clock.now();
            let held = self.guard.lease();
            let renewed = self.context.queue.renew_lease(held, now, lease).await;
            let renewed = self.context.failures.renewals.record(renewed);
            if matches!(renewed, Ok(false)) && self.guard.lease() == held {
                self.lost.cancel();
            }
            ControlFlow::Continue(())
        })
        .await
    }

    /// Records what became of the page, removes it from the queue and counts its `tally`. A store that fails is asked again until `shutdown` is
    /// at its end: giving up would deliver the page once more.
    pub async fn settle(&self, settlement: Settlement, tally: PageTally, shutdown: &Shutdown) {
        let has_failed = AtomicBool::new(false);
        let settled = retry_until_shutdown(shutdown, || async {
            let settled = self.try_settle(&settlement).await;
            let settled = self.context.failures.settlements.record(settled);
            has_failed.fetch_or(settled.is_err(), Ordering::Relaxed);
            settled.ok()
        });
        match settled.await {
            Some(SettleOutcome::Recorded) => self.after_recording(&settlement, &tally),
            Some(SettleOutcome::RecordedWithEvents) => {
                self.after_recording(&settlement, &tally);
                self.context.notifier.notify_event(&self.page.app_id);
            }
            Some(SettleOutcome::LeaseLost) if has_failed.into_inner() => {
                self.after_recording_or_losing_lease();
            }
            Some(SettleOutcome::LeaseLost) => self.after_losing_lease(),
            None => {
                tracing::error!(send = %self.page.send_id, "a page is left to its next claim");
            }
        }
    }

    /// The time by the page's clock.
    pub fn now(&self) -> UnixMillis {
        self.page.time(self.context.clock.now())
    }

    /// Releases the page, due again after `wait`. A page that cannot be released is due when its lease ends.
    pub async fn release(&self, wait: Duration) {
        let (lease, now) = (self.guard.lease(), self.context.clock.now());
        let released = self.context.queue.release(lease, now, wait);
        if let Err(error) = released.await {
            tracing::warn!(send = %self.page.send_id, %error, "a page cannot be released");
        }
    }

    /// Settles under the lease of now. When it is lost because this very process has claimed the page again meanwhile, the work
    /// goes on under the new lease.
    async fn try_settle(&self, settlement: &Settlement) -> Result<SettleOutcome, StoreError> {
        loop {
            let (lease, now) = (self.guard.lease(), self.now());
            let page = ClaimedPage {
                lease,
                ..self.page.clone()
            };
            let settled = self.context.queue.settle(&page, settlement.clone(), now);
            match settled.await? {
                SettleOutcome::LeaseLost if self.guard.lease() != lease => {}
                settled => return Ok(settled),
            }
        }
    }

    /// Says that another process has the page.
    pub fn after_losing_lease(&self) {
        metrics::count_lost_lease();
        tracing::warn!(send = %self.page.send_id, "a page's lease was lost: nothing recorded");
    }

    /// A commit that was not answered may have recorded the page. Who goes on with what is left of the send is woken in either case, and the page is
    /// not counted: its next holder would count it as well.
    fn after_recording_or_losing_lease(&self) {
        metrics::count_lost_lease();
        tracing::warn!(send = %self.page.send_id, "a page's lease was lost, or a commit without an answer has recorded it");
        self.context.notifier.notify();
        self.context.notifier.notify_event(&self.page.app_id);
    }

    fn after_recording(&self, settlement: &Settlement, tally: &PageTally) {
        metrics::count_deliveries(tally);
        self.context.host_deliveries.add(tally);
        let delay = self.now().since(self.page.accepted_at);
        metrics::record_delay(delay, settlement.sent.len());
        if !settlement.retries.is_empty() {
            self.context.notifier.notify();
        }
    }
}
