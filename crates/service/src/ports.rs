//! What the use cases and the delivery engine need of the world: a store, a queue, a clock and windows of rate limits.
//!
//! The store speaks in coarse verbs: one method is one transaction, and time is passed in. Limits are conditional writes
//! inside the verb, never a read before it.

mod account_search;
mod accounts;
mod apps;
mod checks;
mod clock;
mod engagement;
mod error;
mod github;
mod identity;
mod key_events;
mod keys;
mod listeners;
mod operator;
mod pictures;
mod profiles;
mod queue;
mod rate_window;
mod retention;
mod reviews;
mod scheduled_sends;
mod sealed;
mod send_search;
mod sends;
mod sessions;
mod stats;
mod subscriptions;
mod vapid_keys;
mod webhooks;

pub use account_search::{
    AccountSearchStore, Findings, FoundSend, FoundSubscription, SubscriptionKey,
};
pub use accounts::{AccountRecord, AccountStore, MonthlyUsage};
pub use apps::{
    AppChange, AppRecord, AppStore, ChangeAppOutcome, ChangedApp, CreateAppOutcome, MAX_ORIGINS,
    NewApp,
};
pub use checks::{CheckStore, Flaw};
pub use clock::{Clock, SystemClock};
pub use engagement::{EngagementCounts, EngagementReport, EngagementStore};
pub use error::StoreError;
pub use github::{GithubId, GithubStore, PendingLogin};
pub use identity::IdentityStore;
pub use key_events::{KeyEventKind, KeyEventRecord, KeyEventScope};
pub use keys::{
    AuthenticatedKey, CreateKeyOutcome, DeletedKey, KEY_EVENT_WINDOW, KeyRecord, KeyStore,
    MAX_KEY_EVENTS, MAX_KEYS, NewKeyRecord, PepperId, PepperedHash, RehashedKey, WaitingKey,
};
pub use listeners::{ListenerRecord, ListenerStore, MAX_ACCOUNT_LISTENERS, MAX_LISTENERS};
pub use operator::{AccountUsage, DatabaseFiles, OperatorStore};
pub use pictures::{AddPictureOutcome, MAX_PICTURES, NewPicture, PictureRecord, PictureStore};
pub use profiles::{ChangeProfileOutcome, ProfileRecord, ProfileStore};
pub use queue::{
    ClaimedPage, DeliveryQueue, ExpiredRecipient, FailureTally, JobId, NewDeadLetter, NextPage,
    PageClaimRequest, PageLease, PageRange, Recipient, RecipientId, RetryJob, SentRecipient,
    SettleOutcome, Settlement,
};
pub use rate_window::{CountedRequest, EntranceWindow, RateWindow, RequestLimit};
pub use retention::{DeactivationCursor, RetentionStore};
pub use reviews::{ReviewConclusion, ReviewStore};
pub use scheduled_sends::{ScheduledSend, ScheduledSendStore, StartSendOutcome};
pub use sealed::{ResealedText, SealedPlace, SealedStore, SealedText};
pub use send_search::{SendFilter, SendPage, SendSearchStore, has_text};
pub use sends::{
    AcceptSendOutcome, Audience, DeadLetterRecord, IdempotencyEntry, MAX_SCHEDULED, NewSend,
    SendConditions, SendCounts, SendFailure, SendFailures, SendRecord, SendStatus, SendStore,
    SentContent, WaitingRecipients,
};
pub use sessions::{NewSession, OpenSession, SessionRecord, SessionStore};
pub use stats::{
    DayCounts, LocalDayCounts, OverviewPeriod, SampledDevice, StatsPeriod, StatsRecord, StatsStore,
};
pub use subscriptions::{
    AudienceSummary, Deactivated, DeactivationReason, ExportCursor, ExportRecord,
    MAX_REGISTERED_TOGETHER, NewSubscription, ReachCount, RegisterOutcome, StateFilter,
    SubscriptionFilter, SubscriptionPage, SubscriptionRecord, SubscriptionStore,
};
pub use vapid_keys::{
    AddVapidKeyOutcome, MAX_VAPID_KEYS, NewVapidKey, VapidKeyAct, VapidKeyNumber, VapidKeyOutcome,
    VapidKeyRecord, VapidKeyStore, VapidKeyUse,
};
pub use webhooks::{
    Attempt, AttemptInputs, AttemptRecord, Disposition, EnableWebhookOutcome, EventContent,
    FailingRule, IdRange, MAX_WAITING_TESTS, NextOutbox, OutboxClaimRequest, OutboxLease,
    QueueTestOutcome, RecordAttemptOutcome, ReportedRecipient, ResultGroup, SealedSecrets,
    WebhookEvent, WebhookQueue, WebhookRecord, WebhookResponse, WebhookStore,
};

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::UnixMillis;

