//! Sends as the history shows them, and the operations on them that stand in files of their own.

use async_trait::async_trait;
use hato_domain::{AppId, DeadLetterId, PageRequest, SendId, UnixMillis};
use hato_service::access::{ActorKind, ActorRecord};
use hato_service::ports::{
    AcceptSendOutcome, Audience, DeadLetterRecord, NewSend, SendCounts, SendFailures, SendRecord,
    SendStatus, SendStore, StoreError,
};

use crate::Database;
use crate::cancellation::{cancel, marks};
use crate::dialect::{accept_in_group, from_stored, readers, transaction};
use crate::error::{decode_error, with_context};
use crate::paging::bound;
use crate::selection::select;
use crate::send_failures::list_failures;

#[async_trait]
impl SendStore for Database {
    async fn accept_send(&self, mut send: NewSend) -> Result<AcceptSendOutcome, StoreError> {
        if let Audience::Matching(filter) = &send.audience {
            let selected = select(self, &send.app_id, filter).await;
            let selected = selected.map_err(with_context("select the recipients of a send"))?;
            send.audience = Audience::Selected(selected);
        }
        accept_in_group(self, send).await
    }

    async fn sends_of(
        &self,
        app: &AppId,
        page: &PageRequest,
    ) -> Result<Vec<SendRecord>, StoreError> {
        let (before, before_id) = bound(page.cursor.as_ref());
        sqlx::query_as!(
            SendRow,
            "SELECT id, title, body, url, status, recipients, sent, failed_expired, failed_other,
                    skipped, cancelled, actor_kind, actor_id, actor_name, created_at, finished_at
             FROM sends WHERE app_id = $1 AND (created_at, id) < ($2, $3)
             ORDER BY created_at DESC, id DESC LIMIT $4",
            app.as_str(),
            before,
            before_id,
            page.limit.get() + 1
        )
        .try_map(SendRow::into_record)
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list sends"))
    }

    async fn send_of(&self, app: &AppId, send: &SendId) -> Result<Option<SendRecord>, StoreError> {
        sqlx::query_as!(
            SendRow,
            "SELECT id, title, body, url, status, recipients, sent, failed_expired, failed_other,
                    skipped, cancelled, actor_kind, actor_id, actor_name, created_at, finished_at
             FROM sends
             WHERE id = $1 AND app_id = $2
               AND EXISTS (SELECT 1 FROM apps WHERE id = $2 AND deleted_at IS NULL)",
            send.as_str(),
            app.as_str()
        )
        .try_map(SendRow::into_record)
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("find a send"))
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
        transaction!(self, "cancel a send", |c| {
            cancel(c, &app, &send, &marks, now).await
        })
    }

    async fn dead_letters_of(
        &self,
        app: &AppId,
        page: &PageRequest,
        before: Option<DeadLetterId>,
    ) -> Result<Vec<DeadLetterRecord>, StoreError> {
        // Without a number, the page begins strictly before its time: no number is smaller than the smallest.
        let time = page.cursor.as_ref().map_or(i64::MAX, |it| it.before.0);
        sqlx::query!(
            "SELECT id, send_id, subscription_id, endpoint, reason, detail, http_status, attempts,
                created_at
         FROM dead_letters WHERE app_id = $1 AND (created_at, id) < ($2, $3)
         ORDER BY created_at DESC, id DESC LIMIT $4",
            app.as_str(),
            time,
            before.map_or(i64::MIN, |id| id.0),
            page.limit.get() + 1
        )
        .try_map(|row| {
            let status = row.http_status.map(u16::try_from).transpose();
            Ok(DeadLetterRecord {
                id: DeadLetterId(row.id),
                send_id: SendId::trusted(row.send_id),
                subscription_id: row.subscription_id,
                endpoint: row.endpoint,
                reason: row.reason,
                detail: row.detail,
                http_status: status.map_err(|_| decode_error("status"))?,
                attempts: row.attempts,
                created_at: UnixMillis(row.created_at),
            })
        })
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list dead letters"))
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
}

impl SendRow {
    /// The send as the history shows it.
    pub(crate) fn into_record(self) -> sqlx::Result<SendRecord> {
        Ok(SendRecord {
            id: SendId::trusted(self.id),
            title: from_stored(self.title),
            body: from_stored(self.body),
            url: self.url,
            status: parse_status(&self.status)?,
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
        })
    }
}

fn parse_status(text: &str) -> sqlx::Result<SendStatus> {
    use SendStatus::{Cancelled, Done, Queued, Sending};
    [Queued, Sending, Done, Cancelled]
        .into_iter()
        .find(|status| status.as_str() == text)
        .ok_or_else(|| decode_error("status"))
}

pub(crate) fn parse_actor_kind(text: &str) -> sqlx::Result<ActorKind> {
    [ActorKind::User, ActorKind::ApiKey]
        .into_iter()
        .find(|kind| kind.as_str() == text)
        .ok_or_else(|| decode_error("kind of actor"))
}
