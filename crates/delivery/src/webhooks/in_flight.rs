//! What of an outbox is in flight, and what is started next.

use std::time::Duration;

use hato_service::ports::WebhookEvent;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::attempt::AttemptOutcome;
use super::concurrency_limit::ConcurrencyLimit;
use super::request_limiter::{RequestLimiter, RequestPermit};
use super::settings::WebhookSettings;

/// What is in flight.
pub(super) struct InFlight {
    tasks: JoinSet<(i64, AttemptOutcome, RequestPermit)>,
    /// The numbers of the events.
    pub(super) numbers: Vec<i64>,
    /// Whether the outbox may have something to start that was not seen yet.
    pub(super) has_news: bool,
    /// When that was looked at.
    pub(super) looked_at: Instant,
    /// What stands in the way of more.
    pub(super) blocked: Option<Blocked>,
    /// The outbox's permit while nothing is in flight.
    spare: Option<RequestPermit>,
    is_slow: bool,
    limit: ConcurrencyLimit,
    /// Whether the next permit is a retry's.
    prefer_retry: bool,
    turn: TurnBudget,
}

/// What stands in the way of more events.
#[derive(Clone, Copy, Debug)]
pub(super) enum Blocked {
    /// The store fails.
    Store,
    /// Nothing can be signed.
    SigningSecret,
    /// The outbox is somebody else's.
    LeaseLost,
}

/// What is left of an outbox's turn, after which the next has one.
struct TurnBudget {
    events: usize,
    until: Instant,
    whole: (usize, Duration),
}

impl TurnBudget {
    fn new(whole: (usize, Duration)) -> Self {
        let (events, span) = whole;
        Self {
            events,
            until: Instant::now() + span,
            whole,
        }
    }

    fn is_over(&self) -> bool {
        self.events == 0 || Instant::now() >= self.until
    }
}

impl InFlight {
    /// Empty, with a permit for the first event.
    pub(super) fn new(settings: &WebhookSettings, is_slow: bool, permit: RequestPermit) -> Self {
        Self {
            tasks: JoinSet::new(),
            numbers: Vec::new(),
            has_news: true,
            looked_at: Instant::now(),
            blocked: None,
            spare: Some(permit),
            is_slow,
            limit: ConcurrencyLimit::new(settings.per_app, is_slow),
            prefer_retry: false,
            turn: TurnBudget::new((settings.turn_events, settings.turn)),
        }
    }

    /// How many more may be started. A turn begins again while there are permits for everybody.
    pub(super) fn capacity(&mut self, limiter: &RequestLimiter) -> usize {
        if self.turn.is_over() {
            if !limiter.has_free(self.is_slow) {
                return 0;
            }
            self.turn = TurnBudget::new(self.turn.whole);
        }
        let own = usize::from(self.spare.is_some());
        let capacity = self.limit.get().saturating_sub(self.tasks.len());
        capacity
            .min(self.turn.events)
            .min(own + limiter.available(self.is_slow))
    }

    /// Takes turns between first attempts and retries, while there is room.
    pub(super) fn take_next(
        &mut self,
        first: &mut impl Iterator<Item = WebhookEvent>,
        again: &mut impl Iterator<Item = WebhookEvent>,
        limiter: &RequestLimiter,
    ) -> Option<WebhookEvent> {
        if self.capacity(limiter) == 0 {
            return None;
        }
        self.prefer_retry = !self.prefer_retry;
        if self.prefer_retry {
            first.next().or_else(|| again.next())
        } else {
            again.next().or_else(|| first.next())
        }
    }

    /// A permit for the next event: the outbox's own, or another that is free.
    pub(super) fn take_permit(&mut self, limiter: &RequestLimiter) -> Option<RequestPermit> {
        let own = self.spare.take();
        own.or_else(|| limiter.try_acquire(self.is_slow))
    }

    /// Starts an event.
    pub(super) fn spawn(
        &mut self,
        number: i64,
        attempt: impl Future<Output = (AttemptOutcome, RequestPermit)> + Send + 'static,
    ) {
        self.numbers.push(number);
        self.turn.events -= 1;
        self.tasks.spawn(async move {
            let (outcome, permit) = attempt.await;
            (number, outcome, permit)
        });
    }

    /// Whether nothing is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Waits until an attempt ends and takes note of how; at once when none is in flight. What is dropped waiting
    /// misses nothing.
    pub(super) async fn next_completed(&mut self) {
        match self.tasks.join_next().await {
            Some(Ok((number, outcome, permit))) => self.complete(number, outcome, permit),
            Some(Err(_)) => self.blocked = Some(Blocked::Store),
            None => {}
        }
    }

    /// The outbox keeps one permit.
    fn complete(&mut self, number: i64, outcome: AttemptOutcome, permit: RequestPermit) {
        self.numbers.retain(|other| *other != number);
        if self.tasks.is_empty() {
            self.spare = Some(permit);
        }
        match outcome {
            AttemptOutcome::Recorded {
                is_prompt,
                is_first,
            } => {
                self.limit.record(is_prompt);
                // Its owner may have asked for a resend meanwhile.
                self.has_news |= !is_prompt || !is_first;
            }
            AttemptOutcome::Unknown => self.has_news = true,
            AttemptOutcome::StoreFails => self.blocked = Some(Blocked::Store),
            AttemptOutcome::SigningSecret => self.blocked = Some(Blocked::SigningSecret),
            AttemptOutcome::LeaseLost => self.blocked = Some(Blocked::LeaseLost),
        }
    }
}
