//! What the use cases and the delivery engine need of the world: a store, a queue and a clock.
//!
//! The store speaks in coarse verbs: one method is one transaction, and time is passed in. Limits are conditional writes
//! inside the verb, never a read before it.

mod accounts;
mod apps;
mod clock;
mod github;
mod keys;
mod operator;
mod queue;
mod retention;
mod sends;
mod sessions;
mod stats;
mod subscriptions;
mod webhooks;

pub use accounts::{AccountRecord, AccountStore, MonthUse, NewAccount};
pub use apps::{AppRecord, AppStore, CreatedApp, NewApp, WebhookSet};
pub use clock::{Clock, SystemClock};
pub use github::{GithubId, GithubStore, PendingLogin};
pub use keys::{
    DeletedKey, KeyEvent, KeyEventRecord, KeyRecord, KeyStore, NewKeyRecord, PepperedHash, UsedKey,
};
pub use operator::{AccountUse, OperatorStore};
pub use queue::{
    Claim, ClaimedPage, DeadLetter, DeliveryQueue, Expired, FailureTally, JobId, Lease, NextPage,
    PageRange, Recipient, RecipientId, RetryJob, Sent, Settled, Settlement,
};
pub use retention::Retention;
pub use sends::{
    AcceptedSend, Audience, DeadLetterRecord, NewSend, Repeatable, SendCounts, SendFailure,
    SendRecord, SendStatus, SendStore,
};
pub use sessions::{OpenSession, SessionRecord, SessionStore};
pub use stats::{DayCounts, StatsPeriod, StatsRecord, StatsStore};
pub use subscriptions::{
    Deactivated, DeactivationReason, NewSubscription, RegisteredSubscription, StateFilter,
    SubscriptionFilter, SubscriptionPage, SubscriptionRecord, SubscriptionStore,
};
pub use webhooks::{
    Agenda, Attempt, AttemptRecord, AttemptRecorded, EventContent, KnownRecipient, KnownRecipients,
    LaneClaim, LaneLease, NextLane, PostReply, Posting, RecipientRun, ResultGroup, SealedSecrets,
    Verdict, WebhookEnabled, WebhookEvent, WebhookQueue, WebhookRecord, WebhookStore,
};

use async_trait::async_trait;

/// A store did not do what it was asked: the cause is for the log, never for a client.
#[derive(Debug, thiserror::Error)]
#[error("{context}: {source}")]
pub struct StoreError {
    /// What was being done.
    pub context: &'static str,
    /// Why it failed.
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Every store verb, behind one object.
#[async_trait]
pub trait Store:
    AccountStore
    + SessionStore
    + AppStore
    + KeyStore
    + SubscriptionStore
    + StatsStore
    + SendStore
    + DeliveryQueue
    + Retention
    + GithubStore
    + OperatorStore
    + WebhookStore
    + WebhookQueue
    + Send
    + Sync
    + 'static
{
    /// Asks the database for a sign of life.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Finishes what is being written and closes the database.
    async fn close(&self);
}
