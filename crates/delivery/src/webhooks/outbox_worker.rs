//! An app's events as long as somebody looks after them: first attempts in the order of settlement, retries beside them.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hato_service::AppNotifier;
use hato_service::ports::{DueEvents, OutboxLease, WebhookEvent, WebhookQueue};
use tokio::time::{Instant, MissedTickBehavior};

use super::WebhookSender;
use super::attempt::DeliveryAttempt;
use super::cached_webhook::CachedWebhook;
use super::in_flight::{Blocked, InFlight};
use super::request_limiter::RequestPermit;
use super::send_signal::send_signal;
use crate::shutdown::Shutdown;

/// Events discarded at a time.
const DISCARD_BATCH: u32 = 500;
/// The wait after the store has failed.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// The wait before an outbox is claimed again whose secrets cannot be opened: an operator has to act.
const SIGNING_SECRET_RETRY_DELAY: Duration = Duration::from_mins(1);

/// A claimed outbox.
pub(super) struct OutboxWorker<Q: ?Sized> {
    pub(super) sender: WebhookSender<Q>,
    pub(super) lease: OutboxLease,
    pub(super) notifier: AppNotifier,
    /// How long it is held on to when nothing is due.
    pub(super) idle_hold: Duration,
    pub(super) shutdown: Shutdown,
}

/// How the work on an outbox goes on.
enum WorkerStep {
    /// Something may be due later.
    Wait,
    /// Nothing can be done for so long.
    Rest(Duration),
    /// The outbox is somebody else's.
    Lost,
}

impl From<Blocked> for WorkerStep {
    fn from(blocked: Blocked) -> Self {
        match blocked {
            Blocked::Store => Self::Rest(STORE_RETRY_DELAY),
            Blocked::SigningSecret => Self::Rest(SIGNING_SECRET_RETRY_DELAY),
            Blocked::LeaseLost => Self::Lost,
        }
    }
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> OutboxWorker<Q> {
    /// Posts what is due until nothing is or the outbox's turn is over, renewing the lease all the while.
    pub(super) async fn run(&self, permit: RequestPermit) {
        tokio::select! {
            rest = self.work(permit) => if let Some(rest) = rest { self.release(rest).await },
            () = self.keep_lease() => {
                tracing::warn!(app = %self.lease.app_id, "an outbox's lease was lost");
            }
        }
    }

    /// How long the outbox may rest; None when it is somebody else's. What is still in flight then is given up.
    async fn work(&self, permit: RequestPermit) -> Option<Duration> {
        let shared = &self.sender.shared;
        let mut in_flight = InFlight::new(&shared.settings, self.lease.is_slow, permit);
        let interval = shared.settings.poll_interval;
        let mut poll = tokio::time::interval_at(Instant::now() + interval, interval);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let mut next = WorkerStep::Wait;
            if in_flight.has_news && in_flight.blocked.is_none() {
                next = self.start_due(&mut in_flight).await;
            }
            let rest = match in_flight.blocked.map_or(next, WorkerStep::from) {
                WorkerStep::Lost => return None,
                WorkerStep::Rest(rest) => Some(rest),
                WorkerStep::Wait => None,
            };
            if in_flight.is_empty() {
                if rest.is_some() || !self.hold_idle(&in_flight).await {
                    return Some(rest.unwrap_or_default());
                }
                in_flight.has_news = true;
                continue;
            }
            let looked_at = in_flight.looked_at;
            tokio::select! {
                () = in_flight.next_completed() => {}
                () = self.next_notification(looked_at) => in_flight.has_news = true,
                _ = poll.tick() => in_flight.has_news = true,
            }
        }
    }

    /// Holds on to an outbox of which nothing is due, for claiming it again costs more than an event; whether there is another one
    /// by now. An outbox that is in somebody's way is given back.
    async fn hold_idle(&self, in_flight: &InFlight) -> bool {
        if in_flight.has_news || self.lease.is_slow || !self.sender.shared.limiter.is_half_free() {
            return false;
        }
        tokio::select! {
            () = self.next_notification(in_flight.looked_at) => true,
            () = self.shutdown.draining() => false,
            () = tokio::time::sleep(self.idle_hold) => false,
        }
    }

    /// Resolves when an event is announced. Of many events each look costs as much as a small event, so that those of a broadcast
    /// are let gather.
    async fn next_notification(&self, looked_at: Instant) {
        tokio::time::sleep_until(looked_at + self.sender.shared.settings.batch_interval).await;
        self.notifier.notified().await;
    }

