//! The loop that keeps pages moving: a slot, a claim, a task, and a settlement that is never lost.
//!
//! In this file pages are claimed; [`page_task`] reads a page's recipients, pushes to them and settles; [`leased_page`] holds the lease
//! meanwhile. [`slots`] and [`fairness`] decide whose page is next, and [`idle_claim`] remembers that nobody's is.

mod context;
mod fairness;
mod idle_claim;
mod lease_registry;
mod leased_page;
mod observer;
mod page_task;
mod panic_counts;
mod slots;

use std::sync::Arc;
use std::time::Duration;

use hato_domain::{AppId, UnixMillis};
use hato_outbound::RootStoreError;
use hato_service::ports::{
    ClaimedPage, Clock, DeliveryQueue, NextPage, PageClaimRequest, StoreError,
};
use hato_service::{Notifier, Secrets, jittered};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::due_time_repair::{DueTimeRepair, longest_job_wait};
use crate::metrics::{HostDeliveries, count_unreadable_job};
use crate::push::push_sender::PushSender;
use crate::push::settings::DeliverySettings;
use crate::shutdown::Shutdown;
use context::{EngineContext, PageFailures};
use fairness::FairnessWindow;
use idle_claim::IdleClaim;
use leased_page::LeasedPage;
pub use observer::EngineObserver;
use page_task::PageTask;
use panic_counts::PanicCounts;
use slots::Slots;

/// The wait after a claim failed.
const CLAIM_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The wait before another claim while others are claiming all that is due; cut by chance. A claim takes a few milliseconds.
const CONTENDED_CLAIM_DELAY: Duration = Duration::from_millis(10);

/// How many such claims follow each other before the engine looks whether it is to stop.
const MAX_CONTENDED_CLAIMS: u32 = 3;

/// Delivers what is queued, with as many pages in flight as the settings allow.
///
/// Any number of engines, in one process or in many, may deliver one queue: a claimed page is leased to one of them.
pub struct Engine<Q: ?Sized>(Arc<EngineContext<Q>>);

