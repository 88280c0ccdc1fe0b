//! The delivery queue: pages of recipients that are claimed, delivered and settled.
//!
//! A job is a page: a send with a range of subscriptions or a list of them, an attempt and the time when it is due. Claiming
//! moves that time to the end of a lease and hands out a token; only the holder of the token settles. So a page whose
//! process died is due again by itself, may be delivered twice, and is never counted twice.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{
    AppId, BrowserKeys, Endpoint, FailureReason, SendId, SubscriptionId, Topic, Ttl, UnixMillis,
    Urgency,
};

use super::StoreError;

/// A job's number in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub i64);

/// A subscription's number in the store, which is not its public id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecipientId(pub i64);

/// The right to settle a page, until it ends or is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageLease {
    /// Which page.
    pub job: JobId,
    /// Distinguishes this claim of the page from every other.
    pub token: i64,
}

/// Which of an app's subscriptions a page holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageRange {
    /// Those active with a position in `after < position <= up_to`.
    Positions {
        /// Exclusive lower bound.
        after: i64,
        /// Inclusive upper bound.
        up_to: i64,
    },
    /// Those of this list that are active.
    List(Vec<RecipientId>),
}

/// A claimed page: everything needed to deliver it but its recipients.
#[derive(Clone, Debug)]
pub struct ClaimedPage {
    /// The right to settle it.
    pub lease: PageLease,
    /// The send it belongs to.
    pub send_id: SendId,
    /// The sending app.
    pub app_id: AppId,
    /// Which subscriptions.
    pub range: PageRange,
    /// 0 for the first attempt, up to 3 (SPEC 8).
    pub attempt: u8,
    /// The plaintext of the push, at most 3,072 bytes.
    pub payload: String,
    /// As the sender gave it, counted from `accepted_at`.
    pub ttl: Ttl,
    /// As the sender gave it.
    pub urgency: Option<Urgency>,
    /// As the sender gave it.
    pub topic: Option<Topic>,
    /// When the send was accepted.
    pub accepted_at: UnixMillis,
    /// The app's VAPID public key, 65 bytes.
    pub vapid_public_key: Vec<u8>,
    /// The app's VAPID private key, sealed and bound to the app's id.
    pub sealed_private_key: Vec<u8>,
}

/// What a claim asks for.
#[derive(Clone, Debug)]
pub struct PageClaimRequest {
    /// The current time.
    pub now: UnixMillis,
    /// How long the page stays claimed unless the lease is renewed.
    pub lease: Duration,
    /// Most recipients of a broadcast's page.
    pub max_recipients: u32,
    /// Apps whose pages are left to a later claim.
    pub excluded_apps: Vec<AppId>,
}

/// What a claim found.
#[derive(Clone, Debug)]
pub enum NextPage {
    /// A page to deliver.
    Claimed(Box<ClaimedPage>),
    /// Nothing is due, excluded apps aside; the next job is due then, if there is one.
    Idle {
        /// When to ask again at the latest.
        next_due: Option<UnixMillis>,
    },
}

/// A recipient of a page.
#[derive(Clone, Debug)]
pub struct Recipient {
    /// Its number in the store.
    pub id: RecipientId,
    /// `sub_…`.
    pub subscription_id: SubscriptionId,
    /// Where to push.
    pub endpoint: Endpoint,
    /// For whom to encrypt.
    pub keys: BrowserKeys,
}

/// A recipient whose push service took the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentRecipient {
    /// Who.
    pub recipient: RecipientId,
    /// 200, 201, 202 or 204.
    pub http_status: u16,
}

/// A recipient that finally failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewDeadLetter {
    /// Who.
    pub recipient: RecipientId,
    /// Why.
    pub reason: FailureReason,
    /// The last answer's status, if there was an answer.
    pub http_status: Option<u16>,
}

/// A recipient whose subscription is gone: it is deactivated (SPEC 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpiredRecipient {
    /// Who.
    pub recipient: RecipientId,
    /// 404 or 410.
    pub http_status: u16,
}

/// Recipients of a page that finally failed at one push service for one reason; gone subscriptions included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureTally {
    /// The endpoints' host.
    pub host: String,
    /// `expired`, or the reason of a dead letter as [`FailureReason::as_str`] has it.
    pub reason: &'static str,
    /// How many.
    pub recipients: i64,
}

/// Recipients to be tried again, together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryJob {
    /// Who.
    pub recipients: Vec<RecipientId>,
    /// The attempt to come: 1 to 3, or the page's own for recipients whose outcome an interruption left unknown.
    pub attempt: u8,
    /// When.
    pub due_at: UnixMillis,
}

/// What became of a page. A recipient stands in exactly one place; those of the page that stand in none were no longer
/// active.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Whose message was taken.
    pub sent: Vec<SentRecipient>,
    /// Whose subscription is gone.
    pub expired: Vec<ExpiredRecipient>,
    /// Who finally failed.
    pub dead_letters: Vec<NewDeadLetter>,
    /// `expired` and `dead_letters` once more, by push service and reason.
    pub tallies: Vec<FailureTally>,
    /// Who is to be tried again.
    pub retries: Vec<RetryJob>,
}

/// Whether a settlement counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// It is recorded and the page is gone.
    Recorded,
    /// The same, and events for the app's webhook wait to be posted.
    RecordedWithEvents,
    /// The lease was lost (it ended, or the page's app was deleted): nothing was recorded.
    LeaseLost,
}

/// Verbs of the queue.
#[async_trait]
pub trait DeliveryQueue {
    /// Claims the page that has been due longest, until `now + lease`. Of a broadcast, it takes a page of at most
    /// `max_recipients` off the front and puts the rest back at the tail, in the same transaction.
    async fn claim_page(&self, claim: PageClaimRequest) -> Result<NextPage, StoreError>;

    /// Repairs due times after the clock was set back. What is due later than anything can have to wait, or belongs to a
    /// send that was accepted in what is the future, is due at `now`; a lease that ends later than any can ends at
    /// `now + lease`.
    async fn clamp_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError>;

    /// The page's recipients that are active now, at most those of the page.
    async fn recipients(&self, page: &ClaimedPage) -> Result<Vec<Recipient>, StoreError>;

    /// Extends the leases that are still held to `until`.
    async fn renew_leases(&self, leases: &[PageLease], until: UnixMillis)
    -> Result<(), StoreError>;

    /// Records what became of a page, if the lease is still held: counters, deactivations, dead letters, retry jobs, the
    /// end of the send when this was its last page, events for the app's webhook, and removal of the page.
    async fn settle(
        &self,
        page: &ClaimedPage,
        settlement: Settlement,
        now: UnixMillis,
    ) -> Result<SettleOutcome, StoreError>;

    /// Gives a page back undelivered, due again at `due_at`, if the lease is still held.
    async fn release(&self, lease: PageLease, due_at: UnixMillis) -> Result<(), StoreError>;
}