    /// Starts what is due, as far as there is room.
    async fn start_due(&self, in_flight: &mut InFlight) -> WorkerStep {
        let capacity = in_flight.capacity(&self.sender.shared.limiter);
        if capacity == 0 || self.shutdown.is_draining() {
            return WorkerStep::Wait;
        }
        in_flight.looked_at = Instant::now();
        let now = self.sender.shared.clock.now();
        let limit = u32::try_from(capacity).unwrap_or(u32::MAX);
        let due_events = self
            .sender
            .queue
            .due_events(&self.lease, &in_flight.numbers, now, limit);
        match due_events.await {
            Ok(DueEvents::Post {
                webhook,
                first,
                again,
            }) => {
                let cached = CachedWebhook::new(webhook, now, in_flight.looked_at);
                in_flight.has_news = first.len() >= capacity || again.len() >= capacity;
                self.start_all(in_flight, &Arc::new(cached), first, again)
                    .await;
                WorkerStep::Wait
            }
            Ok(DueEvents::Discard) => self.discard().await,
            Ok(DueEvents::LeaseLost) => WorkerStep::Lost,
            Err(error) => {
                tracing::error!(app = %self.lease.app_id, %error, "an outbox cannot be read");
                WorkerStep::Rest(STORE_RETRY_DELAY)
            }
        }
    }

    async fn start_all(
        &self,
        in_flight: &mut InFlight,
        webhook: &Arc<CachedWebhook>,
        first: Vec<WebhookEvent>,
        again: Vec<WebhookEvent>,
    ) {
        let limiter = &self.sender.shared.limiter;
        let (mut first, mut again) = (first.into_iter(), again.into_iter());
        while let Some(event) = in_flight.take_next(&mut first, &mut again, limiter) {
            let Some(permit) = in_flight.take_permit(limiter) else {
                in_flight.has_news = true;
                return;
            };
            let may_go_on = self.start_one(in_flight, permit, webhook, event).await;
            if !may_go_on || in_flight.blocked.is_some() || self.shutdown.is_draining() {
                in_flight.has_news = true;
                return;
            }
        }
        in_flight.has_news |= first.len() + again.len() > 0;
    }

    /// Starts an event and waits until a first attempt has left, while others complete. Says whether the next may be started:
    /// not when this one could not be attempted, for it comes first.
    async fn start_one(
        &self,
        in_flight: &mut InFlight,
        mut permit: RequestPermit,
        webhook: &Arc<CachedWebhook>,
        event: WebhookEvent,
    ) -> bool {
        let (send_notifier, signal) = send_signal();
        let (number, is_first) = (event.number, event.attempts == 0);
        let attempt = DeliveryAttempt {
            sender: self.sender.clone(),
            lease: self.lease.clone(),
            event,
            webhook: Arc::clone(webhook),
            shutdown: self.shutdown.clone(),
        };
        in_flight.spawn(number, async move {
            let outcome = attempt.run(&mut permit, send_notifier).await;
            (outcome, permit)
        });
        if !is_first {
            return true;
        }
        let mut sending = pin!(signal.was_sent());
        loop {
            tokio::select! {
                was_sent = &mut sending => if was_sent { return true } else { break },
                () = in_flight.next_completed(), if !in_flight.is_empty() => {}
                () = self.shutdown.draining() => return false,
            }
        }
        while in_flight.numbers.contains(&number) && in_flight.blocked.is_none() {
            in_flight.next_completed().await;
        }
        false
    }

    async fn discard(&self) -> WorkerStep {
        loop {
            let discarded = self.sender.queue.discard_events(&self.lease, DISCARD_BATCH);
            match discarded.await {
                Ok(true) => {}
                Ok(false) => return WorkerStep::Rest(Duration::ZERO),
                Err(error) => {
                    tracing::error!(app = %self.lease.app_id, %error, "events cannot be discarded");
                    return WorkerStep::Rest(STORE_RETRY_DELAY);
                }
            }
        }
    }

    /// Returns when the lease was lost.
    async fn keep_lease(&self) {
        let shared = &self.sender.shared;
        let lease = shared.settings.lease;
        loop {
            tokio::time::sleep(lease / 3).await;
            let until = shared.clock.now().plus(lease);
            match self.sender.queue.renew_outbox(&self.lease, until).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(app = %self.lease.app_id, %error, "an outbox's lease cannot be renewed");
                }
            }
        }
    }

    /// An outbox that cannot be given back is due again when its lease ends.
    async fn release(&self, rest: Duration) {
        let not_before = self.sender.shared.clock.now().plus(rest);
        let released = self.sender.queue.release_outbox(&self.lease, not_before);
        if let Err(error) = released.await {
            tracing::warn!(app = %self.lease.app_id, %error, "an outbox cannot be given back");
        }
    }
}
