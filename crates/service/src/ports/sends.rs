//! What sending and the history need of the store.

use async_trait::async_trait;
use hato_domain::{
    AccountId, AppId, AudienceFilter, DeadLetterId, Endpoint, ErrorCode, IdempotencyKey,
    MAX_DEAD_LETTERS, Notification, Pace, PageRequest, PositionSet, PushOptions, Schedule, SendId,
    UnixMillis, text_enum,
};

use super::{EngagementCounts, StoreError};
use crate::actor::ActorRecord;

/// The subscriptions that a send is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every subscription of the app that is active when the send is accepted.
    Everyone,
    /// The active subscription with this endpoint.
    One(Endpoint),
    /// The active subscriptions among those with these endpoints, which are distinct.
    Listed(Vec<Endpoint>),
    /// The active subscriptions that meet these conditions at one moment before the send is accepted (CONTRACT 12).
    Matching(AudienceFilter),
    /// The same, as the store has found them: the subscriptions at these positions.
    Selected(AudienceFilter, PositionSet),
}

/// Most sends of an app that are scheduled at a time: each holds its whole content, and the month is charged only when it is due.
pub const MAX_SCHEDULED: i64 = 10_000;

/// A request that its client may repeat (CONTRACT 6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyEntry {
    /// The name that the client gave to the request.
    pub key: IdempotencyKey,
    /// The path it was sent to, without the app: the same key on another path is another request.
    pub path: &'static str,
    /// SHA-256 of the request's body: the same key with another body is a conflict.
    pub body_hash: [u8; 32],
}

/// A send that the store is to accept.
#[derive(Clone, Debug)]
pub struct NewSend {
    /// The send's id, `snd_…`.
    pub id: SendId,
    /// The app that sends.
    pub app_id: AppId,
    /// The account that the app belongs to, whose month the recipients count toward.
    pub account_id: AccountId,
    /// What the browser shows.
    pub notification: Notification,
    /// TTL, urgency and topic, which go to the push service as headers.
    pub options: PushOptions,
    /// The subscriptions that the send is for.
    pub audience: Audience,
    /// When it is due, until when, and how fast it goes.
    pub schedule: Schedule,
    /// The user or key that the history names as the sender.
    pub actor: ActorRecord,
    /// What makes it the same as an earlier request.
    pub idempotency: Option<IdempotencyEntry>,
    /// Most sends of the app that are accepted in a window of 60 s (CONTRACT 18); `None` is no limit.
    pub max_per_minute: Option<i64>,
    /// When the send is accepted: the current time.
    pub now: UnixMillis,
}

/// What became of a send that was to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcceptSendOutcome {
    /// The send is charged, recorded and queued, and on disk. Nothing is left to do for 0 recipients.
    Queued {
        /// How many recipients it is queued for.
        recipients: i64,
    },
    /// The send is recorded and waits for its time; its recipients are taken and charged then.
    Scheduled,
    /// The same request was accepted before; nothing was stored.
    Replayed {
        /// The id of the send that was accepted then.
        send_id: SendId,
        /// How many recipients it was queued for.
        recipients: i64,
    },
    /// The idempotency key was used with another body; nothing was stored.
    Conflict,
    /// A time of its schedule is not ahead, or too far; nothing was stored.
    NotAhead,
    /// As many sends of the app wait for their time as may ([`MAX_SCHEDULED`]); nothing was stored.
    TooManyScheduled,
    /// There is no such app any more, or no active subscription with the endpoint.
    NotFound,
    /// As many sends of the app were accepted in this window of 60 s as may be; nothing was stored.
    OverRateLimit,
    /// The send would pass the account's monthly limit; nothing was stored.
    OverMonthlyLimit,
}

