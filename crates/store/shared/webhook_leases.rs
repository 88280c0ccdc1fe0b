//! Outbox leases: the right to post an app's events, fenced like a page's.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{
    Attempt, AttemptInputs, DueEvents, IdRange, NextOutbox, OutboxClaimRequest, OutboxLease,
    RecordAttemptOutcome, StoreError, WebhookQueue,
};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql, write, write_deferred};
use crate::error::with_context;
use crate::webhook_attempts::record;
use crate::webhook_due;
use crate::webhook_outbox::is_active;
use crate::webhooks::keep_secret;

#[async_trait]
impl WebhookQueue for Database {
    async fn claim_outbox(&self, claim: OutboxClaimRequest) -> Result<NextOutbox, StoreError> {
        let next_due = next_due(self, claim.include_slow).await;
        let next_due = next_due.map_err(with_context("look for a due outbox"))?;
        if next_due.is_none_or(|due| due > claim.now) {
            return Ok(NextOutbox::Idle { next_due });
        }
        write(self, "claim an outbox", move |c| {
            Box::pin(claim_next(c, claim))
        })
        .await
    }

    async fn due_events(
        &self,
        outbox: &OutboxLease,
        in_flight: &[i64],
        now: UnixMillis,
        limit: u32,
    ) -> Result<DueEvents, StoreError> {
        let due = webhook_due::due_events(self, outbox, in_flight, now, limit.into()).await;
        due.map_err(with_context("read due events"))
    }

    async fn attempt_inputs(
        &self,
        outbox: &OutboxLease,
        recipients: &[IdRange],
        now: UnixMillis,
    ) -> Result<Option<AttemptInputs>, StoreError> {
        let inputs = webhook_due::attempt_inputs(self, outbox, recipients, now).await;
        inputs.map_err(with_context("read the inputs of an attempt"))
    }

    async fn record_attempt(
        &self,
        outbox: &OutboxLease,
        attempt: Attempt,
        failing_limit: Duration,
        now: UnixMillis,
    ) -> Result<RecordAttemptOutcome, StoreError> {
        let outbox = outbox.clone();
        let limit = now.minus(failing_limit);
        write_deferred(self, "record an attempt", move |c| {
            Box::pin(record(c, outbox, attempt, limit, now))
        })
        .await
    }

    async fn keep_first_secret(&self, app: &AppId, sealed: Vec<u8>) -> Result<(), StoreError> {
        let app = app.clone();
        write(self, "keep a secret", |c| {
            Box::pin(keep_secret(c, app, sealed))
        })
        .await
    }

    async fn discard_events(&self, outbox: &OutboxLease, limit: u32) -> Result<bool, StoreError> {
        let outbox = outbox.clone();
        write(self, "discard events", move |c| {
            Box::pin(discard(c, outbox, limit.into()))
        })
        .await
    }

    async fn renew_outbox(
        &self,
        outbox: &OutboxLease,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        let outbox = outbox.clone();
        write(self, "renew the lease of an outbox", move |c| {
            Box::pin(renew(c, outbox, until))
        })
        .await
    }

    async fn release_outbox(
        &self,
        outbox: &OutboxLease,
        not_before: UnixMillis,
    ) -> Result<(), StoreError> {
        let outbox = outbox.clone();
        write(self, "release an outbox", move |c| {
            Box::pin(release(c, outbox, not_before))
        })
        .await
    }

    async fn clamp_webhook_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError> {
        write(self, "clamp due times of outboxes", move |c| {
            Box::pin(clamp_due_times(c, now, lease, longest_wait))
        })
        .await
    }
}

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

async fn claim_next(c: &mut DbConnection, claim: OutboxClaimRequest) -> sqlx::Result<NextOutbox> {
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
        Some(row) => NextOutbox::Claimed(OutboxLease {
            app_id: AppId::trusted(row.app_id),
            token: row.lease_token,
            is_slow: row.slow == 1,
        }),
        None => NextOutbox::Idle { next_due: None },
    })
}

/// A webhook that was enabled meanwhile keeps what waits.
async fn discard(c: &mut DbConnection, outbox: OutboxLease, limit: i64) -> sqlx::Result<bool> {
    if is_active(c, &outbox.app_id).await? {
        return Ok(false);
    }
    let app = outbox.app_id.as_str();
    let discarded = sqlx::query!(
        "UPDATE webhook_events SET due_at = NULL, resend_at = NULL WHERE id IN
           (SELECT id FROM webhook_events
            WHERE app_id = $1 AND (due_at IS NOT NULL OR resend_at IS NOT NULL) LIMIT $2)",
        app,
        limit
    )
    .execute(c)
    .await?;
    Ok(i64::try_from(discarded.rows_affected()).unwrap_or(i64::MAX) >= limit)
}

async fn renew(c: &mut DbConnection, outbox: OutboxLease, until: UnixMillis) -> sqlx::Result<bool> {
    let app = outbox.app_id.as_str();
    let renewed = sqlx::query!(
        "UPDATE webhooks SET due_at = $3 WHERE app_id = $1 AND lease_token = $2",
        app,
        outbox.token,
        until.0
    )
    .execute(c)
    .await?;
    Ok(renewed.rows_affected() == 1)
}

/// A new token, so that the released lease records nothing any more.
async fn release(
    c: &mut DbConnection,
    outbox: OutboxLease,
    not_before: UnixMillis,
) -> sqlx::Result<()> {
    let due = next_event(c, &outbox.app_id).await?;
    let due = due.map(|due| due.max(not_before.0));
    let app = outbox.app_id.as_str();
    sqlx::query!(
        "UPDATE webhooks SET due_at = $3, lease_token = lease_token + 1, claimed = 0
         WHERE app_id = $1 AND lease_token = $2",
        app,
        outbox.token,
        due
    )
    .execute(c)
    .await
    .map(drop)
}

/// When the app's next event is to be posted; one that was never posted, and a resend, at once.
async fn next_event(c: &mut DbConnection, app: &AppId) -> sqlx::Result<Option<i64>> {
    let app = app.as_str();
    sqlx::query_scalar!(
        r#"SELECT CASE WHEN EXISTS (SELECT 1 FROM webhook_events
                                    WHERE app_id = $1 AND due_at IS NOT NULL AND attempts = 0)
                         OR EXISTS (SELECT 1 FROM webhook_events
                                    WHERE app_id = $1 AND resend_at IS NOT NULL)
                       THEN 0
                       ELSE (SELECT MIN(due_at) FROM webhook_events
                             WHERE app_id = $1 AND due_at IS NOT NULL AND attempts > 0)
                  END AS "due_at?: i64""#,
        app
    )
    .fetch_one(c)
    .await
}

/// Who holds a lease renews it before it ends; every other outbox becomes due at once, and its worker finds out what is due.
async fn clamp_due_times(
    c: &mut DbConnection,
    now: UnixMillis,
    lease: Duration,
    longest_wait: Duration,
) -> sqlx::Result<()> {
    let (end, too_late) = (now.plus(lease).0, now.plus(lease * 2).0);
    sqlx::query!(
        "UPDATE webhooks SET due_at = $1 WHERE claimed = 1 AND due_at > $2",
        end,
        too_late
    )
    .execute(&mut *c)
    .await?;
    let too_late = now.plus(longest_wait).0;
    sqlx::query!(
        "UPDATE webhook_events SET due_at = $1 WHERE due_at > $2",
        now.0,
        too_late
    )
    .execute(&mut *c)
    .await?;
    sqlx::query!(
        "UPDATE webhooks SET due_at = $1 WHERE claimed = 0 AND due_at > $1",
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}
