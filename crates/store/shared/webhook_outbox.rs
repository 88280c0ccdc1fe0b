//! The outboxes of webhooks: written with what an event tells of, claimed like jobs, and fenced by the token of the claim.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, Plan, SendId, UnixMillis};
use hato_service::ports::{
    Attempt, AttemptInputs, FailingRule, NextOutbox, OutboxClaimRequest, OutboxLease,
    RecordAttemptOutcome, StoreError, WebhookEvent, WebhookQueue, WebhookRecord,
};

use crate::Database;
use crate::dialect::{DbConnection, lock_webhook, may_claim, readers, sql};
use crate::due_time_repair::repair_outbox_due_times;
use crate::error::with_context;
use crate::outbox_release::release;
use crate::reported_recipients::reported_recipients;
use crate::shared_clock::shared_now;
use crate::stored_event::{EventRow, NewEvent, known_types};
use crate::stored_webhook::WebhookRow;
use crate::transaction::transaction;
use crate::values::number_list;
use crate::webhook_attempts::record;

/// Writes an event into the app's outbox.
pub(crate) async fn queue_event(
    c: &mut DbConnection,
    id: &str,
    event: &NewEvent<'_>,
) -> sqlx::Result<()> {
    let (app, kind) = (event.app.as_str(), event.kind.as_str());
    let send = event.send.map(SendId::as_str);
    sqlx::query!(
        "INSERT INTO webhook_events (public_id, app_id, type, send_id, content, created_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
        id,
        app,
        kind,
        send,
        event.content,
        event.now.0
    )
    .execute(&mut *c)
    .await?;
    mark_due(c, event.app, event.now).await
}