impl<Q: DeliveryQueue + Send + Sync + ?Sized + 'static> Engine<Q> {
    /// An engine over `queue`, which looks at the queue when `notifier` says so. Fails when the additional trusted roots are
    /// unusable.
    pub fn new(
        queue: Arc<Q>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        notifier: Notifier,
        settings: DeliverySettings,
    ) -> Result<Self, RootStoreError> {
        let slots = Slots::new(settings.pages_in_flight, settings.max_parked_recipients);
        Ok(Self(Arc::new(EngineContext {
            queue,
            push_sender: PushSender::new(&settings, Arc::clone(&clock))?,
            clock,
            secrets,
            notifier,
            slots: Arc::new(slots),
            leases: Arc::default(),
            panic_counts: PanicCounts::default(),
            due_time_repair: DueTimeRepair::default(),
            host_deliveries: HostDeliveries::default(),
            failures: PageFailures::default(),
            settings,
        })))
    }

    /// Delivers until asked to stop, and returns when nothing is in flight any more.
    pub async fn run(self, shutdown: Shutdown) {
        let working = async {
            let pages = TaskTracker::new();
            self.claim_pages(&pages, &shutdown).await;
            pages.close();
            pages.wait().await;
        };
        tokio::select! {
            () = working => {}
            () = self.0.push_sender.close_idle() => {}
        }
    }

    /// Delivers what is due, one page after the other, and returns when nothing is.
    pub async fn run_until_idle(&self) -> Result<(), StoreError> {
        tokio::select! {
            delivered = self.deliver_due() => delivered,
            () = self.0.push_sender.close_idle() => Ok(()),
        }
    }

    async fn deliver_due(&self) -> Result<(), StoreError> {
        let shutdown = Shutdown::new();
        while let Some(permit) = self.0.slots.permit().await {
            let asked_at = Instant::now();
            match self.claim(&[], false).await? {
                NextPage::Claimed(page) => {
                    if let Some(work) = self.begin((*page, asked_at), permit, &shutdown) {
                        work.await;
                    }
                }
                NextPage::Unreadable { .. } => {}
                NextPage::Idle { next_due } if self.is_due(next_due) => {}
                NextPage::Idle { .. } => break,
            }
        }
        Ok(())
    }

    /// No claim without a permit, which becomes the page's slot and moves into its task: a panic there gives it back as well.
    async fn claim_pages(&self, pages: &TaskTracker, shutdown: &Shutdown) {
        let (mut fairness, mut idle_claim) = (FairnessWindow::default(), IdleClaim::default());
        loop {
            let permit = tokio::select! {
                biased;
                () = shutdown.draining() => return,
                Some(permit) = self.0.slots.permit() => permit,
            };
            // Listening begins before the claim: what is queued in between wakes it.
            let notified = self.0.notifier.notified();
            let at_quota = self.0.slots.at_quota();
            let asked_at = Instant::now();
            let next = self.next_page(&mut fairness, &mut idle_claim, &at_quota);
            match self.0.failures.claims.record(next.await) {
                Ok(NextPage::Claimed(page)) => {
                    if let Some(work) = self.begin((*page, asked_at), permit, shutdown) {
                        pages.spawn(work);
                    }
                }
                Ok(NextPage::Unreadable { .. }) => {}
                Ok(NextPage::Idle { next_due }) => {
                    drop(permit);
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = notified => idle_claim.forget(),
                        () = self.wait(next_due, &at_quota) => {}
                    }
                }
                Err(_) => {
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = tokio::time::sleep(CLAIM_RETRY_DELAY) => {}
                    }
                }
            }
        }
    }

    /// Whether the claim that found nothing to deliver has left something that may be claimed at once.
    fn is_due(&self, next_due: Option<UnixMillis>) -> bool {
        next_due.is_some_and(|due| due <= self.0.clock.now())
    }

    /// The work on a claimed page; None when the page is in work already, which then goes on under the new lease.
    fn begin(
        &self,
        (page, claimed_at): (ClaimedPage, Instant),
        permit: OwnedSemaphorePermit,
        shutdown: &Shutdown,
    ) -> Option<impl Future<Output = ()> + Send + 'static + use<Q>> {
        let Some(guard) = self.0.leases.register(page.lease) else {
            tracing::warn!(send = %page.send_id, "a page in work was due again");
            return None;
        };
        let slot = self.0.slots.fill(permit, &page.app_id);
        let context = Arc::clone(&self.0);
        let task = PageTask {
            leased: LeasedPage {
                context,
                page,
                guard,
                lost: CancellationToken::new(),
            },
            claimed_at,
            shutdown: shutdown.clone(),
        };
        Some(task.run(slot))
    }

    /// The page that has been due longest, of an app that does not have its share; now and then, of an app that had no turn
    /// lately.
    async fn next_page(
        &self,
        fairness: &mut FairnessWindow,
        idle_claim: &mut IdleClaim,
        at_quota: &[AppId],
    ) -> Result<NextPage, StoreError> {
        if let Some(left) = idle_claim.lasts(at_quota) {
            let next_due = Some(self.0.clock.now().plus(left));
            return Ok(NextPage::Idle { next_due });
        }
        let mut next = NextPage::Idle { next_due: None };
        if let Some(served) = fairness.apps_to_skip() {
            next = self.claim(&[at_quota, &served].concat(), false).await?;
        }
        if matches!(next, NextPage::Idle { .. }) {
            next = self.claim_contended(at_quota).await?;
        }
        match &next {
            NextPage::Claimed(page) => {
                fairness.record(&page.app_id);
                idle_claim.claimed(&page.app_id);
            }
            NextPage::Idle { next_due } => {
                idle_claim.remember(at_quota.to_vec(), self.idle_time(*next_due));
            }
            NextPage::Unreadable { .. } => {}
        }
        Ok(next)
    }

    /// Claims again while others are claiming all that is due. The rest of what is found then is left in two parts, so that workers that
    /// meet at a broadcast soon have one each.
    async fn claim_contended(&self, excluded_apps: &[AppId]) -> Result<NextPage, StoreError> {
        let mut next = self.claim(excluded_apps, false).await?;
        for _ in 0..MAX_CONTENDED_CLAIMS {
            let now = self.0.clock.now();
            if !matches!(next, NextPage::Idle { next_due: Some(due) } if due <= now) {
                break;
            }
            tokio::time::sleep(jittered(CONTENDED_CLAIM_DELAY)).await;
            next = self.claim(excluded_apps, true).await?;
        }
        Ok(next)
    }

    async fn claim(
        &self,
        excluded_apps: &[AppId],
        splits_rest: bool,
    ) -> Result<NextPage, StoreError> {
        let now = self.0.clock.now();
        if self.0.due_time_repair.is_needed(now) {
            self.repair_due_times(now).await?;
        }
        let request = PageClaimRequest {
            now,
            lease: self.0.settings.lease,
            max_recipients: self.0.settings.page_size,
            excluded_apps: excluded_apps.to_vec(),
            splits_rest,
        };
        let next = self.0.queue.claim_page(request).await?;
        report_unreadable(&next);
        Ok(next)
    }

    async fn repair_due_times(&self, now: UnixMillis) -> Result<(), StoreError> {
        let settings = &self.0.settings;
        let longest = longest_job_wait(&settings.retry_delays);
        let repairing = self.0.queue.repair_due_times(now, settings.lease, longest);
        repairing.await?;
        self.0.due_time_repair.mark_done(now);
        Ok(())
    }

    /// Waits until something may be due, or an app that had its share may have more.
    async fn wait(&self, next_due: Option<UnixMillis>, at_quota: &[AppId]) {
        tokio::select! {
            () = self.0.slots.changed(), if !at_quota.is_empty() => {}
            () = tokio::time::sleep(self.idle_time(next_due)) => {}
        }
    }

    /// Cut by chance, so that the processes of a fleet do not ask together.
    fn idle_time(&self, next_due: Option<UnixMillis>) -> Duration {
        let longest = jittered(self.0.settings.poll_interval);
        next_due.map_or(longest, |due| due.since(self.0.clock.now()).min(longest))
    }
}

fn report_unreadable(next: &NextPage) {
    if let NextPage::Unreadable { job, error } = next {
        tracing::error!(job = job.0, %error, "a job cannot be read: it is put off for an hour");
        count_unreadable_job();
    }
}
