//! The delivery queue: pages of recipients that are claimed, delivered and settled.
//!
//! A job is a page, or the rest of a broadcast that is still to be paged: a send with a range of subscriptions or a list of them, an
//! attempt and the time when it is due. Claiming moves that time to the end of a lease and hands out a token; only the holder of the
//! token settles. So a page whose process died is due again by itself, may be delivered twice, and is never counted twice.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{
    AppId, BrowserKeys, Endpoint, FailureDetail, FailureReason, MessageSettings, Schedule, SendId,
    SubscriptionId, Topic, Ttl, UnixMillis, Urgency,
};

use super::{StoreError, VapidKeyNumber};

/// The number of a job in the queue, a row of the table `jobs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub i64);

/// A subscription's number in the store, which is not its public id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecipientId(pub i64);

/// The right to settle a page, which ends with the time given to the claim unless it is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageLease {
    /// The job whose page was claimed.
    pub job: JobId,
    /// What tells this claim of the page from every other: settling with another token is refused.
    pub token: i64,
}

/// Which of an app's subscriptions a page holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageRange {
    /// The active subscriptions with a position in `after < position <= up_to`.
    Positions {
        /// The last position before the page.
        after: i64,
        /// The last position of the page.
        up_to: i64,
    },
    /// The active subscriptions of this list.
    List(Vec<RecipientId>),
    /// The active subscriptions at these positions, which are at least one and in their order.
    Selected(Vec<i64>),
}

/// A claimed page: everything needed to deliver it but its recipients.
#[derive(Clone, Debug)]
pub struct ClaimedPage {
    /// The right to settle the page.
    pub lease: PageLease,
    /// The send that the page is a part of.
    pub send_id: SendId,
    /// The app that sends.
    pub app_id: AppId,
    /// The subscriptions that the page is for.
    pub range: PageRange,
    /// 0 for the first attempt, up to 3 (SPEC 8).
    pub attempt: u8,
    /// The message as the worker reads it, at most 3,993 bytes without a recipient's token.
    pub payload: String,
    /// What the app says of its messages now, which decides in which forms this one goes out.
    pub messages: MessageSettings,
    /// The TTL that the sender gave, counted from `accepted_at`.
    pub ttl: Ttl,
    /// The urgency that the sender gave (RFC 8030 §5.3).
    pub urgency: Option<Urgency>,
    /// The topic that the sender gave (RFC 8030 §5.4).
    pub topic: Option<Topic>,
    /// When the send was accepted, or due if that was later: from then on its TTL counts.
    pub accepted_at: UnixMillis,
    /// When the send was due, until when its message is worth something, and how fast it goes.
    pub schedule: Schedule,
    /// The app's primary VAPID key.
    pub vapid_key: VapidKeyNumber,
    /// Its private half, sealed and bound to the app's id.
    pub sealed_private_key: Vec<u8>,
    /// How far the clock of who claimed it is ahead of the one that the page's times go by, ms.
    pub clock_lead: i64,
}

impl ClaimedPage {
    /// The time by the clock that the page's times go by, when that of who claimed it shows `own`.
    pub const fn time(&self, own: UnixMillis) -> UnixMillis {
        UnixMillis(own.0 - self.clock_lead)
    }

    /// When the message's time is over: at the end of its TTL, or when it expires if that is earlier. A TTL of 0 has no end.
    pub fn ends_at(&self) -> Option<UnixMillis> {
        let ttl = Duration::from_secs(self.ttl.seconds().into());
        let end_of_ttl = (!ttl.is_zero()).then(|| self.accepted_at.plus(ttl));
        let ends = [end_of_ttl, self.schedule.expires_at()];
        ends.into_iter().flatten().min()
    }

    /// Whether a first attempt of it may begin only soon after its claim, and otherwise waits for another page.
    pub fn is_paced(&self) -> bool {
        self.attempt == 0 && self.schedule.pace().is_some()
    }
}

/// What a worker asks for when it claims a page.
#[derive(Clone, Debug)]
pub struct PageClaimRequest {
    /// The current time, by which pages are due.
    pub now: UnixMillis,
    /// How long the page stays claimed unless the lease is renewed.
    pub lease: Duration,
    /// Most recipients that a broadcast's page takes off the front.
    pub max_recipients: u32,
    /// Apps whose pages are left to a later claim: they have as many in flight as one app may, or it is another's turn.
    pub excluded_apps: Vec<AppId>,
    /// Whether what is left of a broadcast becomes two jobs instead of one, so that others find one while one is being claimed.
    pub splits_rest: bool,
}

/// What became of a claim.
#[derive(Debug)]
pub enum NextPage {
    /// A page to deliver, leased to the caller.
    Claimed(Box<ClaimedPage>),
    /// The job that was due longest cannot be read. It was put off for an hour, so that others' jobs are claimed.
    Unreadable {
        /// The job's number in the queue.
        job: JobId,
        /// What is wrong with it.
        error: StoreError,
    },
    /// Nothing is to be claimed, excluded apps aside; the next job is due then, if there is one.
    Idle {
        /// When to ask again at the latest. Not after the time of the request: what is due is being claimed by others.
        next_due: Option<UnixMillis>,
    },
}

