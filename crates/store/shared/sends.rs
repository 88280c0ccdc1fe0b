//! Sends as the history shows them, and the operations on them that stand in files of their own.

use async_trait::async_trait;
use hato_domain::{AppId, DeadLetterId, PageRequest, Schedule, SendId, UnixMillis};
use hato_service::access::{ActorKind, ActorRecord};
use hato_service::ports::{
    AcceptSendOutcome, Audience, DeadLetterRecord, EngagementCounts, NewSend, SendCounts,
    SendFailures, SendRecord, SendStatus, SendStore, SentContent, StoreError, WaitingRecipients,
};

use crate::Database;
use crate::acceptance_groups::accept_in_group;
use crate::cancellation::{cancel, marks};
use crate::costly_selections::SelectionOccasion;
use crate::dead_letters::list;
use crate::dialect::{from_stored, readers};
use crate::error::{decode_error, with_context};
use crate::paging::bound;
use crate::selection::select;
use crate::send_failures::list_failures;
use crate::sent_content::ContentRow;
use crate::shared_clock::shared_now;
use crate::stored_audience::StoredAudience;
use crate::transaction::transaction;
use crate::values::parse_clicks;

/// Most pages that are looked at for those who wait for another attempt. The literals of `sends!` repeat it.
const MAX_WAITING_PAGES: i64 = 100;

/// The query for the sends, as the history shows them, of which this condition holds. It reads whom they are for, and who of them waits
/// for another attempt, where that is asked: those stand in lists, of whose members all but the last have a comma after them.
macro_rules! sends {
    ([$($condition:literal)+] $($arguments:tt)*) => {
        sends!(@ r#"CAST(NULL AS TEXT) AS "audience?",
                    CAST(NULL AS BIGINT) AS "waiting?: i64",
                    CAST(NULL AS BIGINT) AS "waiting_pages?: i64",
                    CAST(NULL AS BIGINT) AS "next_attempt_at?: i64""#
            [$($condition)+] $($arguments)*)
    };
    (with audience [$($condition:literal)+] $($arguments:tt)*) => {
        sends!(@ r#"audience,
                    (SELECT CAST(SUM(LENGTH(w.recipients) - LENGTH(REPLACE(w.recipients, ',', '')) + 1)
                                 AS BIGINT)
                     FROM (SELECT j.recipients FROM jobs AS j
                           WHERE j.send_id = sends.id AND j.recipients LIKE '[%'
                             AND j.claimed = 0 AND j.held = 0 LIMIT 100) AS w) AS "waiting?: i64",
                    (SELECT COUNT(*)
                     FROM (SELECT j.id FROM jobs AS j
                           WHERE j.send_id = sends.id AND j.recipients LIKE '[%'
                             AND j.claimed = 0 AND j.held = 0 LIMIT 100) AS w) AS "waiting_pages?: i64",
                    (SELECT MIN(w.due_at)
                     FROM (SELECT j.due_at FROM jobs AS j
                           WHERE j.send_id = sends.id AND j.recipients LIKE '[%'
                             AND j.claimed = 0 AND j.held = 0 LIMIT 100) AS w)
                    AS "next_attempt_at?: i64""#
            [$($condition)+] $($arguments)*)
    };
    (@ $audience:literal [$($condition:literal)+] $($arguments:tt)*) => {
        sqlx::query_as!(
            $crate::sends::SendRow,
            "SELECT id, title, body, url, status, recipients, sent, failed_expired, failed_other,
                    skipped, cancelled, actor_kind, actor_id, actor_name, created_at, finished_at,
                    send_at, waits_until, expires_at, max_per_minute, refused_reason, displayed,
                    clicked, dismissed, clicks_by_action, "
                + $audience + " FROM sends WHERE " $(+ $condition)+,
            $($arguments)*
        )
        .try_map($crate::sends::SendRow::into_record)
    };
}
pub(crate) use sends;

