//! The loop that keeps pages moving: a slot, a claim, a task, and a settlement that is never lost.

pub(crate) mod clock_step;
mod fairness;
mod lease_registry;
mod page_task;
mod panic_counts;
mod slots;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use hato_domain::{AppId, UnixMillis};
use hato_outbound::RootStoreError;
use hato_service::ports::{
    ClaimedPage, Clock, DeliveryQueue, NextPage, PageClaimRequest, StoreError,
};
use hato_service::{Notifier, Secrets};
use tokio_util::task::TaskTracker;

use crate::push::push_sender::PushSender;
use crate::push::settings::DeliverySettings;
use crate::shutdown::Shutdown;
use clock_step::ClockStepDetector;
use fairness::FairnessWindow;
use lease_registry::{LeaseGuard, LeaseRegistry};
use page_task::PageTask;
use panic_counts::PanicCounts;
use slots::{Slot, Slots};

/// The wait after a claim failed.
const CLAIM_RETRY_DELAY: Duration = Duration::from_secs(1);
/// How often idle connections are looked for.
const EVICT_INTERVAL: Duration = Duration::from_secs(10);

/// Delivers what is queued, with as many pages in flight as the settings allow.
///
/// Cheap to clone: clones share their slots, connections and caches.
pub struct Engine<Q: ?Sized> {
    queue: Arc<Q>,
    shared: Arc<EngineShared>,
}

struct EngineShared {
    clock: Arc<dyn Clock>,
    secrets: Secrets,
    notifier: Notifier,
    push_sender: PushSender,
    slots: Arc<Slots>,
    leases: Arc<LeaseRegistry>,
    panic_counts: PanicCounts,
    clock_steps: ClockStepDetector,
    settings: DeliverySettings,
}

impl<Q: ?Sized> Clone for Engine<Q> {
    fn clone(&self) -> Self {
        Self {
            queue: Arc::clone(&self.queue),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<Q: DeliveryQueue + Send + Sync + ?Sized + 'static> Engine<Q> {
    /// An engine over `queue` that listens to `notifier`. Fails when the additional trusted roots are unusable.
    pub fn new(
        queue: Arc<Q>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        notifier: Notifier,
        settings: DeliverySettings,
    ) -> Result<Self, RootStoreError> {
        let slots = Slots::new(settings.pages_in_flight, settings.max_parked_recipients);
        let shared = EngineShared {
            push_sender: PushSender::new(&settings, Arc::clone(&clock))?,
            clock,
            secrets,
            notifier,
            slots: Arc::new(slots),
            leases: Arc::default(),
            panic_counts: PanicCounts::default(),
            clock_steps: ClockStepDetector::default(),
            settings,
        };
        Ok(Self {
            queue,
            shared: Arc::new(shared),
        })
    }

    /// Delivers until asked to stop, and returns when nothing is in flight any more.
    pub async fn run(self, shutdown: Shutdown) {
        let pages = TaskTracker::new();
        tokio::select! {
            () = self.claim_pages(&pages, &shutdown) => {}
            () = self.evict_idle() => {}
        }
        pages.close();
        pages.wait().await;
    }

    /// Delivers what is due, one page after the other, and returns when nothing is.
    pub async fn run_until_idle(&self) -> Result<(), StoreError> {
        let shutdown = Shutdown::new();
        while let Some(permit) = self.shared.slots.permit().await {
            let NextPage::Claimed(page) = self.claim(Vec::new()).await? else {
                break;
            };
            if let Some(guard) = self.shared.leases.register(page.lease) {
                let slot = self.shared.slots.fill(permit, &page.app_id);
                self.work(*page, guard, slot, &shutdown).await;
            }
        }
        Ok(())
    }

    /// No claim without a permit, which becomes the page's slot and moves into its task: a panic there gives it back as well.
    async fn claim_pages(&self, pages: &TaskTracker, shutdown: &Shutdown) {
        let mut fairness = FairnessWindow::default();
        loop {
            let permit = tokio::select! {
                biased;
                () = shutdown.draining() => return,
                Some(permit) = self.shared.slots.permit() => permit,
            };
            let notified = self.shared.notifier.notified();
            let at_quota = self.shared.slots.at_quota();
            match self.next_page(&mut fairness, &at_quota).await {
                Ok(NextPage::Claimed(page)) => {
                    let Some(guard) = self.shared.leases.register(page.lease) else {
                        tracing::warn!(send = %page.send_id, "a page in work was due again");
                        continue;
                    };
                    let slot = self.shared.slots.fill(permit, &page.app_id);
                    let (engine, shutdown) = (self.clone(), shutdown.clone());
                    pages.spawn(async move { engine.work(*page, guard, slot, &shutdown).await });
                }
                Ok(NextPage::Idle { next_due }) => {
                    drop(permit);
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = notified => {}
                        () = self.shared.slots.changed(), if !at_quota.is_empty() => {}
                        () = tokio::time::sleep(self.idle_time(next_due)) => {}
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "the queue cannot be asked");
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = tokio::time::sleep(CLAIM_RETRY_DELAY) => {}
                    }
                }
            }
        }
    }

    async fn work(
        &self,
        page: ClaimedPage,
        guard: LeaseGuard,
        mut slot: Slot,
        shutdown: &Shutdown,
    ) {
        let task = PageTask {
            engine: self.clone(),
            page,
            guard,
            shutdown: shutdown.clone(),
        };
        let delivery = AssertUnwindSafe(task.deliver(&mut slot)).catch_unwind();
        match delivery.await {
            Ok(()) => self.shared.panic_counts.forget(task.guard.lease().job),
            Err(_) => task.after_panic().await,
        }
    }

    /// The page that has been due longest, of an app that does not have its share; now and then, of an app that had no turn
    /// lately.
    async fn next_page(
        &self,
        fairness: &mut FairnessWindow,
        at_quota: &[AppId],
    ) -> Result<NextPage, StoreError> {
        let mut next = NextPage::Idle { next_due: None };
        if let Some(served) = fairness.apps_to_skip() {
            next = self.claim([at_quota, &served].concat()).await?;
        }
        if matches!(next, NextPage::Idle { .. }) {
            next = self.claim(at_quota.to_vec()).await?;
        }
        if let NextPage::Claimed(page) = &next {
            fairness.record(&page.app_id);
        }
        Ok(next)
    }

    async fn claim(&self, excluded_apps: Vec<AppId>) -> Result<NextPage, StoreError> {
        let DeliverySettings {
            lease, page_size, ..
        } = self.shared.settings;
        let now = self.shared.clock.now();
        if self.shared.clock_steps.has_stepped_back(now) {
            self.clamp_due_times(now).await?;
        }
        self.queue
            .claim_page(PageClaimRequest {
                now,
                lease,
                max_recipients: page_size,
                excluded_apps,
            })
            .await
    }

    async fn clamp_due_times(&self, now: UnixMillis) -> Result<(), StoreError> {
        let settings = &self.shared.settings;
        let longest = clock_step::longest_wait(&settings.retry_delays);
        self.queue
            .clamp_due_times(now, settings.lease, longest)
            .await?;
        self.shared.clock_steps.mark_clamped(now);
        Ok(())
    }

    fn idle_time(&self, next_due: Option<UnixMillis>) -> Duration {
        let longest = self.shared.settings.poll_interval;
        next_due.map_or(longest, |due| {
            due.since(self.shared.clock.now()).min(longest)
        })
    }

    async fn evict_idle(&self) {
        loop {
            tokio::time::sleep(EVICT_INTERVAL).await;
            self.shared.push_sender.evict_idle();
        }
    }
}