/// A recipient of a page, with what encrypting and pushing need.
#[derive(Clone, Debug)]
pub struct Recipient {
    /// The recipient's number in the store.
    pub id: RecipientId,
    /// The subscription's public id, `sub_…`.
    pub subscription_id: SubscriptionId,
    /// The URL of the push service that the message is posted to.
    pub endpoint: Endpoint,
    /// The browser's keys that the message is encrypted for (RFC 8291).
    pub keys: BrowserKeys,
    /// The app's VAPID key that the subscription was made with, and that must sign what is pushed to it.
    pub vapid_key: VapidKeyNumber,
}

/// A recipient whose push service took the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentRecipient {
    /// The recipient's number in the store.
    pub recipient: RecipientId,
    /// The push service's response: 200, 201, 202 or 204.
    pub http_status: u16,
}

/// A recipient that finally failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeadLetter {
    /// The recipient's number in the store.
    pub recipient: RecipientId,
    /// Why the delivery failed.
    pub reason: FailureReason,
    /// The last response's status, if there was one.
    pub http_status: Option<u16>,
    /// How many requests were begun (CONTRACT 4).
    pub attempts: u8,
    /// What the push service or the connection said.
    pub detail: Option<FailureDetail>,
}

impl NewDeadLetter {
    /// Whether the push service refused the message for its recipient: a 4xx other than 404, 410 and 429, which have outcomes
    /// of their own (CONTRACT 7). Enough refusals in a row deactivate the subscription.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self.reason,
            FailureReason::KeyMismatch | FailureReason::Refused
        ) && matches!(self.http_status, Some(400..=499))
    }
}

/// A recipient whose subscription is gone: it is deactivated (SPEC 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpiredRecipient {
    /// The recipient's number in the store.
    pub recipient: RecipientId,
    /// The push service's response: 404 or 410 (RFC 8030 §7.3).
    pub http_status: u16,
}

/// Recipients of a page that finally failed at one push service for one reason; gone subscriptions included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureTally {
    /// The host of the endpoints, which names the push service.
    pub host: String,
    /// [`Self::EXPIRED`], or the reason of a dead letter as [`FailureReason::as_str`] has it.
    pub reason: &'static str,
    /// How many recipients failed so.
    pub recipients: i64,
}

impl FailureTally {
    /// The reason under which gone subscriptions are tallied.
    pub const EXPIRED: &'static str = "expired";
}

/// Recipients to be tried again together, as one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryJob {
    /// The numbers of the recipients in the store.
    pub recipients: Vec<RecipientId>,
    /// The attempt to come: 1 to 3, or the page's own for recipients who were deferred, or whose outcome an interruption left unknown.
    pub attempt: u8,
    /// When the job is due.
    pub due_at: UnixMillis,
}

/// What became of a page. A recipient stands in exactly one place; those of the page that stand in none were no longer
/// active.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Recipients whose message the push service took.
    pub sent: Vec<SentRecipient>,
    /// Recipients whose subscription is gone.
    pub expired: Vec<ExpiredRecipient>,
    /// Recipients that finally failed for another reason.
    pub dead_letters: Vec<NewDeadLetter>,
    /// `expired` and `dead_letters` once more, by push service and reason.
    pub tallies: Vec<FailureTally>,
    /// Recipients that are to be tried again.
    pub retries: Vec<RetryJob>,
}

/// Whether a settlement was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// The settlement is recorded and the page is gone.
    Recorded,
    /// The same, and events for the app's webhook wait to be posted.
    RecordedWithEvents,
    /// The lease was lost (it ended, or the page's app was deleted): nothing was recorded.
    LeaseLost,
}

/// What the store does with the queue.
#[async_trait]
pub trait DeliveryQueue {
    /// Claims the page that has been due longest, until `now + lease`. Of a broadcast, it takes a page of at most
    /// `max_recipients` off the front and puts the rest back at the tail, in the same transaction. A job that cannot be read is
    /// put off instead ([`NextPage::Unreadable`]). First attempts of a paced send come in smaller pages, each when it is their time.
    async fn claim_page(&self, claim: PageClaimRequest) -> Result<NextPage, StoreError>;

    /// Repairs due times after the clock was set back. What is due later than anything can have to wait, or belongs to a
    /// send that was accepted in what is the future, is due at `now`; a lease that ends later than any can ends at
    /// `now + lease`.
    async fn repair_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError>;

    /// The page's recipients that are active now, at most those of the page.
    async fn recipients(&self, page: &ClaimedPage) -> Result<Vec<Recipient>, StoreError>;

    /// The private half of one of the app's VAPID keys, sealed and bound to the app's id; `None` when the app has no such key.
    async fn sealed_vapid_key(
        &self,
        app: &AppId,
        key: VapidKeyNumber,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Extends a lease that is still held: it lasts for so long from now on. `false` when another claim has replaced it, or the page is
    /// settled.
    async fn renew_lease(
        &self,
        lease: PageLease,
        now: UnixMillis,
        lasting: Duration,
    ) -> Result<bool, StoreError>;

    /// Records what became of a page, if the lease is still held: counters, deactivations, dead letters (as many as the send has
    /// room for, [`hato_domain::MAX_DEAD_LETTERS`]), retry jobs, the end of the send when this was its last page, events for the
    /// app's webhook, and removal of the page. All times go by the page's clock ([`ClaimedPage::time`]).
    async fn settle(
        &self,
        page: &ClaimedPage,
        settlement: Settlement,
        now: UnixMillis,
    ) -> Result<SettleOutcome, StoreError>;

    /// Gives a page back undelivered, due again when it has waited for so long from now on, if the lease is still held.
    async fn release(
        &self,
        lease: PageLease,
        now: UnixMillis,
        wait: Duration,
    ) -> Result<(), StoreError>;
}
