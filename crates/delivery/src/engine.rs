//! The loop that keeps pages moving: a slot, a claim, a task, and a settlement that is never lost.

mod held;
mod misfortunes;
mod shift;
mod slots;
pub(crate) mod time_watch;
mod turns;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{Claim, ClaimedPage, Clock, DeliveryQueue, NextPage, StoreError};
use hato_service::{Secrets, Wake};
use tokio_util::task::TaskTracker;

use crate::courier::Courier;
use crate::handover::Handover;
use crate::roots::BadRoots;
use crate::settings::DeliverySettings;
use crate::shutdown::Shutdown;
use held::{Held, Hold};
use misfortunes::Misfortunes;
use shift::Shift;
use slots::{Slot, Slots};
use time_watch::TimeWatch;
use turns::Turns;

/// The pause after the queue could not be asked.
const PAUSE: Duration = Duration::from_secs(1);
/// How often idle connections are looked for.
const TIDY_INTERVAL: Duration = Duration::from_secs(10);

/// Delivers what is queued, with as many pages in flight as the settings allow.
///
/// Cheap to clone: clones share their slots, connections and caches.
pub struct Engine<Q: ?Sized> {
    queue: Arc<Q>,
    shared: Arc<Shared>,
}

struct Shared {
    clock: Arc<dyn Clock>,
    secrets: Secrets,
    wake: Wake,
    handover: Handover,
    courier: Courier,
    slots: Arc<Slots>,
    held: Arc<Held>,
    misfortunes: Misfortunes,
    time_watch: TimeWatch,
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
    /// An engine over `queue` that listens to `wake` and leaves in `handover` what the webhooks' sender would have to read again.
    /// Fails when the additional trusted roots are unusable.
    pub fn new(
        queue: Arc<Q>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        (wake, handover): (Wake, Handover),
        settings: DeliverySettings,
    ) -> Result<Self, BadRoots> {
        let slots = Slots::new(settings.pages_in_flight, settings.recipients_aside);
        let shared = Shared {
            courier: Courier::new(&settings, Arc::clone(&clock))?,
            clock,
            secrets,
            wake,
            handover,
            slots: Arc::new(slots),
            held: Arc::default(),
            misfortunes: Misfortunes::default(),
            time_watch: TimeWatch::default(),
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
            () = self.tidy() => {}
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
            if let Some(hold) = self.shared.held.take_up(page.lease) {
                let slot = self.shared.slots.fill(permit, &page.app_id);
                self.work(*page, hold, slot, &shutdown).await;
            }
        }
        Ok(())
    }

    /// No claim without a permit, which becomes the page's slot and moves into its task: a panic there gives it back as well.
    async fn claim_pages(&self, pages: &TaskTracker, shutdown: &Shutdown) {
        let mut turns = Turns::default();
        loop {
            let permit = tokio::select! {
                biased;
                () = shutdown.draining() => return,
                Some(permit) = self.shared.slots.permit() => permit,
            };
            let heard = self.shared.wake.heard();
            let sated = self.shared.slots.sated();
            match self.next_page(&mut turns, &sated).await {
                Ok(NextPage::Claimed(page)) => {
                    let Some(hold) = self.shared.held.take_up(page.lease) else {
                        tracing::warn!(send = %page.send_id, "a page in work was due again");
                        continue;
                    };
                    let slot = self.shared.slots.fill(permit, &page.app_id);
                    let (engine, shutdown) = (self.clone(), shutdown.clone());
                    pages.spawn(async move { engine.work(*page, hold, slot, &shutdown).await });
                }
                Ok(NextPage::Idle { next_due }) => {
                    drop(permit);
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = heard => {}
                        () = self.shared.slots.changed(), if !sated.is_empty() => {}
                        () = tokio::time::sleep(self.rest(next_due)) => {}
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "the queue cannot be asked");
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = tokio::time::sleep(PAUSE) => {}
                    }
                }
            }
        }
    }

    async fn work(&self, page: ClaimedPage, hold: Hold, mut slot: Slot, shutdown: &Shutdown) {
        let shift = Shift {
            engine: self.clone(),
            page,
            hold,
            shutdown: shutdown.clone(),
        };
        let delivery = AssertUnwindSafe(shift.deliver(&mut slot)).catch_unwind();
        match delivery.await {
            Ok(()) => self.shared.misfortunes.forget(shift.hold.lease().job),
            Err(_) => shift.after_panic().await,
        }
    }

    /// The page that has been due longest, of an app that does not have its share; now and then, of an app that had no turn
    /// lately.
    async fn next_page(&self, turns: &mut Turns, sated: &[AppId]) -> Result<NextPage, StoreError> {
        let mut next = NextPage::Idle { next_due: None };
        if let Some(served) = turns.others() {
            next = self.claim([sated, &served].concat()).await?;
        }
        if matches!(next, NextPage::Idle { .. }) {
            next = self.claim(sated.to_vec()).await?;
        }
        if let NextPage::Claimed(page) = &next {
            turns.took(&page.app_id);
        }
        Ok(next)
    }

    async fn claim(&self, passing_over: Vec<AppId>) -> Result<NextPage, StoreError> {
        let DeliverySettings {
            lease, page_size, ..
        } = self.shared.settings;
        let now = self.shared.clock.now();
        if self.shared.time_watch.has_stepped_back(now) {
            self.bring_forward(now).await?;
        }
        self.queue
            .claim_page(Claim {
                now,
                lease,
                max_recipients: page_size,
                passing_over,
            })
            .await
    }

    async fn bring_forward(&self, now: UnixMillis) -> Result<(), StoreError> {
        let settings = &self.shared.settings;
        let longest = time_watch::longest_wait(&settings.retry_delays);
        self.queue
            .bring_forward(now, settings.lease, longest)
            .await?;
        self.shared.time_watch.has_brought_forward(now);
        Ok(())
    }

    fn rest(&self, next_due: Option<UnixMillis>) -> Duration {
        let longest = self.shared.settings.poll_interval;
        next_due.map_or(longest, |due| {
            due.since(self.shared.clock.now()).min(longest)
        })
    }

    async fn tidy(&self) {
        loop {
            tokio::time::sleep(TIDY_INTERVAL).await;
            self.shared.courier.tidy();
        }
    }
}