#[async_trait]
impl SendStore for Database {
    async fn accept_send(&self, mut send: NewSend) -> Result<AcceptSendOutcome, StoreError> {
        // Others claim it when it is due, count it in their windows and months, and know the name of the request.
        send.now = shared_now(self, send.now);
        if send.schedule.send_at().is_none()
            && let Audience::Matching(filter) = &send.audience
        {
            let selected = select(self, &send.app_id, filter, SelectionOccasion::Request).await;
            let selected = selected.map_err(with_context("select the recipients of a send"))?;
            send.audience = Audience::Selected(filter.clone(), selected);
        }
        accept_in_group(self, send).await
    }

    async fn sends_of(
        &self,
        app: &AppId,
        page: &PageRequest,
        status: Option<SendStatus>,
    ) -> Result<Vec<SendRecord>, StoreError> {
        list_sends(self, app, page, status)
            .await
            .map_err(with_context("list sends"))
    }

    async fn send_of(&self, app: &AppId, send: &SendId) -> Result<Option<SendRecord>, StoreError> {
        sends!(with audience
            ["id = $1 AND app_id = $2
                AND EXISTS (SELECT 1 FROM apps WHERE id = $2 AND deleted_at IS NULL)"]
            send.as_str(), app.as_str()
        )
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("find a send"))
    }

    async fn content_of(
        &self,
        app: &AppId,
        send: &SendId,
    ) -> Result<Option<SentContent>, StoreError> {
        sqlx::query_as!(
            ContentRow,
            "SELECT title, body, url, payload, ttl, urgency, topic, audience, max_per_minute FROM sends
         WHERE id = $1 AND app_id = $2",
            send.as_str(),
            app.as_str()
        )
        .try_map(ContentRow::into_content)
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("find what a send said"))
    }

    async fn failures_of(
        &self,
        app: &AppId,
        send: &SendId,
        limit: i64,
    ) -> Result<SendFailures, StoreError> {
        list_failures(self, app, send, limit)
            .await
            .map_err(with_context("list the failures of a send"))
    }

    async fn cancel_send(
        &self,
        app: &AppId,
        send: &SendId,
        now: UnixMillis,
    ) -> Result<Option<i64>, StoreError> {
        let marks = marks(self, app, send).await;
        let marks = marks.map_err(with_context("mark the recipients of a send"))?;
        let (app, send) = (app.clone(), send.clone());
        // By it the leases of pages in work end.
        let now = shared_now(self, now);
        transaction!(self, "cancel a send", |c| {
            cancel(c, &app, &send, &marks, now).await
        })
    }

    async fn dead_letters_of(
        &self,
        app: &AppId,
        send: Option<&SendId>,
        page: &PageRequest,
        before: Option<DeadLetterId>,
    ) -> Result<Vec<DeadLetterRecord>, StoreError> {
        list(self, (app, send), page, before)
            .await
            .map_err(with_context("list dead letters"))
    }
}

/// A page of the sends that have the status. Of those that few sends have an index knows, and the queue of those that are in it; what is
/// done is found among all.
async fn list_sends(
    database: &Database,
    app: &AppId,
    page: &PageRequest,
    status: Option<SendStatus>,
) -> sqlx::Result<Vec<SendRecord>> {
    let (app, limit) = (app.as_str(), page.limit.get() + 1);
    let (before, before_id) = bound(page.cursor.as_ref());
    macro_rules! page {
        ($condition:literal) => {
            sends!(
                ["app_id = $1 AND (created_at, id) < ($2, $3) " $condition
                 " ORDER BY created_at DESC, id DESC LIMIT $4"]
                app, before, before_id, limit
            )
            .fetch_all(readers(database))
            .await
        };
    }
    match status {
        None => page!(""),
        Some(SendStatus::Scheduled) => page!("AND waits_until IS NOT NULL"),
        Some(SendStatus::Queued) => page!(
            "AND status = 'queued' AND waits_until IS NULL
             AND id IN (SELECT send_id FROM jobs WHERE app_id = $1)"
        ),
        Some(SendStatus::Sending) => {
            page!("AND status = 'sending' AND id IN (SELECT send_id FROM jobs WHERE app_id = $1)")
        }
        Some(SendStatus::Done) => page!("AND status = 'done' AND refused_reason IS NULL"),
        Some(SendStatus::Cancelled) => page!("AND status = 'cancelled'"),
        Some(SendStatus::Refused) => page!("AND refused_reason IS NOT NULL"),
    }
}