/// Makes the app's outbox due, unless a worker holds its lease or the app is under review. Whoever gives the outbox back waits for the
/// end of this transaction, and finds what it has written.
pub(crate) async fn mark_due(
    c: &mut DbConnection,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    lock_webhook(c, app).await?;
    let app = app.as_str();
    sqlx::query!(
        "UPDATE webhooks SET due_at = $2
         WHERE app_id = $1 AND (due_at IS NULL OR (claimed = 0 AND due_at > $2))
           AND NOT EXISTS (SELECT 1 FROM apps WHERE id = $1 AND review_since IS NOT NULL)",
        app,
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}

#[async_trait]
impl WebhookQueue for Database {
    async fn claim_outbox(&self, claim: OutboxClaimRequest) -> Result<NextOutbox, StoreError> {
        if !may_claim(self, claim.now).await? {
            return Ok(NextOutbox::Idle { next_due: None });
        }
        let next_due = next_due(self, claim.include_slow).await;
        let next_due = next_due.map_err(with_context("look for a due outbox"))?;
        if next_due.is_none_or(|due| due > claim.now) {
            return Ok(NextOutbox::Idle { next_due });
        }
        transaction!(self, "claim an outbox", |c| claim_due(c, claim).await)
    }

    async fn due_events(
        &self,
        outbox: &OutboxLease,
        in_flight: &[i64],
        now: UnixMillis,
        limit: u32,
    ) -> Result<Vec<WebhookEvent>, StoreError> {
        let (app, limit) = (outbox.app_id.as_str(), i64::from(limit));
        let in_flight = number_list(in_flight).map_err(with_context("read due events"))?;
        let known = known_types().map_err(with_context("read due events"))?;
        // Resends and due events are each found by an index of their own, so that a backlog is never sorted.
        sql!(query_as EventRow [
            r#"SELECT e.id AS "id!", e.public_id AS "public_id!", e.type AS "kind!", e.send_id AS "send_id?",
                  e.content AS "content!", e.created_at AS "created_at!", e.attempts AS "attempts!",
                  e.resends AS "resends!", e.resend_at AS "resend_at?"
           FROM webhooks AS w JOIN (
             SELECT * FROM (
               SELECT 0 AS part, * FROM webhook_events
               WHERE app_id = $2 AND resend_at IS NOT NULL AND id NOT IN ("# NUMBERS r#")
                 AND type IN ("# KINDS r#")
               ORDER BY resend_at, id LIMIT $4) AS resends
             UNION ALL
             SELECT * FROM (
               SELECT 1 AS part, * FROM webhook_events
               WHERE app_id = $2 AND due_at <= $3 AND resend_at IS NULL AND id NOT IN ("# NUMBERS r#")
                 AND type IN ("# KINDS r#")
               ORDER BY due_at, id LIMIT $4) AS due
           ) AS e ON e.app_id = w.app_id
           WHERE w.app_id = $2 AND w.lease_token = $5
           ORDER BY e.part, e.due_at, e.id LIMIT $4"#
        ] in_flight, app, now.0, limit, outbox.token, known)
        .try_map(EventRow::into_event)
        .fetch_all(readers(self))
        .await
        .map_err(with_context("read due events"))
    }

    async fn attempt_inputs(
        &self,
        outbox: &OutboxLease,
        event: &WebhookEvent,
        now: UnixMillis,
    ) -> Result<Option<AttemptInputs>, StoreError> {
        let webhook = leased_webhook(self, outbox, now).await;
        let webhook = webhook.map_err(with_context("read the inputs of an attempt"))?;
        let Some(webhook) = webhook else {
            return Ok(None);
        };
        let recipients = reported_recipients(self, &event.content.recipients())
            .await
            .map_err(with_context("read the inputs of an attempt"))?;
        Ok(Some(AttemptInputs {
            webhook,
            recipients,
        }))
    }

    async fn record_attempt(
        &self,
        outbox: &OutboxLease,
        attempt: Attempt,
        failing: FailingRule,
        now: UnixMillis,
    ) -> Result<RecordAttemptOutcome, StoreError> {
        let outbox = outbox.clone();
        transaction!(self, "record an attempt", |c| record(
            c, outbox, attempt, failing, now
        )
        .await)
    }

    async fn keep_first_secret(&self, app: &AppId, sealed: Vec<u8>) -> Result<(), StoreError> {
        let app = app.as_str().to_owned();
        transaction!(self, "keep a secret", |c| {
            let kept = sqlx::query!(
                "UPDATE webhooks SET sealed_secret = $2 WHERE app_id = $1 AND sealed_secret IS NULL",
                app,
                sealed
            );
            kept.execute(c).await.map(drop)
        })
    }

    async fn discard_events(&self, outbox: &OutboxLease, limit: u32) -> Result<bool, StoreError> {
        let (app, limit) = (outbox.app_id.as_str().to_owned(), i64::from(limit));
        transaction!(self, "discard events", |c| {
            // A webhook that was enabled meanwhile keeps what waits, so both are looked at in the same moment.
            let discarded = sqlx::query!(
                "UPDATE webhook_events SET due_at = NULL, resend_at = NULL
                 WHERE id IN
                     (SELECT id FROM webhook_events
                      WHERE app_id = $1 AND (due_at IS NOT NULL OR resend_at IS NOT NULL) LIMIT $2)
                   AND NOT EXISTS
                     (SELECT 1 FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id
                                                  JOIN accounts AS a ON a.id = p.account_id
                      WHERE w.app_id = $1 AND w.disabled_reason IS NULL AND p.webhook_url IS NOT NULL
                        AND p.deleted_at IS NULL AND a.plan = $3)",
                app,
                limit,
                Plan::FOR_WEBHOOKS.as_str()
            );
            let discarded = discarded.execute(c).await?;
            Ok(i64::try_from(discarded.rows_affected()).unwrap_or(i64::MAX) >= limit)
        })
    }

    async fn drop_old_events(
        &self,
        outbox: &OutboxLease,
        before: UnixMillis,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let (app, token) = (outbox.app_id.as_str().to_owned(), outbox.token);
        let limit = i64::from(limit);
        transaction!(self, "drop old events", |c| {
            let dropped = sqlx::query!(
                "UPDATE webhook_events SET due_at = NULL WHERE id IN
                   (SELECT e.id FROM webhooks AS w JOIN webhook_events AS e ON e.app_id = w.app_id
                    WHERE w.app_id = $1 AND w.lease_token = $2 AND e.due_at IS NOT NULL
                      AND e.created_at < $3 LIMIT $4)",
                app,
                token,
                before.0,
                limit
            );
            Ok(dropped.execute(c).await?.rows_affected())
        })
    }

    async fn renew_outbox(
        &self,
        outbox: &OutboxLease,
        now: UnixMillis,
        lasting: Duration,
    ) -> Result<bool, StoreError> {
        let until = shared_now(self, now).plus(lasting);
        let (app, token) = (outbox.app_id.as_str().to_owned(), outbox.token);
        transaction!(self, "renew the lease of an outbox", |c| {
            let renewed = sqlx::query!(
                "UPDATE webhooks SET due_at = $3 WHERE app_id = $1 AND lease_token = $2",
                app,
                token,
                until.0
            );
            Ok(renewed.execute(c).await?.rows_affected() == 1)
        })
    }

    async fn release_outbox(
        &self,
        outbox: &OutboxLease,
        not_before: UnixMillis,
    ) -> Result<(), StoreError> {
        let outbox = outbox.clone();
        transaction!(self, "release an outbox", |c| {
            release(c, &outbox, not_before.0).await
        })
    }

    async fn repair_webhook_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError> {
        if !may_claim(self, now).await? {
            return Ok(());
        }
        transaction!(self, "repair due times of outboxes", |c| {
            repair_outbox_due_times(c, now, lease, longest_wait).await
        })
    }
}

/// When the outbox that comes next is due, slow ones left out unless they are asked for.
async fn next_due(database: &Database, include_slow: bool) -> sqlx::Result<Option<UnixMillis>> {
    let due = sqlx::query_scalar!(
        r#"SELECT due_at AS "due_at!" FROM webhooks WHERE due_at IS NOT NULL AND (slow = 0 OR $1)
           ORDER BY due_at LIMIT 1"#,
        include_slow
    )
    .fetch_optional(readers(database))
    .await?;
    Ok(due.map(UnixMillis))
}

struct OutboxRow {
    app_id: String,
    lease_token: i64,
    slow: i64,
}

impl From<OutboxRow> for OutboxLease {
    fn from(row: OutboxRow) -> Self {
        Self {
            app_id: AppId::trusted(row.app_id),
            token: row.lease_token,
            is_slow: row.slow == 1,
        }
    }
}

/// Claims the outbox that has been due longest.
async fn claim_due(c: &mut DbConnection, claim: OutboxClaimRequest) -> sqlx::Result<NextOutbox> {
    let until = claim.now.plus(claim.lease);
    let row = sql!(query_as OutboxRow [
        r#"WITH due AS MATERIALIZED (
             SELECT app_id FROM webhooks WHERE due_at <= $1 AND (slow = 0 OR $3)
             ORDER BY due_at LIMIT 1"# SKIP_LOCKED r#"
           )
           UPDATE webhooks SET due_at = $2, lease_token = lease_token + 1, claimed = 1
           WHERE app_id IN (SELECT app_id FROM due)
           RETURNING app_id AS "app_id!", lease_token AS "lease_token!", slow AS "slow!""#
    ] claim.now.0, until.0, claim.include_slow)
    .fetch_optional(c)
    .await?;
    Ok(match row {
        Some(row) => NextOutbox::Claimed(row.into()),
        None => NextOutbox::Idle { next_due: None },
    })
}

/// The webhook, if the outbox is still leased and events are posted to it.
async fn leased_webhook(
    database: &Database,
    outbox: &OutboxLease,
    now: UnixMillis,
) -> sqlx::Result<Option<WebhookRecord>> {
    let webhook = sqlx::query_as!(
        WebhookRow,
        r#"SELECT p.webhook_url AS "url?", a.plan, w.sealed_secret, w.sealed_previous_secret,
                  w.previous_secret_expires_at, w.disabled_reason
           FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id
                              JOIN accounts AS a ON a.id = p.account_id
           WHERE w.app_id = $1 AND w.lease_token = $2 AND p.deleted_at IS NULL"#,
        outbox.app_id.as_str(),
        outbox.token
    )
    .try_map(move |row| row.into_active(now))
    .fetch_optional(readers(database))
    .await?;
    Ok(webhook.flatten())
}
