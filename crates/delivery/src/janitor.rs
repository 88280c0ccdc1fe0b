//! Removes what is too old (CONTRACT 1, `HATO_RETENTION_DAYS`) and what was deleted, and gives its space back to the disk. What finished
//! sends tell of their recipients is recorded on the way (CONTRACT 12).
//!
//! It does so in steps of at most 500 rows with a pause after each: a database with one writer would otherwise accept no sends while a
//! million rows are removed. Whatever a process that dies has not removed, the next one finds.
//!
//! Of the processes that share a database one at a time sweeps, under a lease: the steps of two would only wait for each other.

mod purge_kind;
mod sweep_lease;

use std::sync::Arc;
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{Clock, DeactivationCursor, Store, StoreError};
use hato_service::{
    IDEMPOTENCY_TTL, LISTENER_EVENT_TTL, MAX_EVENT_AGE, MAX_KEPT_ATTEMPTS, RECENT_COUNTS_TTL,
    first_counted_hour,
};

use crate::clock_leap::ClockLeap;
use crate::metrics::count_dropped_events;
use crate::push::DeliverySettings;
use crate::shutdown::Shutdown;
use purge_kind::{PURGE_ROUNDS, PurgeKind};
use sweep_lease::SweepLease;

/// How long it waits between two sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);
/// How long it waits while another process sweeps.
const LEASE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Rows of a kind that are removed at a time.
const STEP_ROWS: u32 = 500;
/// Rows of deleted apps that are removed at a time: fewer, for a subscription stands in many indexes.
const APP_STEP_ROWS: u32 = 200;
/// The pause between two steps, in which others write.
const STEP_DELAY: Duration = Duration::from_millis(20);

/// How long it is known who was counted after their tokens are good no more: somebody whose clock is behind, or whose transaction waits,
/// may still count one.
const FORGET_DELAY: Duration = Duration::from_mins(5);

/// Keeps the store from growing for ever. Any number of processes may run one, of which one at a time removes.
pub struct Janitor {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    retention: Duration,
    /// By which the store knows this janitor.
    lease_holder: i64,
    clock_leap: ClockLeap,
}

/// How far a sweep is with what it looks through.
#[derive(Default)]
struct SweepProgress {
    subscriptions: Option<DeactivationCursor>,
}

