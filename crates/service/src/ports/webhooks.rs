//! Webhooks in the store: their settings, the outbox, and what became of attempts to post.
//!
//! An event is written in the transaction that settles what it tells of, and only for an app whose webhook is active: it has
//! a URL, its account's plan allows it and it was not switched off. An app's events are an outbox: whoever claims it posts first
//! attempts in the order of settlement, and only the holder of the outbox's lease records what became of them. So an event
//! whose process died is posted again under the same id.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{
    AppId, DisabledReason, EventType, NoResponseReason, ResultStatus, SendId, UnixMillis,
    WebhookEventId,
};

mod recipients;

use super::{SendCounts, StoreError};
pub use recipients::{IdRange, ReportedRecipient, ReportedRecipients};

/// An app's webhook as it is set up.
#[derive(Clone, Debug)]
pub struct WebhookRecord {
    /// Where events are posted.
    pub url: String,
    /// What signs them.
    pub secrets: SealedSecrets,
    /// Why no events are posted; `None` when they are.
    pub disabled: Option<DisabledReason>,
}

/// Signing secrets of 32 bytes, sealed and bound to the app's id.
#[derive(Clone, Debug, Default)]
pub struct SealedSecrets {
    /// `None` until one is needed.
    pub current: Option<Vec<u8>>,
    /// The one before, until it expires.
    pub previous: Option<(Vec<u8>, UnixMillis)>,
}

/// What became of [`WebhookStore::enable_webhook`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnableWebhookOutcome {
    /// It is on.
    Done,
    /// The account's plan is not [`hato_domain::Plan::FOR_WEBHOOKS`].
    PlanRequired,
    /// There is no URL.
    NoWebhook,
}

/// An attempt to post an event, as the owner reads it.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    /// `msg_…`.
    pub event_id: WebhookEventId,
    /// The event's kind.
    pub kind: EventType,
    /// The send it tells of.
    pub send_id: Option<SendId>,
    /// 1 for the first.
    pub attempt: u32,
    /// Where it was posted.
    pub url: String,
    /// What came back.
    pub response: WebhookResponse,
    /// When it began.
    pub started_at: UnixMillis,
    /// How long it took.
    pub duration: Duration,
    /// The value of `webhook-signature`; empty when it was not signed.
    pub signature: String,
    /// When the event is posted again by itself.
    pub next_at: Option<UnixMillis>,
}

/// What came back from a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookResponse {
    /// An answer.
    Received {
        /// Its status.
        status: u16,
        /// The beginning of its body.
        text: String,
    },
    /// None.
    NotReceived(NoResponseReason),
}

/// An event of the outbox.
#[derive(Clone, Debug)]
pub struct WebhookEvent {
    /// Its number, in the order of settlement.
    pub number: i64,
    /// `msg_…`.
    pub id: WebhookEventId,
    /// What happened.
    pub content: EventContent,
    /// When.
    pub created_at: UnixMillis,
    /// Attempts that were made, resends aside.
    pub attempts: u32,
    /// When its owner asked for a resend that was not made yet.
    pub resend: Option<UnixMillis>,
}

/// What an event tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventContent {
    /// What became of a page's recipients.
    Results(SendId, Vec<ResultGroup>),
    /// Every recipient of a send is settled: how many there were, and by outcome.
    Completed(SendId, i64, SendCounts),
    /// Nothing happened: the owner wants to see an event.
    Test,
}

impl EventContent {
    /// The event's `type`.
    pub const fn kind(&self) -> EventType {
        match self {
            Self::Results(..) => EventType::DeliveryResults,
            Self::Completed(..) => EventType::SendCompleted,
            Self::Test => EventType::Test,
        }
    }

    /// Whom it names.
    pub fn recipients(&self) -> Vec<IdRange> {
        match self {
            Self::Results(_, groups) => {
                let recipients = groups.iter().flat_map(|group| &group.recipients);
                recipients.copied().collect()
            }
            Self::Completed(..) | Self::Test => Vec::new(),
        }
    }

