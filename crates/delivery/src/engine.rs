//! The loop that keeps pages moving: a permit, a claim, a task, and a settlement that is never lost.

mod shift;

use std::sync::Arc;
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{ClaimedPage, Clock, DeliveryQueue, NextPage, StoreError};
use hato_service::{Secrets, Wake};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::courier::Courier;
use crate::roots::BadRoots;
use crate::settings::DeliverySettings;
use crate::shutdown::Shutdown;
use shift::Shift;

/// The pause after the queue could not be asked.
const PAUSE: Duration = Duration::from_secs(1);
/// How often idle connections are looked for.
const TIDY_INTERVAL: Duration = Duration::from_secs(10);

/// Delivers what is queued, with as many pages in flight as the settings allow.
///
/// Cheap to clone: clones share their connections and caches.
pub struct Engine<Q: ?Sized> {
    queue: Arc<Q>,
    clock: Arc<dyn Clock>,
    secrets: Secrets,
    wake: Wake,
    courier: Arc<Courier>,
    settings: Arc<DeliverySettings>,
}

impl<Q: ?Sized> Clone for Engine<Q> {
    fn clone(&self) -> Self {
        Self {
            queue: Arc::clone(&self.queue),
            clock: Arc::clone(&self.clock),
            secrets: self.secrets.clone(),
            wake: self.wake.clone(),
            courier: Arc::clone(&self.courier),
            settings: Arc::clone(&self.settings),
        }
    }
}

impl<Q: DeliveryQueue + Send + Sync + ?Sized + 'static> Engine<Q> {
    /// An engine over `queue` that listens to `wake`. Fails when the additional trusted roots are unusable.
    pub fn new(
        queue: Arc<Q>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        wake: Wake,
        settings: DeliverySettings,
    ) -> Result<Self, BadRoots> {
        let courier = Arc::new(Courier::new(&settings, Arc::clone(&clock))?);
        Ok(Self {
            queue,
            clock,
            secrets,
            wake,
            courier,
            settings: Arc::new(settings),
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
        while let NextPage::Claimed(page) = self.claim().await? {
            self.shift(*page, &shutdown).deliver().await;
        }
        Ok(())
    }

    /// No claim without a permit, which moves into the page's task: a panic there gives it back as well.
    async fn claim_pages(&self, pages: &TaskTracker, shutdown: &Shutdown) {
        let permits = Arc::new(Semaphore::new(self.settings.pages_in_flight.max(1)));
        loop {
            let permit = tokio::select! {
                biased;
                () = shutdown.draining() => return,
                Ok(permit) = Arc::clone(&permits).acquire_owned() => permit,
            };
            let heard = self.wake.heard();
            match self.claim().await {
                Ok(NextPage::Claimed(page)) => self.spawn(pages, *page, permit, shutdown),
                Ok(NextPage::Idle { next_due }) => {
                    drop(permit);
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = heard => {}
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

    fn spawn(
        &self,
        pages: &TaskTracker,
        page: ClaimedPage,
        permit: OwnedSemaphorePermit,
        shutdown: &Shutdown,
    ) {
        let shift = self.shift(page, shutdown);
        pages.spawn(async move {
            shift.deliver().await;
            drop(permit);
        });
    }

    fn shift(&self, page: ClaimedPage, shutdown: &Shutdown) -> Shift<Q> {
        Shift {
            engine: self.clone(),
            page,
            shutdown: shutdown.clone(),
        }
    }

    async fn claim(&self) -> Result<NextPage, StoreError> {
        let DeliverySettings {
            lease, page_size, ..
        } = *self.settings;
        self.queue
            .claim_page(self.clock.now(), lease, page_size)
            .await
    }

    fn rest(&self, next_due: Option<UnixMillis>) -> Duration {
        let longest = self.settings.poll_interval;
        next_due.map_or(longest, |due| due.since(self.clock.now()).min(longest))
    }

    async fn tidy(&self) {
        loop {
            tokio::time::sleep(TIDY_INTERVAL).await;
            self.courier.tidy();
        }
    }
}
