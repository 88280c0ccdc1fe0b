//! The outboxes of webhooks: claimed like jobs, and fenced by the token of the claim.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, Plan, UnixMillis};
use hato_service::ports::{
    Attempt, AttemptInputs, FailingRule, NextOutbox, OutboxClaimRequest, OutboxLease,
    RecordAttemptOutcome, StoreError, WebhookEvent, WebhookQueue,
};

use crate::Database;
use crate::dialect::{may_claim, readers, sql, time_of_others};
use crate::due_time_repair::repair_outbox_due_times;
use crate::error::with_context;
use crate::outbox_claim::{claim_due, next_due};
use crate::outbox_release::release;
use crate::reported_recipients::reported_recipients;
use crate::stored_event::{EventRow, known_types};
use crate::transaction::transaction;
use crate::values::number_list;
use crate::webhook_attempts::record;
use crate::webhooks::held_webhook;

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
                  e.resend_at AS "resend_at?"
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
        let webhook = held_webhook(self, outbox, now).await;
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
        let until = time_of_others(self, now).plus(lasting);
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
