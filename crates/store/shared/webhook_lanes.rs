//! Lanes: the right to post an app's events, held under a lease that is fenced like a page's.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{
    Agenda, Attempt, AttemptRecorded, LaneClaim, LaneLease, NextLane, Posting, RecipientRun,
    StoreError, WebhookQueue,
};

use crate::Database;
use crate::dialect::{Connection, readers, sql, write, write_soon};
use crate::failure::during;
use crate::webhook_agenda;
use crate::webhook_attempts::record;
use crate::webhook_outbox::is_active;
use crate::webhooks::keep_secret;

#[async_trait]
impl WebhookQueue for Database {
    async fn claim_lane(&self, claim: LaneClaim) -> Result<NextLane, StoreError> {
        let next_due = next_due(self, claim.slow_too).await;
        let next_due = next_due.map_err(during("look for a lane"))?;
        if next_due.is_none_or(|due| due > claim.now) {
            return Ok(NextLane::Idle { next_due });
        }
        write(self, "claim a lane", move |c| {
            Box::pin(claim_next(c, claim))
        })
        .await
    }

    async fn agenda(
        &self,
        lane: &LaneLease,
        in_flight: &[i64],
        now: UnixMillis,
        limit: u32,
    ) -> Result<Agenda, StoreError> {
        let agenda = webhook_agenda::agenda(self, lane, in_flight, now, limit.into()).await;
        agenda.map_err(during("read a lane"))
    }

    async fn posting(
        &self,
        lane: &LaneLease,
        recipients: &[RecipientRun],
        now: UnixMillis,
    ) -> Result<Option<Posting>, StoreError> {
        let posting = webhook_agenda::posting(self, lane, recipients, now).await;
        posting.map_err(during("read what an event takes with it"))
    }

    async fn record_attempt(
        &self,
        lane: &LaneLease,
        attempt: Attempt,
        failing_limit: Duration,
        now: UnixMillis,
    ) -> Result<AttemptRecorded, StoreError> {
        let lane = lane.clone();
        let limit = now.minus(failing_limit);
        write_soon(self, "record an attempt", move |c| {
            Box::pin(record(c, lane, attempt, limit, now))
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

    async fn discard_events(&self, lane: &LaneLease, limit: u32) -> Result<bool, StoreError> {
        let lane = lane.clone();
        write(self, "discard events", move |c| {
            Box::pin(discard(c, lane, limit.into()))
        })
        .await
    }

    async fn renew_lane(&self, lane: &LaneLease, until: UnixMillis) -> Result<bool, StoreError> {
        let lane = lane.clone();
        write(self, "renew a lane's lease", move |c| {
            Box::pin(renew(c, lane, until))
        })
        .await
    }

    async fn release_lane(
        &self,
        lane: &LaneLease,
        not_before: UnixMillis,
    ) -> Result<(), StoreError> {
        let lane = lane.clone();
        write(self, "give a lane back", move |c| {
            Box::pin(release(c, lane, not_before))
        })
        .await
    }

    async fn clamp_webhook_due_times(
        &self,
        now: UnixMillis,
        lease: Duration,
        longest_wait: Duration,
    ) -> Result<(), StoreError> {
        write(self, "bring lanes forward", move |c| {
            Box::pin(clamp_due_times(c, now, lease, longest_wait))
        })
        .await
    }
}

async fn next_due(database: &Database, slow_too: bool) -> sqlx::Result<Option<UnixMillis>> {
    let due = sqlx::query_scalar!(
        r#"SELECT due_at AS "due_at!" FROM webhooks WHERE due_at IS NOT NULL AND (slow = 0 OR $1)
           ORDER BY due_at LIMIT 1"#,
        slow_too
    )
    .fetch_optional(readers(database))
    .await?;
    Ok(due.map(UnixMillis))
}

struct LaneRow {
    app_id: String,
    lease_token: i64,
    slow: i64,
}

async fn claim_next(c: &mut Connection, claim: LaneClaim) -> sqlx::Result<NextLane> {
    let until = claim.now.plus(claim.lease);
    let row = sql!(query_as LaneRow [
        r#"WITH due AS MATERIALIZED (
             SELECT app_id FROM webhooks WHERE due_at <= $1 AND (slow = 0 OR $3)
             ORDER BY due_at LIMIT 1"# SKIP_LOCKED r#"
           )
           UPDATE webhooks SET due_at = $2, lease_token = lease_token + 1, claimed = 1
           WHERE app_id IN (SELECT app_id FROM due)
           RETURNING app_id AS "app_id!", lease_token AS "lease_token!", slow AS "slow!""#
    ] claim.now.0, until.0, claim.slow_too)
    .fetch_optional(c)
    .await?;
    Ok(match row {
        Some(row) => NextLane::Claimed(LaneLease {
            app_id: AppId::trusted(row.app_id),
            token: row.lease_token,
            is_slow: row.slow == 1,
        }),
        None => NextLane::Idle { next_due: None },
    })
}

/// A webhook that was switched on meanwhile keeps what waits.
async fn discard(c: &mut Connection, lane: LaneLease, limit: i64) -> sqlx::Result<bool> {
    if is_active(c, &lane.app_id).await? {
        return Ok(false);
    }
    let app = lane.app_id.as_str();
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

async fn renew(c: &mut Connection, lane: LaneLease, until: UnixMillis) -> sqlx::Result<bool> {
    let app = lane.app_id.as_str();
    let renewed = sqlx::query!(
        "UPDATE webhooks SET due_at = $3 WHERE app_id = $1 AND lease_token = $2",
        app,
        lane.token,
        until.0
    )
    .execute(c)
    .await?;
    Ok(renewed.rows_affected() == 1)
}

/// A new token, so that the lease that is given back records nothing any more.
async fn release(c: &mut Connection, lane: LaneLease, not_before: UnixMillis) -> sqlx::Result<()> {
    let due = next_event(c, &lane.app_id).await?;
    let due = due.map(|due| due.max(not_before.0));
    let app = lane.app_id.as_str();
    sqlx::query!(
        "UPDATE webhooks SET due_at = $3, lease_token = lease_token + 1, claimed = 0
         WHERE app_id = $1 AND lease_token = $2",
        app,
        lane.token,
        due
    )
    .execute(c)
    .await
    .map(drop)
}

/// When the app's next event is to be posted; one that was never posted, and a resend, at once.
async fn next_event(c: &mut Connection, app: &AppId) -> sqlx::Result<Option<i64>> {
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

/// Who holds a lease renews it before it ends; every other lane is looked after at once, which finds out what is due.
async fn clamp_due_times(
    c: &mut Connection,
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
