//! Posting what happened to each app's webhook: claim an outbox → read what is due → post → record (CONTRACT 8).
//!
//! An app's events are its outbox, which one process at a time works on under a lease. So an app's requests are bounded over all
//! processes, an event costs one write, and a process that dies leaves events that are posted again under the same id when its
//! lease has ended.
//!
//! This file claims; `outbox` is the work on a claimed outbox, `attempt` one event of it, `client` the request and `schedule`
//! the wait before the next.

mod attempt;
mod client;
mod concurrency_limit;
mod outbox;
mod request_limiter;
mod schedule;
mod settings;
mod signature;

use std::sync::Arc;
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{Clock, NextOutbox, OutboxClaimRequest, StoreError, WebhookQueue};
use hato_service::{Notifier, Secrets, jittered};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::clock_leap::ClockLeap;
use crate::due_time_repair::DueTimeRepair;
use crate::failure_log::FailureLog;
use crate::shutdown::Shutdown;
use client::WebhookClient;
use outbox::OutboxWorker;
use request_limiter::{RequestLimiter, RequestPermit};
use schedule::longest_event_wait;

pub use client::ClientBuildError;
pub use settings::WebhookSettings;

/// The wait after a claim failed.
const CLAIM_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Posts the events that wait in the outbox, as many at a time as the settings allow.
///
/// Cheap to clone: clones share their connections and bounds.
pub struct WebhookSender<Q: ?Sized> {
    queue: Arc<Q>,
    shared: Arc<SenderShared>,
}

struct SenderShared {
    clock: Arc<dyn Clock>,
    secrets: Secrets,
    notifier: Notifier,
    client: WebhookClient,
    limiter: RequestLimiter,
    due_time_repair: DueTimeRepair,
    clock_leap: ClockLeap,
    failures: OutboxFailures,
    settings: WebhookSettings,
}

/// How the store fails the outboxes.
struct OutboxFailures {
    claims: FailureLog,
    renewals: FailureLog,
    records: FailureLog,
}

/// What a claim came to.
enum OutboxClaim<Q: ?Sized> {
    Claimed(OutboxWorker<Q>, RequestPermit),
    Idle { next_due: Option<UnixMillis> },
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
    /// A sender over `queue` that listens to `notifier`. Fails when the additional trusted roots are unusable.
    pub fn new(
        queue: Arc<Q>,
        clock: Arc<dyn Clock>,
        secrets: Secrets,
        notifier: Notifier,
        settings: WebhookSettings,
    ) -> Result<Self, ClientBuildError> {
        let shared = SenderShared {
            client: WebhookClient::new(&settings)?,
            clock_leap: ClockLeap::since(clock.now()),
            clock,
            secrets,
            notifier,
            limiter: RequestLimiter::new(&settings),
            due_time_repair: DueTimeRepair::default(),
            failures: OutboxFailures {
                claims: FailureLog::new(
                    "the outbox cannot be asked",
                    "the outbox can be asked again",
                ),
                renewals: FailureLog::new(
                    "an outbox's lease cannot be renewed",
                    "the leases of outboxes are renewed again",
                ),
                records: FailureLog::new(
                    "an attempt cannot be recorded",
                    "attempts are recorded again",
                ),
            },
            settings,
        };
        Ok(Self {
            queue,
            shared: Arc::new(shared),
        })
    }

    /// Posts until asked to stop, and returns when nothing is in flight any more.
    pub async fn run(self, shutdown: Shutdown) {
        let workers = TaskTracker::new();
        self.claim_outboxes(&workers, &shutdown).await;
        workers.close();
        workers.wait().await;
    }

    /// Posts what is due, one outbox after the other, and returns when nothing is.
    pub async fn run_until_idle(&self) -> Result<(), StoreError> {
        loop {
            let permit = self.shared.limiter.acquire_prompt().await;
            match self.claim(permit, &Shutdown::new()).await? {
                OutboxClaim::Claimed(worker, permit) => worker.run(permit).await,
                OutboxClaim::Idle { .. } => return Ok(()),
            }
        }
    }

    /// No claim without a permit, which moves into the worker's task: a panic there gives it back as well.
    async fn claim_outboxes(&self, workers: &TaskTracker, shutdown: &Shutdown) {
        loop {
            let permit = tokio::select! {
                biased;
                () = shutdown.draining() => return,
                permit = self.shared.limiter.acquire_prompt() => permit,
            };
            let notified = self.shared.notifier.event_notified();
            let claim = self.claim(permit, shutdown).await;
            match self.shared.failures.claims.record(claim) {
                Ok(OutboxClaim::Claimed(worker, permit)) => {
                    workers.spawn(async move { worker.run(permit).await });
                }
                Ok(OutboxClaim::Idle { next_due }) => {
                    tokio::select! {
                        () = shutdown.draining() => return,
                        () = notified => {}
                        () = tokio::time::sleep(self.idle_time(next_due)) => {}
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

    /// The outbox that has been due longest. One whose receiver is slow begins with a permit of the slow tier, and has to wait when
    /// there is none.
    async fn claim(
        &self,
        permit: RequestPermit,
        shutdown: &Shutdown,
    ) -> Result<OutboxClaim<Q>, StoreError> {
        let now = self.shared.clock.now();
        if self.shared.due_time_repair.is_needed(now) {
            self.repair_due_times(now).await?;
        }
        let slow_permit = self.shared.limiter.try_acquire(true);
        let claim = OutboxClaimRequest {
            now,
            lease: self.shared.settings.lease,
            include_slow: slow_permit.is_some(),
        };
        let claimed_at = Instant::now();
        match self.queue.claim_outbox(claim).await? {
            NextOutbox::Claimed(lease) => {
                let permit = slow_permit.filter(|_| lease.is_slow).unwrap_or(permit);
                let worker = OutboxWorker {
                    sender: self.clone(),
                    notifier: self.shared.notifier.app_notifier(&lease.app_id),
                    lease,
                    claimed_at,
                    shutdown: shutdown.clone(),
                };
                Ok(OutboxClaim::Claimed(worker, permit))
            }
            NextOutbox::Idle { next_due } => Ok(OutboxClaim::Idle { next_due }),
        }
    }

    async fn repair_due_times(&self, now: UnixMillis) -> Result<(), StoreError> {
        let settings = &self.shared.settings;
        let longest = longest_event_wait(&settings.retry_delays);
        self.queue
            .repair_webhook_due_times(now, settings.lease, longest)
            .await?;
        self.shared.due_time_repair.mark_done(now);
        Ok(())
    }

    /// Cut by chance, so that the processes of a fleet do not ask together.
    fn idle_time(&self, next_due: Option<UnixMillis>) -> Duration {
        let longest = jittered(self.shared.settings.poll_interval);
        next_due.map_or(longest, |due| {
            due.since(self.shared.clock.now()).min(longest)
        })
    }
}
