//! Webhooks in the store: their settings, the outbox, and the attempts that were made to post.
//!
//! An event is written in the transaction that counts what it tells of, and only for an app whose webhook is active: it has
//! a URL, its account's plan allows it and it was not disabled. An app's events are its outbox. Whoever holds the lease of
//! an outbox posts its events and alone records the attempts, so an event whose process died is posted again under the same id.

mod events;
mod outbox;

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{
    AppId, DisabledReason, EventType, NoResponseReason, SendId, UnixMillis, WebhookEventId,
};

use super::StoreError;
pub use events::{EventContent, IdRange, ReportedRecipient, ResultGroup, WebhookEvent};
pub use outbox::{
    Attempt, AttemptInputs, Disposition, FailingRule, NextOutbox, OutboxClaimRequest, OutboxLease,
    RecordAttemptOutcome, WebhookQueue,
};

/// An app's webhook as it is set up.
#[derive(Clone, Debug)]
pub struct WebhookRecord {
    /// The `https` address that events are posted to.
    pub url: String,
    /// The secrets that sign events, sealed.
    pub secrets: SealedSecrets,
    /// Why no events are posted; `None` when they are.
    pub disabled: Option<DisabledReason>,
}

/// Secrets of 32 bytes, sealed for one purpose of the app: a webhook's [`crate::SealPurpose::SigningSecret`], or a site's
/// [`crate::SealPurpose::IdentitySecret`].
#[derive(Clone, Debug, Default)]
pub struct SealedSecrets {
    /// The secret; `None` until one is needed.
    pub current: Option<Vec<u8>>,
    /// The secret before the last rotation and when it expires; `None` once it has.
    pub previous: Option<(Vec<u8>, UnixMillis)>,
}

/// The outcome of [`WebhookStore::enable_webhook`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnableWebhookOutcome {
    /// The webhook is on.
    Done,
    /// The account's plan is not [`hato_domain::Plan::FOR_WEBHOOKS`].
    PlanRequired,
    /// The app has no webhook URL.
    NoWebhook,
}

/// Most test events of an app that wait to be posted (CONTRACT 18).
pub const MAX_WAITING_TESTS: i64 = 100;

/// The outcome of [`WebhookStore::queue_test_event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueTestOutcome {
    /// The event waits to be posted.
    Queued,
    /// [`MAX_WAITING_TESTS`] wait already; nothing was stored.
    LimitReached,
    /// The webhook is not active.
    NoWebhook,
}

/// An attempt to post an event, as the owner reads it.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    /// The id of the event, `msg_…`, the same in every attempt.
    pub event_id: WebhookEventId,
    /// What the event tells, which is its `type` in JSON.
    pub kind: EventType,
    /// The send that the event tells of.
    pub send_id: Option<SendId>,
    /// 1 for the event's first attempt; resends count.
    pub attempt: u32,
    /// The address that the event was posted to.
    pub url: String,
    /// What the receiver answered.
    pub response: WebhookResponse,
    /// When the attempt began.
    pub started_at: UnixMillis,
    /// How long it took.
    pub duration: Duration,
    /// The value of `webhook-signature`; empty when the attempt was not signed.
    pub signature: String,
    /// When the event is posted again by itself.
    pub next_at: Option<UnixMillis>,
}

/// What came back from a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookResponse {
    /// The receiver answered, with whatever status.
    Received {
        /// The HTTP status, of which every 2xx means that the event arrived.
        status: u16,
        /// The first kilobyte of its body.
        text: String,
    },
    /// The receiver was not reached or did not answer in time.
    NotReceived(NoResponseReason),
}

/// What owners of apps do with their webhook: read it, rotate its secret, switch it on, and send events by hand.
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

    /// Enables a disabled webhook.
    async fn enable_webhook(&self, app: &AppId) -> Result<EnableWebhookOutcome, StoreError>;

    /// Queues a test event, if the webhook is active and fewer than [`MAX_WAITING_TESTS`] wait.
    async fn queue_test_event(
        &self,
        app: &AppId,
        now: UnixMillis,
    ) -> Result<QueueTestOutcome, StoreError>;

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

    /// The subscriptions with numbers in these ranges, in the order of their numbers; those that were removed are missing.
    async fn reported_recipients(
        &self,
        recipients: &[IdRange],
    ) -> Result<Vec<ReportedRecipient>, StoreError>;

    /// Removes at most `limit` attempts beyond the newest `kept` of each app, then events that are finished and have no attempt
    /// any more; whether some may be left.
    async fn purge_webhooks(&self, kept: u32, limit: u32) -> Result<bool, StoreError>;
}
