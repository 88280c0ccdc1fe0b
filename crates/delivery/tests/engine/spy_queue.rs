//! The store's queue, which records what passes through it, and can be made to fail.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{
    ClaimedPage, DeliveryQueue, NextPage, PageClaimRequest, PageLease, Recipient, SettleOutcome,
    Settlement, Store, StoreError, VapidKeyNumber,
};
use tokio::sync::Notify;
use tokio::time::Instant;

/// What has passed, and what shall go wrong.
#[derive(Default)]
pub struct QueueLog {
    /// How many pages were claimed.
    pub claims: usize,
    /// How often the lease of a page was renewed.
    pub renewals: usize,
    /// Settlements recorded, in order.
    pub settlements: Vec<Settlement>,
    /// When released pages are due again, in order.
    pub releases: Vec<UnixMillis>,
    /// Settlements that will fail before one is recorded.
    pub failing_settlements: usize,
    /// Looks at a page's recipients that will panic.
    pub panics: usize,
    /// How far the clock of who claims is said to be ahead of the pages', ms.
    pub clock_lead: i64,
    /// Claims that will be answered when their lease has ended and a page was settled.
    pub late_claims: usize,
}

impl QueueLog {
    /// How many were sent.
    pub fn sent(&self) -> usize {
        self.settlements.iter().map(|it| it.sent.len()).sum()
    }

    /// What was queued again by the last settlement: attempt, due time and number of recipients.
    pub fn retries(&self) -> Vec<(u8, UnixMillis, usize)> {
        let last = self.settlements.last().expect("a settlement");
        let jobs = last.retries.iter();
        jobs.map(|it| (it.attempt, it.due_at, it.recipients.len()))
            .collect()
    }
}

/// The queue of a store.
pub struct SpyQueue {
    store: Arc<dyn Store>,
    log: Mutex<QueueLog>,
    changed: Notify,
}

impl SpyQueue {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            log: Mutex::default(),
            changed: Notify::new(),
        }
    }

    pub fn log(&self) -> MutexGuard<'_, QueueLog> {
        self.log.lock().expect("no panic while it was held")
    }

    /// Resolves once `done` holds.
    pub async fn wait_until(&self, done: impl Fn(&QueueLog) -> bool) {
        loop {
            let changed = self.changed.notified();
            if done(&self.log()) {
                return;
            }
            changed.await;
        }
    }

    fn record(&self, record: impl FnOnce(&mut QueueLog)) {
        record(&mut self.log());
        self.changed.notify_waiters();
    }

    /// Whether a failure is left to happen, which it uses up.
    fn take_failure(&self, left: impl FnOnce(&mut QueueLog) -> &mut usize) -> bool {
        let mut log = self.log();
        let left = left(&mut log);
        let happens = *left > 0;
        *left -= usize::from(happens);
        happens
    }
}

#[async_trait]
impl DeliveryQueue for SpyQueue {
    async fn claim_page(&self, claim: PageClaimRequest) -> Result<NextPage, StoreError> {
        let asked_at = Instant::now();
        let lease = claim.lease;
        let mut next = self.store.claim_page(claim).await?;
        if let NextPage::Claimed(page) = &mut next {
            page.clock_lead = self.log().clock_lead;
            self.record(|log| log.claims += 1);
            if self.take_failure(|log| &mut log.late_claims) {
                self.wait_until(|log| !log.settlements.is_empty()).await;
                tokio::time::sleep_until(asked_at + lease).await;
            }
        }
        Ok(next)
    }

    async fn repair_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError> {
        self.store.repair_due_times(now, lease, longest_wait).await
    }

    async fn recipients(&self, page: &ClaimedPage) -> Result<Vec<Recipient>, StoreError> {
        assert!(!self.take_failure(|log| &mut log.panics), "asked to panic");
        self.store.recipients(page).await
    }

    async fn sealed_vapid_key(
        &self,
        app: &AppId,
        key: VapidKeyNumber,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.sealed_vapid_key(app, key).await
    }

    async fn renew_lease(
        &self,
        lease: PageLease,
        now: UnixMillis,
        lasting: Duration,
    ) -> Result<bool, StoreError> {
        let renewed = self.store.renew_lease(lease, now, lasting).await?;
        self.record(|log| log.renewals += 1);
        Ok(renewed)
    }

    async fn settle(
        &self,
        page: &ClaimedPage,
        settlement: Settlement,
        now: UnixMillis,
    ) -> Result<SettleOutcome, StoreError> {
        if self.take_failure(|log| &mut log.failing_settlements) {
            return Err(StoreError {
                context: "settle a page",
                is_overload: false,
                source: "asked to fail".into(),
            });
        }
        let settled = self.store.settle(page, settlement.clone(), now).await?;
        if settled == SettleOutcome::Recorded {
            self.record(|log| log.settlements.push(settlement));
        }
        Ok(settled)
    }

    async fn release(
        &self,
        lease: PageLease,
        now: UnixMillis,
        wait: Duration,
    ) -> Result<(), StoreError> {
        self.store.release(lease, now, wait).await?;
        self.record(|log| log.releases.push(now.plus(wait)));
        Ok(())
    }
}