/// A send as it is stored.
pub(crate) struct SendRow {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) url: Option<String>,
    pub(crate) status: String,
    pub(crate) recipients: i64,
    pub(crate) sent: i64,
    pub(crate) failed_expired: i64,
    pub(crate) failed_other: i64,
    pub(crate) skipped: i64,
    pub(crate) cancelled: i64,
    pub(crate) actor_kind: String,
    pub(crate) actor_id: String,
    pub(crate) actor_name: String,
    pub(crate) created_at: i64,
    pub(crate) finished_at: Option<i64>,
    pub(crate) send_at: Option<i64>,
    pub(crate) waits_until: Option<i64>,
    pub(crate) expires_at: Option<i64>,
    pub(crate) max_per_minute: Option<i64>,
    pub(crate) refused_reason: Option<String>,
    pub(crate) displayed: i64,
    pub(crate) clicked: i64,
    pub(crate) dismissed: i64,
    pub(crate) clicks_by_action: Option<String>,
    pub(crate) audience: Option<String>,
    pub(crate) waiting: Option<i64>,
    pub(crate) waiting_pages: Option<i64>,
    pub(crate) next_attempt_at: Option<i64>,
}

impl SendRow {
    /// The send as the history shows it.
    pub(crate) fn into_record(self) -> sqlx::Result<SendRecord> {
        let status = self.status()?;
        let waiting = self.waiting(status);
        let schedule = Schedule::parse(self.send_at, self.expires_at, self.max_per_minute);
        Ok(SendRecord {
            id: SendId::trusted(self.id),
            title: from_stored(self.title),
            body: from_stored(self.body),
            url: self.url,
            status,
            recipients: self.recipients,
            counts: SendCounts {
                sent: self.sent,
                failed_expired: self.failed_expired,
                failed_other: self.failed_other,
                skipped: self.skipped,
                cancelled: self.cancelled,
            },
            actor: ActorRecord {
                kind: parse_actor_kind(&self.actor_kind)?,
                id: self.actor_id,
                name: self.actor_name,
            },
            created_at: UnixMillis(self.created_at),
            finished_at: self.finished_at.map(UnixMillis),
            schedule: schedule.map_err(|_| decode_error("schedule"))?,
            refused_reason: self.refused_reason,
            engagement: EngagementCounts {
                displayed: self.displayed,
                clicked: self.clicked,
                dismissed: self.dismissed,
                clicks_by_action: parse_clicks(self.clicks_by_action.as_deref())?,
            },
            conditions: StoredAudience::conditions(self.audience.as_deref()),
            waiting,
        })
    }

    /// Those who wait for another attempt: before the first page is claimed, a list is nothing but the send.
    fn waiting(&self, status: SendStatus) -> Option<WaitingRecipients> {
        let waiting = self.waiting.zip(self.next_attempt_at);
        let (recipients, next_at) = waiting.filter(|_| status == SendStatus::Sending)?;
        Some(WaitingRecipients {
            recipients,
            next_at: UnixMillis(next_at),
            is_cut_short: self.waiting_pages >= Some(MAX_WAITING_PAGES),
        })
    }

    /// What is scheduled or refused has a status in the column that versions before know.
    fn status(&self) -> sqlx::Result<SendStatus> {
        if self.waits_until.is_some() {
            return Ok(SendStatus::Scheduled);
        }
        if self.refused_reason.is_some() {
            return Ok(SendStatus::Refused);
        }
        SendStatus::parse(&self.status).map_err(|_| decode_error("status"))
    }
}

pub(crate) fn parse_actor_kind(text: &str) -> sqlx::Result<ActorKind> {
    [ActorKind::User, ActorKind::ApiKey]
        .into_iter()
        .find(|kind| kind.as_str() == text)
        .ok_or_else(|| decode_error("kind of actor"))
}
