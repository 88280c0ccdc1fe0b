//! The attempts of a claimed outbox that are being made, and how many more may begin.

use tokio::task::JoinSet;

use crate::webhooks::attempt::StopReason;
use crate::webhooks::concurrency_limit::ConcurrencyLimit;
use crate::webhooks::request_limiter::{RequestLimiter, RequestPermit};
use crate::webhooks::settings::WebhookSettings;

/// The attempts of an outbox that are in flight, and how many more there may be.
pub(super) struct InFlight {
    pub(super) attempts: JoinSet<(i64, Result<bool, StopReason>, RequestPermit)>,
    /// The numbers of their events.
    pub(super) numbers: Vec<i64>,
    /// Why no more is started.
    pub(super) stop: Option<StopReason>,
    /// The outbox's own permit while nothing is in flight, without which it would not have been claimed.
    spare: Option<RequestPermit>,
    is_slow: bool,
    limit: ConcurrencyLimit,
    /// Events until the turn is over.
    pub(super) turn_left: usize,
    turn_events: usize,
}

impl InFlight {
    pub(super) fn new(settings: &WebhookSettings, is_slow: bool, permit: RequestPermit) -> Self {
        Self {
            attempts: JoinSet::new(),
            numbers: Vec::new(),
            stop: None,
            spare: Some(permit),
            is_slow,
            limit: ConcurrencyLimit::new(settings.per_app, is_slow),
            turn_left: settings.turn_events,
            turn_events: settings.turn_events,
        }
    }

    /// How many attempts may be started. A turn begins again while there are permits for everybody.
    pub(super) fn capacity(&mut self, limiter: &RequestLimiter) -> usize {
        let available = limiter.available(self.is_slow);
        if self.turn_left == 0 && available > 0 {
            self.turn_left = self.turn_events;
        }
        if self.stop.is_some() {
            return 0;
        }
        let room = self.limit.room(self.attempts.len());
        let permits = usize::from(self.spare.is_some()) + available;
        room.min(permits).min(self.turn_left)
    }

    /// The outbox's own permit, or another one that is free.
    pub(super) fn take_permit(&mut self, limiter: &RequestLimiter) -> Option<RequestPermit> {
        let own = self.spare.take();
        own.or_else(|| limiter.try_acquire(self.is_slow))
    }

    /// Waits until an attempt ends, and takes note of how.
    pub(super) async fn next_completed(&mut self) {
        let (number, outcome, permit) = match self.attempts.join_next().await {
            Some(Ok(completed)) => completed,
            Some(Err(_)) => return self.stop = Some(StopReason::Store),
            None => return,
        };
        self.numbers.retain(|other| *other != number);
        if self.attempts.is_empty() {
            self.spare = Some(permit);
        }
        match outcome {
            Ok(is_prompt) => self.limit.record(is_prompt),
            Err(reason) => self.stop = Some(reason),
        }
    }
}
