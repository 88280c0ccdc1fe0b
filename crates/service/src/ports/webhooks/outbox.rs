//! The outbox as those who post its events use it: claim it, read what is due, record each attempt, release it.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, DisabledReason, UnixMillis};

use super::{ReportedRecipient, WebhookEvent, WebhookRecord, WebhookResponse};
use crate::ports::StoreError;

/// What a claim asks for.
#[derive(Clone, Copy, Debug)]
pub struct OutboxClaimRequest {
    /// The time of the claim in Unix milliseconds, from which the lease counts.
    pub now: UnixMillis,
    /// How long the outbox stays claimed unless the lease is renewed.
    pub lease: Duration,
    /// Whether an outbox whose receiver was slow to answer will do.
    pub include_slow: bool,
}

/// The right to post an app's events, until it ends or is renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxLease {
    /// The app whose events these are.
    pub app_id: AppId,
    /// Distinguishes this claim from every other.
    pub token: i64,
    /// Whether the receiver was slow to answer last time.
    pub is_slow: bool,
}

/// What a claim of an outbox found.
#[derive(Clone, Debug)]
pub enum NextOutbox {
    /// An outbox with events that are due.
    Claimed(OutboxLease),
    /// Nothing is due; the next outbox is due then, if there is one.
    Idle {
        /// When to ask again at the latest.
        next_due: Option<UnixMillis>,
    },
}

/// What an attempt needs beside its event, as it is when the attempt begins.
#[derive(Clone, Debug)]
pub struct AttemptInputs {
    /// The webhook, which is active.
    pub webhook: WebhookRecord,
    /// The recipients that the event names, in the order of their numbers.
    pub recipients: Vec<ReportedRecipient>,
}

/// An attempt that was made to post an event.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The number of the event in the store, [`WebhookEvent::number`].
    pub event: i64,
    /// How many attempts were made of it before, resends included: by them one is known that is on record.
    pub earlier: u32,
    /// When its owner asked for it, if it is a resend: it uses up no retry, and ends them when it arrives.
    pub resend: Option<UnixMillis>,
    /// The address that the event was posted to.
    pub url: String,
    /// The value of `webhook-signature`; empty when the attempt was not signed.
    pub signature: String,
    /// What the receiver answered.
    pub response: WebhookResponse,
    /// When it began, which `webhook-timestamp` says in seconds.
    pub started_at: UnixMillis,
    /// How long it took.
    pub duration: Duration,
    /// Whether the receiver counts as slow for having taken so long.
    pub is_slow: bool,
    /// What follows for the event and the webhook.
    pub disposition: Disposition,
}

/// What an attempt means for its event and its webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// The receiver answered with a 2xx status.
    Arrived,
    /// It did not, and is posted again at this time, if at all.
    Failed(Option<UnixMillis>),
    /// The receiver wants no more events.
    Gone,
}

/// When attempts that failed disable a webhook (CONTRACT 8).
#[derive(Clone, Copy, Debug)]
pub struct FailingRule {
    /// For how long nothing has succeeded by then.
    pub limit: Duration,
    /// Without any attempt for longer than this, the next failure begins that time anew.
    pub quiet_time: Duration,
}

/// Whether an attempt was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordAttemptOutcome {
    /// The attempt is on record.
    Recorded,
    /// The attempt is on record, and the webhook is disabled by it.
    Disabled(DisabledReason),
    /// The lease was lost: nothing was recorded.
    LeaseLost,
}

/// Verbs of who posts.
#[async_trait]
pub trait WebhookQueue {
    /// Claims the outbox that has been due longest of those that will do.
    async fn claim_outbox(&self, claim: OutboxClaimRequest) -> Result<NextOutbox, StoreError>;

    /// At most `limit` events of an outbox that are due but not `in_flight`: resends, then those that have been due longest. None
    /// when the lease was lost.
    async fn due_events(
        &self,
        outbox: &OutboxLease,
        in_flight: &[i64],
        now: UnixMillis,
        limit: u32,
    ) -> Result<Vec<WebhookEvent>, StoreError>;

    /// What an attempt to post an event of an outbox needs at `now`; `None` when the webhook is not active, or the lease was lost.
    async fn attempt_inputs(
        &self,
        outbox: &OutboxLease,
        event: &WebhookEvent,
        now: UnixMillis,
    ) -> Result<Option<AttemptInputs>, StoreError>;

    /// Records an attempt, if the lease is still held: the event's next one, if any, and the state of the webhook, which is
    /// disabled when it is gone, or when it has failed at `now` for as long as the rule says.
    async fn record_attempt(
        &self,
        outbox: &OutboxLease,
        attempt: Attempt,
        failing: FailingRule,
        now: UnixMillis,
    ) -> Result<RecordAttemptOutcome, StoreError>;

    /// Keeps `sealed` as the app's first secret, unless it has one.
    async fn keep_first_secret(&self, app: &AppId, sealed: Vec<u8>) -> Result<(), StoreError>;

    /// Discards at most `limit` waiting events of an outbox whose webhook is not active, which nobody counts; whether some may be
    /// left.
    async fn discard_events(&self, outbox: &OutboxLease, limit: u32) -> Result<bool, StoreError>;

    /// Drops at most `limit` waiting events of an outbox that were created before `before`, unless the lease was lost; returns how
    /// many, which are counted. A resend that its owner asked for is still made.
    async fn drop_old_events(
        &self,
        outbox: &OutboxLease,
        before: UnixMillis,
        limit: u32,
    ) -> Result<u64, StoreError>;

    /// Extends a lease that is still held, which lasts for so long from now on; `false` when it was lost.
    async fn renew_outbox(
        &self,
        outbox: &OutboxLease,
        now: UnixMillis,
        lasting: Duration,
    ) -> Result<bool, StoreError>;

    /// Gives an outbox back: it is due with its next event, but not before `not_before`.
    async fn release_outbox(
        &self,
        outbox: &OutboxLease,
        not_before: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Repairs due times after the clock was set back, as the delivery queue's verb does.
    async fn repair_webhook_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError>;
}