impl Janitor {
    /// A janitor of `store` that keeps things for `settings.retention_days`.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: &DeliverySettings) -> Self {
        Self {
            lease_holder: fastrand::i64(..),
            clock_leap: ClockLeap::since(clock.now()),
            store,
            clock,
            retention: Duration::from_hours(24) * settings.retention_days,
        }
    }

    /// Removes at once and then again and again, until asked to stop.
    pub async fn run(self, shutdown: Shutdown) {
        tokio::select! {
            () = shutdown.draining() => self.end_lease().await,
            () = self.sweep_repeatedly() => {}
        }
    }

    /// Removes everything that is too old now; `false` without the lease, or when it was lost, and for a day after the clock was set far
    /// ahead. Kinds take turns, so that an app of a million rows holds nothing else up; one that cannot be removed is logged and left for
    /// the next sweep.
    pub async fn sweep(&self) -> bool {
        let now = self.clock.now();
        if !self.clock_leap.permits(now) {
            return false;
        }
        let Some(mut lease) = SweepLease::take(&*self.store, self.lease_holder, now).await else {
            return false;
        };
        for kinds in PURGE_ROUNDS {
            if !self.take_turns(&mut lease, kinds.to_vec()).await {
                return false;
            }
        }
        self.end_lease().await;
        true
    }

    /// Goes on until nothing of these kinds is too old; `false` when the lease was lost, or the clock is trusted no more.
    async fn take_turns(&self, lease: &mut SweepLease<'_>, mut kinds: Vec<PurgeKind>) -> bool {
        let mut progress = SweepProgress::default();
        while !kinds.is_empty() {
            let mut unfinished = Vec::new();
            for kind in kinds {
                let now = self.clock.now();
                if !self.clock_leap.permits(now) || !lease.keep(now).await {
                    return false;
                }
                if self.try_step(kind, now, &mut progress).await {
                    unfinished.push(kind);
                    tokio::time::sleep(STEP_DELAY).await;
                }
            }
            kinds = unfinished;
        }
        true
    }

    /// A lease that cannot be given back ends by itself.
    async fn end_lease(&self) {
        if let Err(error) = self.store.end_sweep(self.lease_holder).await {
            tracing::debug!(%error, "the lease of the sweep cannot be given back");
        }
    }

    async fn sweep_repeatedly(&self) {
        loop {
            let has_swept = self.sweep().await;
            let wait = if has_swept {
                SWEEP_INTERVAL
            } else {
                LEASE_RETRY_DELAY
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn try_step(
        &self,
        kind: PurgeKind,
        now: UnixMillis,
        progress: &mut SweepProgress,
    ) -> bool {
        let stepped = self.step(kind, now, progress).await;
        stepped.unwrap_or_else(|error| {
            tracing::warn!(?kind, %error, "what is too old cannot be removed");
            false
        })
    }

    /// Removes up to 500 rows of a kind, and tells whether more may be left.
    async fn step(
        &self,
        kind: PurgeKind,
        now: UnixMillis,
        progress: &mut SweepProgress,
    ) -> Result<bool, StoreError> {
        let store = &self.store;
        let old: UnixMillis = now.minus(self.retention);
        match kind {
            PurgeKind::DeletedApps => store.purge_deleted_apps(APP_STEP_ROWS).await,
            PurgeKind::Included => store.record_reach(now, STEP_ROWS).await,
            PurgeKind::Sends => store.purge_sends(old, STEP_ROWS).await,
            PurgeKind::DeactivatedSubscriptions => {
                let after = &mut progress.subscriptions;
                *after = store
                    .purge_deactivated_subscriptions(old, *after, STEP_ROWS)
                    .await?;
                Ok(after.is_some())
            }
            PurgeKind::Sessions => store.purge_sessions(now, STEP_ROWS).await,
            PurgeKind::GitHubLogins => store.purge_github_logins(now, STEP_ROWS).await,
            PurgeKind::IdempotencyKeys => {
                let old = now.minus(IDEMPOTENCY_TTL);
                store.purge_idempotency_keys(old, STEP_ROWS).await
            }
            PurgeKind::RecentCounts => {
                let old = now.minus(RECENT_COUNTS_TTL);
                store.purge_recent_counts(old, STEP_ROWS).await
            }
            PurgeKind::RateWindows => store.purge_rate_windows(STEP_ROWS).await,
            PurgeKind::EngagementEvents => store.queue_engagement_events(now, STEP_ROWS).await,
            PurgeKind::EngagedRecipients => {
                let hour = first_counted_hour(now.minus(FORGET_DELAY));
                store.forget_engaged(hour, STEP_ROWS).await
            }
            PurgeKind::OldEvents => self.end_old_events(now).await,
            PurgeKind::ListenerEvents => {
                let old = now.minus(LISTENER_EVENT_TTL);
                store.purge_listener_events(old, now, STEP_ROWS).await
            }
            PurgeKind::Webhooks => store.purge_webhooks(MAX_KEPT_ATTEMPTS, STEP_ROWS).await,
            PurgeKind::FreeSpace => store.give_back_space().await,
        }
    }

    /// Drops the events that nobody has posted for five days, as whoever posts an app's events does when its turn comes; those of an
    /// app under review are kept for as long as sends are.
    async fn end_old_events(&self, now: UnixMillis) -> Result<bool, StoreError> {
        let before = now.minus(MAX_EVENT_AGE);
        let under_review = now.minus(self.retention.max(MAX_EVENT_AGE));
        let ended = self.store.end_old_events(before, under_review, STEP_ROWS);
        let dropped = ended.await?;
        if dropped > 0 {
            tracing::warn!(dropped, "events that are too old are dropped");
            count_dropped_events(dropped);
        }
        Ok(dropped >= u64::from(STEP_ROWS))
    }
}