text_enum!(
    /// How far the delivery of a send is (CONTRACT 4, 14).
    SendStatus or ErrorCode::InvalidInput {
        /// The send waits for its time.
        Scheduled = "scheduled",
        /// No page of the send was claimed yet.
        Queued = "queued",
        /// Some pages are not settled.
        Sending = "sending",
        /// Every recipient is accounted for.
        Done = "done",
        /// The send was stopped, and every recipient is accounted for.
        Cancelled = "cancelled",
        /// The send was refused when it was due, and nobody got anything.
        Refused = "refused",
    }
);

/// The recipients of a send by outcome. Once a send is done they add up to its recipients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendCounts {
    /// Recipients whose message the push service took.
    pub sent: i64,
    /// Recipients whose subscription was gone.
    pub failed_expired: i64,
    /// Recipients that failed for another reason.
    pub failed_other: i64,
    /// Recipients that were no longer subscribed when their page was delivered; known once the send is done.
    pub skipped: i64,
    /// Recipients that were not reached because the send was cancelled.
    pub cancelled: i64,
}

impl SendCounts {
    /// Recipients that failed without a dead letter, because the send had [`MAX_DEAD_LETTERS`] already.
    pub fn omitted_dead_letters(&self) -> i64 {
        (self.failed_other - MAX_DEAD_LETTERS).max(0)
    }
}

/// Recipients of a send whom push services, or this machine, have put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingRecipients {
    /// How many wait for another attempt.
    pub recipients: i64,
    /// When the first of them are due.
    pub next_at: UnixMillis,
    /// Whether more may wait: only so many pages are looked at.
    pub is_cut_short: bool,
}

/// A send as the history shows it (SPEC 2.5).
#[derive(Clone, Debug)]
pub struct SendRecord {
    /// The send's id, `snd_…`.
    pub id: SendId,
    /// The title of the notification that was sent.
    pub title: String,
    /// The text of the notification, which browsers show below the title.
    pub body: String,
    /// The link that a click opens.
    pub url: Option<String>,
    /// How far the delivery is.
    pub status: SendStatus,
    /// How many recipients the send was queued for.
    pub recipients: i64,
    /// The recipients by outcome.
    pub counts: SendCounts,
    /// The user or key that sent it.
    pub actor: ActorRecord,
    /// When the send was accepted.
    pub created_at: UnixMillis,
    /// When the last recipient was accounted for.
    pub finished_at: Option<UnixMillis>,
    /// When it is or was due, until when, and how fast it goes.
    pub schedule: Schedule,
    /// The code for which it was refused when it was due.
    pub refused_reason: Option<String>,
    /// What its recipients did, as far as they report it.
    pub engagement: EngagementCounts,
    /// The conditions of a send to a part of the audience, where one send is asked for; lists leave them out.
    pub conditions: Option<SendConditions>,
    /// Those who wait for another attempt, where one send is asked for; lists leave them out.
    pub waiting: Option<WaitingRecipients>,
}

/// What is remembered of the conditions by which a send had its recipients (CONTRACT 12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendConditions {
    /// How many users were named, if any.
    pub users: Option<usize>,
    /// What was to hold of the tags, if anything.
    pub tags: Option<String>,
}

/// What a send said, and how it was to be treated: enough to write it again.
#[derive(Clone, Debug)]
pub struct SentContent {
    /// The title of the notification.
    pub title: String,
    /// The text below the title.
    pub body: String,
    /// The link that a click opens.
    pub url: Option<String>,
    /// The whole notification as browsers got it, JSON; empty for a send to nobody, of which less is kept.
    pub payload: String,
    /// TTL, urgency and topic.
    pub options: PushOptions,
    /// How fast it went at most.
    pub pace: Option<Pace>,
    /// The conditions of a send to a part of the audience.
    pub conditions: Option<SendConditions>,
}

/// Recipients of a send that finally failed at one push service for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendFailure {
    /// The host of the endpoints, which names the push service.
    pub host: String,
    /// Why they failed: `expired`, or one of [`hato_domain::FailureReason::as_str`].
    pub reason: String,
    /// How many recipients failed so.
    pub recipients: i64,
}