    /// The send that it tells of.
    pub const fn send(&self) -> Option<&SendId> {
        match self {
            Self::Results(send, _) | Self::Completed(send, ..) => Some(send),
            Self::Test => None,
        }
    }
}

/// Recipients with the same outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultGroup {
    /// What became of them.
    pub status: ResultStatus,
    /// The last answer's status, if there was an answer.
    pub http_status: Option<u16>,
    /// Attempts that were made.
    pub attempts: u8,
    /// Who.
    pub recipients: Vec<IdRange>,
}

impl ResultGroup {
    /// How many they are.
    pub fn count(&self) -> usize {
        self.recipients.iter().map(|range| range.count()).sum()
    }
}

/// What somebody who could post claims.
#[derive(Clone, Copy, Debug)]
pub struct OutboxClaimRequest {
    /// The time.
    pub now: UnixMillis,
    /// How long the claim lasts.
    pub lease: Duration,
    /// Whether an outbox whose receiver was slow to answer will do.
    pub include_slow: bool,
}

/// The right to post an app's events, until it ends or is renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxLease {
    /// Whose events.
    pub app_id: AppId,
    /// Distinguishes this claim from every other.
    pub token: i64,
    /// Whether the receiver was slow to answer last time.
    pub is_slow: bool,
}

/// What a claim of an outbox found.
#[derive(Clone, Debug)]
pub enum NextOutbox {
    /// An outbox to look after.
    Claimed(OutboxLease),
    /// Nothing is due; the next outbox is due then, if there is one.
    Idle {
        /// When to ask again at the latest.
        next_due: Option<UnixMillis>,
    },
}

/// What its holder has to do for an outbox.
#[derive(Clone, Debug)]
pub enum DueEvents {
    /// Post these events.
    Post {
        /// The webhook as it is at that moment.
        webhook: WebhookRecord,
        /// Events never posted, in the order of settlement.
        first: Vec<WebhookEvent>,
        /// Events to be posted again: resends, then the others in the order in which they are due.
        again: Vec<WebhookEvent>,
    },
    /// The webhook is not active: what waits is discarded.
    Discard,
    /// The lease was lost.
    LeaseLost,
}

/// What an event takes with it when it leaves.
#[derive(Clone, Debug)]
pub struct AttemptInputs {
    /// The webhook as it is at that moment.
    pub webhook: WebhookRecord,
    /// Whom the event names.
    pub recipients: ReportedRecipients,
}

/// What became of an attempt.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The event's number.
    pub event: i64,
    /// When its owner asked for it, if it is a resend: it uses up no retry, and ends them when it arrives.
    pub resend: Option<UnixMillis>,
    /// Where it was posted.
    pub url: String,
    /// The value of `webhook-signature`; empty when it was not signed.
    pub signature: String,
    /// What came back.
    pub response: WebhookResponse,
    /// When it began, which `webhook-timestamp` says in seconds.
    pub started_at: UnixMillis,
    /// How long it took.
    pub duration: Duration,
    /// Whether that is slow.
    pub is_slow: bool,
    /// What is to be done.
    pub disposition: Disposition,
}

/// What an attempt means for its event and its webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// The event arrived.
    Arrived,
    /// It did not, and is posted again at this time, if at all.
    Failed(Option<UnixMillis>),
    /// Nobody wants events there any more.
    Gone,
}

/// Whether an attempt was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordAttemptOutcome {
    /// It was.
    Recorded,
    /// It was, and the webhook is switched off by it.
    SwitchedOff(DisabledReason),
    /// The lease was lost: nothing was recorded.
    LeaseLost,
}

/// Verbs of owners.
#[async_trait]
pub trait WebhookStore {
    /// The app's webhook; `None` while it has no URL.
    async fn webhook(
        &self,
        app: &AppId,
        now: UnixMillis,
    ) -> Result<Option<WebhookRecord>, StoreError>;