use crate::notifier::Notifier;

/// The whole store behind one object: a database that implements all the traits of this module.
#[async_trait]
pub trait Store:
    AccountStore
    + AccountSearchStore
    + SessionStore
    + AppStore
    + KeyStore
    + VapidKeyStore
    + SubscriptionStore
    + ProfileStore
    + IdentityStore
    + StatsStore
    + SendStore
    + SendSearchStore
    + ScheduledSendStore
    + DeliveryQueue
    + EngagementStore
    + RetentionStore
    + ReviewStore
    + GithubStore
    + OperatorStore
    + SealedStore
    + CheckStore
    + WebhookStore
    + WebhookQueue
    + ListenerStore
    + PictureStore
    + Send
    + Sync
    + 'static
{
    /// Runs a trivial statement; an error means that the database does not answer.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Gives a bounded part of the space of removed rows back to the disk, and says whether more may be left.
    async fn give_back_space(&self) -> Result<bool, StoreError>;

    /// The windows of a limit that all processes on the database share; `None` where one process answers all clients and counts in
    /// its memory.
    fn rate_window(self: Arc<Self>, _limit: RequestLimit) -> Option<Arc<dyn RateWindow>> {
        None
    }

    /// The same for a limit of clients and one of their sites.
    fn entrance_window(
        self: Arc<Self>,
        _client: RequestLimit,
        _site: RequestLimit,
    ) -> Option<Arc<dyn EntranceWindow>> {
        None
    }

    /// Removes at most `limit` windows that have ended, and says whether some may be left.
    async fn purge_rate_windows(&self, _limit: u32) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Takes the lease of the sweep, under which one process at a time removes what is too old, for `holder`, a number that its janitor
    /// has drawn, or renews it; `false` while another process holds it, and when the clock that shows `now` is far off. A store that does
    /// not tell processes apart lends it to all.
    async fn lease_sweep(
        &self,
        _holder: i64,
        _now: UnixMillis,
        _lease: Duration,
    ) -> Result<bool, StoreError> {
        Ok(true)
    }

    /// Gives the lease of the sweep back, if `holder` has it.
    async fn end_sweep(&self, _holder: i64) -> Result<(), StoreError> {
        Ok(())
    }

    /// Says that a server has the store open, until it is closed, so that nobody copies the whole of it meanwhile; fails while somebody does.
    /// A file that is open is locked anyway.
    async fn announce_server(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Tells other processes on the same database what `notifier` gathers for them, and `notifier` what they tell, until the store
    /// is closed. Where there is no way to tell, it does nothing: then their polling finds what is queued.
    async fn relay_wake_ups(&self, _notifier: &Notifier) {}

    /// Compares the clock with that of a database which processes share, and says in the log when it begins or ceases to differ by more
    /// than 2 s. From the first comparison on, nothing is claimed by a clock that is more than 10 s off.
    async fn compare_clock(&self, _clock: &dyn Clock) -> Result<(), StoreError> {
        Ok(())
    }

    /// Finishes what is being written and closes the database.
    async fn close(&self);
}
