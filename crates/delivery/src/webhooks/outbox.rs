//! The work on a claimed outbox: read what is due, have it posted and recorded, and give the outbox back when nothing is left.

mod in_flight;

use std::ops::ControlFlow;
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::AppNotifier;
use hato_service::ports::{OutboxLease, StoreError, WebhookEvent, WebhookQueue};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use self::in_flight::InFlight;
use super::WebhookSender;
use super::attempt::{EventAttempt, StopReason};
use super::request_limiter::RequestPermit;
use crate::lease_renewal::renew_repeatedly;
use crate::metrics::count_dropped_events;
use crate::shutdown::Shutdown;

/// Events that are discarded (their webhook is off) or dropped (they are too old, which is counted) at a time.
const DISCARD_BATCH: u32 = 500;
/// The wait after the store has failed.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// The wait before an outbox is claimed again whose secrets cannot be opened: an operator has to act.
const SIGNING_SECRET_RETRY_DELAY: Duration = Duration::from_mins(1);

/// Posts the events of one app whose outbox this process has claimed.
pub(super) struct OutboxWorker<Q: ?Sized> {
    pub(super) sender: WebhookSender<Q>,
    pub(super) lease: OutboxLease,
    /// No later than the time by which it was claimed.
    pub(super) claimed_at: Instant,
    pub(super) notifier: AppNotifier,
    pub(super) shutdown: Shutdown,
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> OutboxWorker<Q> {
    /// Posts what is due until nothing is or the outbox's turn is over, renewing the lease all the while. When the lease is lost,
    /// what is still in flight is given up: its next holder posts it again.
    pub(super) async fn run(&self, permit: RequestPermit) {
        tokio::select! {
            rest = self.post_due(permit) => if let Some(rest) = rest { self.release(rest).await },
            () = self.keep_lease() => {
                tracing::warn!(app = %self.lease.app_id, "an outbox's lease was lost");
            }
        }
    }

    /// Returns how long the outbox may rest, once nothing is in flight; `None` when the lease was lost.
    async fn post_due(&self, permit: RequestPermit) -> Option<Duration> {
        let settings = &self.sender.shared.settings;
        let mut in_flight = InFlight::new(settings, self.lease.is_slow, permit);
        // An event of another process, or a retry, is announced by nobody.
        let interval = settings.poll_interval;
        let mut poll = interval_at(Instant::now() + interval, interval);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            self.start_due(&mut in_flight).await;
            if in_flight.attempts.is_empty() {
                return self.rest(in_flight.stop).await;
            }
            tokio::select! {
                () = in_flight.next_completed() => {}
                () = self.notifier.notified() => {}
                _ = poll.tick() => {}
            }
        }
    }

    /// Starts an attempt for each event that is due, as far as there is room.
    async fn start_due(&self, in_flight: &mut InFlight) {
        let shared = &self.sender.shared;
        let capacity = in_flight.capacity(&shared.limiter);
        if capacity == 0 || self.shutdown.is_draining() {
            return;
        }
        let (now, limit) = (
            shared.clock.now(),
            u32::try_from(capacity).unwrap_or(u32::MAX),
        );
        let queue = &self.sender.queue;
        let due = queue.due_events(&self.lease, &in_flight.numbers, now, limit);
        match due.await {
            Ok(events) => self.start_all(in_flight, events, now).await,
            Err(error) => {
                tracing::error!(app = %self.lease.app_id, %error, "an outbox cannot be read");
                in_flight.stop = Some(StopReason::Store);
            }
        }
    }

    /// Starts these events. What is too old is dropped instead, with others of its age, unless the clock was set far ahead.
    async fn start_all(
        &self,
        in_flight: &mut InFlight,
        events: Vec<WebhookEvent>,
        now: UnixMillis,
    ) {
        let shared = &self.sender.shared;
        let before = now.minus(shared.settings.max_event_age);
        let may_drop = shared.clock_leap.permits(now);
        let is_old =
            |event: &WebhookEvent| may_drop && event.created_at < before && event.resend.is_none();
        if events.iter().any(is_old)
            && let Err(error) = self.drop_old(before).await
        {
            tracing::error!(app = %self.lease.app_id, %error, "old events cannot be dropped");
            in_flight.stop = Some(StopReason::Store);
            return;
        }
        for event in events.into_iter().filter(|event| !is_old(event)) {
            self.start(in_flight, event);
        }
    }

    async fn drop_old(&self, before: UnixMillis) -> Result<(), StoreError> {
        let queue = &self.sender.queue;
        let dropped = queue.drop_old_events(&self.lease, before, DISCARD_BATCH);
        let dropped = dropped.await?;
        tracing::warn!(app = %self.lease.app_id, dropped, "events that are too old are dropped");
        count_dropped_events(dropped);
        Ok(())
    }

    /// An event that finds no permit, because another outbox took it, waits for the next look.
    fn start(&self, in_flight: &mut InFlight, event: WebhookEvent) {
        let Some(mut permit) = in_flight.take_permit(&self.sender.shared.limiter) else {
            return;
        };
        let number = event.number;
        let attempt = EventAttempt {
            sender: self.sender.clone(),
            lease: self.lease.clone(),
            event,
            shutdown: self.shutdown.clone(),
        };
        in_flight.numbers.push(number);
        in_flight.turn_left -= 1;
        in_flight.attempts.spawn(async move {
            let outcome = attempt.run(&mut permit).await;
            (number, outcome, permit)
        });
    }

    async fn rest(&self, stop: Option<StopReason>) -> Option<Duration> {
        match stop {
            None | Some(StopReason::Shutdown) => Some(Duration::ZERO),
            Some(StopReason::Inactive) => Some(self.discard().await),
            Some(StopReason::Store) => Some(STORE_RETRY_DELAY),
            Some(StopReason::SigningSecret) => Some(SIGNING_SECRET_RETRY_DELAY),
            Some(StopReason::LeaseLost) => None,
        }
    }

    /// Discards what waits, and returns how long the outbox may rest.
    async fn discard(&self) -> Duration {
        loop {
            let discarded = self.sender.queue.discard_events(&self.lease, DISCARD_BATCH);
            match discarded.await {
                Ok(true) => {}
                Ok(false) => return Duration::ZERO,
                Err(error) => {
                    tracing::error!(app = %self.lease.app_id, %error, "events cannot be discarded");
                    return STORE_RETRY_DELAY;
                }
            }
        }
    }

    /// Returns when the lease was lost.
    async fn keep_lease(&self) {
        let shared = &self.sender.shared;
        let lease = shared.settings.lease;
        renew_repeatedly(lease, self.claimed_at, || async {
            let now = shared.clock.now();
            let renewed = self.sender.queue.renew_outbox(&self.lease, now, lease);
            match shared.failures.renewals.record(renewed.await) {
                Ok(false) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })
        .await;
    }

    /// An outbox that cannot be released is due again when its lease ends.
    async fn release(&self, rest: Duration) {
        let not_before = self.sender.shared.clock.now().plus(rest);
        let released = self.sender.queue.release_outbox(&self.lease, not_before);
        if let Err(error) = released.await {
            tracing::warn!(app = %self.lease.app_id, %error, "an outbox cannot be released");
        }
    }
}
