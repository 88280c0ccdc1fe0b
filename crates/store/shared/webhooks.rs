//! Webhooks as owners set them up and look at them.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, Plan, SendId, UnixMillis, WebhookEventId};
use hato_service::ports::{
    AttemptRecord, EnableWebhookOutcome, IdRange, QueueTestOutcome, ReportedRecipient, StoreError,
    WebhookEvent, WebhookRecord, WebhookStore,
};

use crate::dialect::{DbConnection, lock_webhook, readers, sql};
use crate::error::{decode_error, with_context};
use crate::event_readers::EventReaders;
use crate::stored_event::{EventRow, known_types, parse_attempts, parse_event_type};
use crate::stored_webhook::WebhookRow;
use crate::transaction::transaction;
use crate::values::parse_plan;
use crate::webhook_attempts::parse_response;
use crate::webhook_events::insert_test_event;
use crate::webhook_outbox::mark_due;
use crate::webhook_purge::purge;
use crate::{Database, reported_recipients};

#[async_trait]
impl WebhookStore for Database {
    async fn webhook(
        &self,
        app: &AppId,
        now: UnixMillis,
    ) -> Result<Option<WebhookRecord>, StoreError> {
        let row = webhook_row(self, app).await;
        row.and_then(|row| row.map_or(Ok(None), |row| row.into_record(now)))
            .map_err(with_context("find a webhook"))
    }

    async fn rotate_secret(
        &self,
        app: &AppId,
        sealed: Vec<u8>,
        until: UnixMillis,
    ) -> Result<(), StoreError> {
        let app = app.as_str().to_owned();
        transaction!(self, "rotate a secret", |c| {
            let rotated = sqlx::query!(
                "UPDATE webhooks
                 SET sealed_previous_secret = sealed_secret, sealed_secret = $2,
                     previous_secret_expires_at = CASE WHEN sealed_secret IS NULL THEN NULL
                                                       ELSE CAST($3 AS BIGINT) END
                 WHERE app_id = $1",
                app,
                sealed,
                until.0
            );
            rotated.execute(c).await.map(drop)
        })
    }

    async fn enable_webhook(&self, app: &AppId) -> Result<EnableWebhookOutcome, StoreError> {
        let app = app.clone();
        transaction!(self, "enable a webhook", |c| enable(c, app).await)
    }

    async fn queue_test_event(
        &self,
        app: &AppId,
        now: UnixMillis,
    ) -> Result<QueueTestOutcome, StoreError> {
        let app = app.clone();
        transaction!(self, "queue a test event", |c| {
            let readers = EventReaders::find(c, &app, now).await?;
            if !readers.has_active_webhook {
                return Ok(QueueTestOutcome::NoWebhook);
            }
            let inserted = insert_test_event(c, readers, &app, now).await?;
            Ok(if inserted {
                QueueTestOutcome::Queued
            } else {
                QueueTestOutcome::LimitReached
            })
        })
    }

    async fn resend_event(
        &self,
        app: &AppId,
        event: &WebhookEventId,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let (app, event) = (app.clone(), event.clone());
        transaction!(self, "queue an event again", |c| {
            // Before the event, as those do who record an attempt.
            lock_webhook(c, &app).await?;
            if !EventReaders::find(c, &app, now).await?.has_active_webhook {
                return Ok(false);
            }
            let (name, event) = (app.as_str(), event.as_str());
            let queued = sqlx::query!(
                "UPDATE webhook_events SET resend_at = $3
                 WHERE app_id = $1 AND public_id = $2 AND attempts > 0",
                name,
                event,
                now.0
            )
            .execute(&mut *c)
            .await?;
            mark_due(c, &app, now).await?;
            Ok(queued.rows_affected() == 1)
        })
    }

    async fn webhook_attempts(
        &self,
        app: &AppId,
        limit: u32,
    ) -> Result<Vec<AttemptRecord>, StoreError> {
        const CONTEXT: &str = "list attempts";
        let (app, limit) = (app.as_str(), i64::from(limit));
        sql!(query_as AttemptRow [
            r#"SELECT e.public_id, e.type AS kind, e.send_id, a.attempt, a.url, a.http_status, a.failure,
                  a.answer, a.started_at, a.duration_ms, a.signature,
                  CASE WHEN a.attempt = e.attempts + e.resends THEN e.due_at END AS "next_at?: i64"
           FROM webhook_attempts AS a JOIN webhook_events AS e ON e.id = a.event_id
           WHERE a.app_id = $2 AND e.type IN ("# TEXTS ") ORDER BY a.id DESC LIMIT $3"
        ] known_types().map_err(with_context(CONTEXT))?, app, limit)
        .try_map(AttemptRow::into_record)
        .fetch_all(readers(self))
        .await
        .map_err(with_context(CONTEXT))
    }

