//! Posting what happened to each app's webhook: claim a lane → make the body → sign → post → record (CONTRACT 8).
//!
//! An app's events are a lane, which one process at a time looks after under a lease. That keeps first attempts in the order
//! of settlement, and a process that dies leaves events that are posted again, under the same id, when its lease has ended.

mod air;
mod departure;
mod flight;
mod keyring;
mod lane;
mod places;
mod post;
mod record;
mod room;
mod schedule;
mod seen;
mod settings;
mod signature;
mod width;

use std::sync::Arc;
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{Clock, LaneClaim, NextLane, StoreError, WebhookQueue};
use hato_service::{Secrets, Wake};
use tokio_util::task::TaskTracker;

use crate::engine::time_watch::TimeWatch;
use crate::handover::Handover;
use crate::shutdown::Shutdown;
use lane::Lane;
use places::{Place, Places};
use post::Poster;
use schedule::longest_wait;

pub use post::BadPoster;
pub use settings::WebhookSettings;

/// The pause after the outbox could not be asked.
const PAUSE: Duration = Duration::from_secs(1);

/// Posts the events that wait in the outbox, as many at a time as the settings allow.
///
/// Cheap to clone: clones share their connections and bounds.
pub struct WebhookSender<Q: ?Sized> {
    queue: Arc<Q>,
    shared: Arc<Shared>,
}

struct Shared {
    clock: Arc<dyn Clock>,
    secrets: Secrets,
    wake: Wake,
    handover: Handover,
    poster: Poster,
    places: Places,
    time_watch: TimeWatch,
    settings: WebhookSettings,
}

/// What a claim came to.
enum Claimed<Q: ?Sized> {
    Lane(Lane<Q>, Place),
    Nothing { next_due: Option<UnixMillis> },
}

impl<Q: ?Sized> Clone for WebhookSender<Q> {
    fn clone(&self) -> Self {
        Self {
            queue: Arc::clone(&self.queue),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> WebhookSender<Q> {
    /// A sender over `queue` that listens to `wake` and looks into `handover`. Fails when the additional trusted roots are unusable.
    pub fn new(
        queue: Arc<Q>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        (wake, handover): (Wake, Handover),
        settings: WebhookSettings,
    ) -> Result<Self, BadPoster> {
        let shared = Shared {
            poster: Poster::new(&settings)?,
            clock,
            secrets,
            wake,
            handover,
            places: Places::new(&settings),
            time_watch: TimeWatch::default(),
            settings,
        };
        Ok(Self {
            queue,
            shared: Arc::new(shared),
        })
    }

    /// Posts until asked to stop, and returns when nothing is in flight any more.
    pub async fn run(self, shutdown: Shutdown) {
        let lanes = TaskTracker::new();
        self.claim_lanes(&lanes, &shutdown).await;
        lanes.close();
        lanes.wait().await;
    }

    /// Posts what is due, one lane after the other, and returns when nothing is.
    pub async fn run_until_idle(&self) -> Result<(), StoreError> {
        loop {
            let place = self.shared.places.prompt().await;
            match self.claim(place, Duration::ZERO, &Shutdown::new()).await? {
                Claimed::Lane(lane, place) => lane.look_after(place).await,
                Claimed::Nothing { .. } => return Ok(()),
            }
        }
    }

    /// No claim without a place, which moves into the lane's task: a panic there gives it back as well.
    async fn claim_lanes(&self, lanes: &TaskTracker, shutdown: &Shutdown) {
        loop {
            let place = tokio::select! {
                biased;
                () = shutdown.draining() => return,
                place = self.shared.places.prompt() => place,
            };
            let heard = self.shared.wake.event_heard();
            match self
                .claim(place, self.shared.settings.linger, shutdown)
                .await
            {
                Ok(Claimed::Lane(lane, place)) => {
                    lanes.spawn(async move { lane.look_after(place).await });
                }
                Ok(Claimed::Nothing { next_due }) => {
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = heard => {}
                        () = tokio::time::sleep(self.rest(next_due)) => {}
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "the outbox cannot be asked");
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = tokio::time::sleep(PAUSE) => {}
                    }
                }
            }
        }
    }

    /// The lane that has been due longest. One whose receiver is slow begins on a place among the slow, and has to wait when
    /// there is none.
    async fn claim(
        &self,
        place: Place,
        linger: Duration,
        shutdown: &Shutdown,
    ) -> Result<Claimed<Q>, StoreError> {
        let now = self.shared.clock.now();
        if self.shared.time_watch.has_stepped_back(now) {
            self.bring_forward(now).await?;
        }
        let aside = self.shared.places.free(true);
        let claim = LaneClaim {
            now,
            lease: self.shared.settings.lease,
            slow_too: aside.is_some(),
        };
        match self.queue.claim_lane(claim).await? {
            NextLane::Claimed(lease) => {
                let place = aside.filter(|_| lease.is_slow).unwrap_or(place);
                let lane = Lane {
                    sender: self.clone(),
                    bell: self.shared.wake.event_bell(&lease.app_id),
                    lease,
                    linger,
                    shutdown: shutdown.clone(),
                };
                Ok(Claimed::Lane(lane, place))
            }
            NextLane::Idle { next_due } => Ok(Claimed::Nothing { next_due }),
        }
    }

    async fn bring_forward(&self, now: UnixMillis) -> Result<(), StoreError> {
        let settings = &self.shared.settings;
        let longest = longest_wait(&settings.retry_delays);
        self.queue
            .bring_lanes_forward(now, settings.lease, longest)
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
}
