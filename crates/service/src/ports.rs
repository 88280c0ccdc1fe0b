//! What the use cases and the delivery engine need of the world: a store, a queue and a clock.
//!
//! The store speaks in coarse verbs: one method is one transaction, and time is passed in. Limits are conditional writes
//! inside the verb, never a read before it.

mod accounts;
mod apps;
mod clock;
mod keys;
mod queue;
mod sends;
mod sessions;
mod subscriptions;

pub use accounts::{AccountRecord, AccountStore, NewAccount};
pub use apps::{AppRecord, AppStore, CreatedApp, NewApp};
pub use clock::{Clock, SystemClock};
pub use keys::{KeyRecord, KeyStore, NewKeyRecord, PepperedHash};
pub use queue::{
    ClaimedPage, DeadLetter, DeliveryQueue, Expired, JobId, Lease, NextPage, PageRange, Recipient,
    RecipientId, RetryJob, Settled, Settlement,
};
pub use sends::{AcceptedSend, Audience, NewSend, SendCounts, SendRecord, SendStatus, SendStore};
pub use sessions::{SessionRecord, SessionStore};
pub use subscriptions::{NewSubscription, RegisteredSubscription, SubscriptionStore};

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
    + SendStore
    + DeliveryQueue
    + Send
    + Sync
    + 'static
{
    /// Asks the database for a sign of life.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Finishes what is being written and closes the database.
    async fn close(&self);
}