    /// Makes `sealed` the secret; the one before signs too until `until`.
    async fn rotate_secret(
        &self,
        app: &AppId,
        sealed: Vec<u8>,
        until: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Switches a switched-off webhook on.
    async fn enable_webhook(&self, app: &AppId) -> Result<EnableWebhookOutcome, StoreError>;

    /// Queues an event for the owner to see; `false` when the webhook is not active.
    async fn queue_test_event(&self, app: &AppId, now: UnixMillis) -> Result<bool, StoreError>;

    /// Queues an attempt to post an event of the app besides those that are due by themselves; `false` when there is none with
    /// this id that was posted before, or the webhook is not active.
    async fn resend_event(
        &self,
        app: &AppId,
        event: &WebhookEventId,
        now: UnixMillis,
    ) -> Result<bool, StoreError>;

    /// The app's newest attempts, newest first.
    async fn webhook_attempts(
        &self,
        app: &AppId,
        limit: u32,
    ) -> Result<Vec<AttemptRecord>, StoreError>;

    /// An event of the app.
    async fn webhook_event(
        &self,
        app: &AppId,
        event: &WebhookEventId,
    ) -> Result<Option<WebhookEvent>, StoreError>;

    /// Who these recipients are, as [`AttemptInputs`] has them.
    async fn reported_recipients(
        &self,
        recipients: &[IdRange],
    ) -> Result<ReportedRecipients, StoreError>;

    /// Removes at most `limit` attempts beyond the newest `kept` of each app, then events that are finished and have no attempt
    /// any more; whether some may be left.
    async fn purge_webhooks(&self, kept: u32, limit: u32) -> Result<bool, StoreError>;
}

/// Verbs of who posts.
#[async_trait]
pub trait WebhookQueue {
    /// Claims the outbox that has been due longest of those that will do.
    async fn claim_outbox(&self, claim: OutboxClaimRequest) -> Result<NextOutbox, StoreError>;

    /// What is due of an outbox but not among `in_flight`: at most `limit` of each kind.
    async fn due_events(
        &self,
        outbox: &OutboxLease,
        in_flight: &[i64],
        now: UnixMillis,
        limit: u32,
    ) -> Result<DueEvents, StoreError>;

    /// What an event of an outbox that names these recipients takes with it at `now`; `None` when the webhook is not active, or the
    /// lease was lost.
    async fn attempt_inputs(
        &self,
        outbox: &OutboxLease,
        recipients: &[IdRange],
        now: UnixMillis,
    ) -> Result<Option<AttemptInputs>, StoreError>;

    /// Records an attempt, if the lease is still held: the event's next one, if any, and the state of the webhook, which is
    /// switched off when it is gone or nothing has succeeded since `failing_limit` before `now`.
    async fn record_attempt(
        &self,
        outbox: &OutboxLease,
        attempt: Attempt,
        failing_limit: Duration,
        now: UnixMillis,
    ) -> Result<RecordAttemptOutcome, StoreError>;

    /// Keeps `sealed` as the app's first secret, unless it has one.
    async fn keep_first_secret(&self, app: &AppId, sealed: Vec<u8>) -> Result<(), StoreError>;

    /// Discards at most `limit` waiting events of an outbox; whether some may be left.
    async fn discard_events(&self, outbox: &OutboxLease, limit: u32) -> Result<bool, StoreError>;

    /// Extends a lease that is still held to `until`; `false` when it was lost.
    async fn renew_outbox(
        &self,
        outbox: &OutboxLease,
        until: UnixMillis,
    ) -> Result<bool, StoreError>;

    /// Gives an outbox back: it is due with its next event, but not before `not_before`.
    async fn release_outbox(
        &self,
        outbox: &OutboxLease,
        not_before: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Repairs due times after the clock was set back, as the delivery queue's verb does.
    async fn clamp_webhook_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError>;
}