/// The failures of a send with the most recipients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendFailures {
    /// The failures that were found, most recipients first.
    pub items: Vec<SendFailure>,
    /// Whether only some of the send's failures were looked at, or none: there are too many of them, or it would take too long.
    pub is_cut_short: bool,
}

impl SendFailures {
    /// The failures of a read that looked at nothing.
    pub const fn unscanned() -> Self {
        Self {
            items: Vec::new(),
            is_cut_short: true,
        }
    }
}

/// A delivery that finally failed, as lists show it (CONTRACT 4).
#[derive(Clone, Debug)]
pub struct DeadLetterRecord {
    /// The dead letter's id, `dl_…`.
    pub id: DeadLetterId,
    /// The send whose record holds the content.
    pub send_id: SendId,
    /// The id of the subscription, `sub_…`, which may be gone.
    pub subscription_id: String,
    /// Whether the app still has that subscription.
    pub has_subscription: bool,
    /// The endpoint that the message was for.
    pub endpoint: String,
    /// Why the message was given up, as one of [`hato_domain::FailureReason::as_str`].
    pub reason: String,
    /// What the push service or the connection said, as a [`hato_domain::FailureDetail`].
    pub detail: Option<String>,
    /// The last response's status, if there was one.
    pub http_status: Option<u16>,
    /// How many requests were begun, at most 4 (SPEC 8).
    pub attempts: i64,
    /// When the last attempt failed.
    pub created_at: UnixMillis,
}

/// What the store does with sends and their dead letters.
#[async_trait]
pub trait SendStore {
    /// Charges the account's month, records the send and queues it, or does nothing. A repeated request is answered before
    /// anything else is judged, and waits for an equal one that is being accepted. The limit is
    /// [`hato_domain::Plan::max_monthly_recipients`] of the stored plan. Its cost does not depend on the audience. A scheduled send is
    /// only recorded: it is charged and queued when it is due.
    async fn accept_send(&self, send: NewSend) -> Result<AcceptSendOutcome, StoreError>;

    /// A page of the app's sends, or of those with one status, newest first, at most `page.limit` + 1 of them, so that the caller
    /// sees whether more follow.
    async fn sends_of(
        &self,
        app: &AppId,
        page: &PageRequest,
        status: Option<SendStatus>,
    ) -> Result<Vec<SendRecord>, StoreError>;

    /// The app's send with this id; `None` when the app has none.
    async fn send_of(&self, app: &AppId, send: &SendId) -> Result<Option<SendRecord>, StoreError>;

    /// What the app's send with this id said; `None` when the app has none.
    async fn content_of(
        &self,
        app: &AppId,
        send: &SendId,
    ) -> Result<Option<SentContent>, StoreError>;

    /// Why and where the app's send failed so far, most recipients first, at most `limit` of them. So many are looked at, and
    /// for so long, and no more.
    async fn failures_of(
        &self,
        app: &AppId,
        send: &SendId,
        limit: i64,
    ) -> Result<SendFailures, StoreError>;

    /// Takes what nobody has claimed of the send out of the queue, and lets what is claimed be tried no more after this
    /// attempt. A scheduled send is over at once. Returns how many recipients were taken out; `None` when the app has no such send.
    async fn cancel_send(
        &self,
        app: &AppId,
        send: &SendId,
        now: UnixMillis,
    ) -> Result<Option<i64>, StoreError>;

    /// A page of the dead letters of the app, or of one of its sends, newest first, at most `page.limit` + 1 of them. `before` is the
    /// cursor's id.
    async fn dead_letters_of(
        &self,
        app: &AppId,
        send: Option<&SendId>,
        page: &PageRequest,
        before: Option<DeadLetterId>,
    ) -> Result<Vec<DeadLetterRecord>, StoreError>;
}