    async fn webhook_event(
        &self,
        app: &AppId,
        event: &WebhookEventId,
    ) -> Result<Option<WebhookEvent>, StoreError> {
        let (app, event) = (app.as_str(), event.as_str());
        sqlx::query_as!(
            EventRow,
            "SELECT id, public_id, type AS kind, send_id, content, created_at, attempts, resends,
                resend_at
         FROM webhook_events WHERE public_id = $1 AND app_id = $2",
            event,
            app
        )
        .try_map(|row| row.is_known().then(|| row.into_event()).transpose())
        .fetch_optional(readers(self))
        .await
        .map(Option::flatten)
        .map_err(with_context("find an event"))
    }

    async fn reported_recipients(
        &self,
        recipients: &[IdRange],
    ) -> Result<Vec<ReportedRecipient>, StoreError> {
        let known = reported_recipients::reported_recipients(self, recipients).await;
        known.map_err(with_context("read an event's recipients"))
    }

    async fn purge_webhooks(&self, kept: u32, limit: u32) -> Result<bool, StoreError> {
        purge(self, kept.into(), limit.into()).await
    }
}

struct AttemptRow {
    public_id: String,
    kind: String,
    send_id: Option<String>,
    attempt: i64,
    url: String,
    http_status: Option<i64>,
    failure: Option<String>,
    answer: String,
    started_at: i64,
    duration_ms: i64,
    signature: String,
    next_at: Option<i64>,
}

impl AttemptRow {
    fn into_record(self) -> sqlx::Result<AttemptRecord> {
        let millis = u64::try_from(self.duration_ms).map_err(|_| decode_error("duration"))?;
        Ok(AttemptRecord {
            response: parse_response(self.http_status, self.failure.as_deref(), self.answer)?,
            event_id: WebhookEventId::trusted(self.public_id),
            kind: parse_event_type(&self.kind)?,
            send_id: self.send_id.map(SendId::trusted),
            attempt: parse_attempts(self.attempt)?,
            url: self.url,
            started_at: UnixMillis(self.started_at),
            duration: Duration::from_millis(millis),
            signature: self.signature,
            next_at: self.next_at.map(UnixMillis),
        })
    }
}

/// The webhook of an app that is there and had a URL once.
async fn webhook_row(database: &Database, app: &AppId) -> sqlx::Result<Option<WebhookRow>> {
    let app = app.as_str();
    sqlx::query_as!(
        WebhookRow,
        r#"SELECT p.webhook_url AS "url?", a.plan, w.sealed_secret, w.sealed_previous_secret,
                  w.previous_secret_expires_at, w.disabled_reason
           FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id
                              JOIN accounts AS a ON a.id = p.account_id
           WHERE w.app_id = $1 AND p.deleted_at IS NULL"#,
        app
    )
    .fetch_optional(readers(database))
    .await
}

/// Makes the row of an app whose URL is set. A URL other than the one before resets its failures; the secret stays.
pub(crate) async fn ensure_webhook(
    c: &mut DbConnection,
    app: &str,
    is_other_url: bool,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO webhooks (app_id) VALUES ($1) ON CONFLICT (app_id) DO NOTHING",
        app
    )
    .execute(&mut *c)
    .await?;
    if is_other_url {
        reset_failures(c, app).await?;
    }
    Ok(())
}

/// Forgets failures and slowness, and that the webhook was disabled.
async fn reset_failures(c: &mut DbConnection, app: &str) -> sqlx::Result<()> {
    let reset = sqlx::query!(
        "UPDATE webhooks SET disabled_reason = NULL, failing_since = NULL, slow = 0 WHERE app_id = $1",
        app
    );
    reset.execute(c).await.map(drop)
}

async fn enable(c: &mut DbConnection, app: AppId) -> sqlx::Result<EnableWebhookOutcome> {
    let name = app.as_str();
    let account_plan = sqlx::query_scalar!(
        r#"SELECT a.plan AS "plan!"
           FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
           WHERE p.id = $1 AND p.webhook_url IS NOT NULL AND p.deleted_at IS NULL"#,
        name
    )
    .fetch_optional(&mut *c)
    .await?;
    let Some(account_plan) = account_plan else {
        return Ok(EnableWebhookOutcome::NoWebhook);
    };
    if parse_plan(&account_plan)? != Plan::FOR_WEBHOOKS {
        return Ok(EnableWebhookOutcome::PlanRequired);
    }
    reset_failures(c, name).await?;
    Ok(EnableWebhookOutcome::Done)
}
