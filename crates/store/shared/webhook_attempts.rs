//! Attempts to post events: recorded with what they mean for the event and the webhook, and kept for a while.

use std::time::Duration;

use hato_domain::{AppId, DisabledReason, NoResponseReason, SendId, UnixMillis, WebhookEventId};
use hato_service::ports::{
    Attempt, AttemptRecord, Disposition, OutboxLease, RecordAttemptOutcome, WebhookResponse,
};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::error::decode_error;
use crate::webhook_events::{parse_attempts, parse_event_type};

/// Records an attempt, unless the lease was lost. Nothing has succeeded since `failing_limit`: the webhook is
/// disabled.
pub(crate) async fn record(
    c: &mut DbConnection,
    outbox: OutboxLease,
    attempt: Attempt,
    failing_limit: UnixMillis,
    now: UnixMillis,
) -> sqlx::Result<RecordAttemptOutcome> {
    let effect = AttemptEffect::from_attempt(c, &outbox.app_id, &attempt, now).await?;
    if !insert(c, &outbox, &attempt, effect, now).await? && !is_held(c, &outbox).await? {
        return Ok(RecordAttemptOutcome::LeaseLost);
    }
    let (reason, limit) = match attempt.disposition {
        Disposition::Arrived => return Ok(RecordAttemptOutcome::Recorded),
        Disposition::Gone => (DisabledReason::Gone, None),
        Disposition::Failed(_) => (DisabledReason::Failing, Some(failing_limit)),
    };
    let is_disabled = disable(c, &outbox.app_id, &attempt.url, reason, limit).await?;
    Ok(if is_disabled {
        RecordAttemptOutcome::SwitchedOff(reason)
    } else {
        RecordAttemptOutcome::Recorded
    })
}

/// What an attempt means for its event.
struct AttemptEffect {
    is_resend: bool,
    /// The resend that this was; one asked for meanwhile is yet to be made.
    resent: Option<UnixMillis>,
    /// Whether the event is due when it was before, and otherwise when.
    keeps_due_time: bool,
    due: Option<UnixMillis>,
}

impl AttemptEffect {
    /// Whoever is gone from a URL that was changed meanwhile has not got the event at the new one. A resend that did not arrive
    /// leaves the retries as they are.
    async fn from_attempt(
        c: &mut DbConnection,
        app: &AppId,
        attempt: &Attempt,
        now: UnixMillis,
    ) -> sqlx::Result<Self> {
        let goes_to_new_url =
            attempt.disposition == Disposition::Gone && !is_current(c, app, &attempt.url).await?;
        let due = match attempt.disposition {
            Disposition::Failed(next) => next,
            Disposition::Gone if goes_to_new_url => Some(now),
            Disposition::Arrived | Disposition::Gone => None,
        };
        let keeps_retries =
            goes_to_new_url || matches!(attempt.disposition, Disposition::Failed(_));
        Ok(Self {
            is_resend: attempt.resend.is_some(),
            resent: attempt.resend.filter(|_| !goes_to_new_url),
            keeps_due_time: attempt.resend.is_some() && keeps_retries,
            due,
        })
    }
}

/// Keeps the attempt, moves its event on and updates the webhook, each only while the lease is held; `false` when nothing
/// was kept. An attempt at a URL that was changed meanwhile says nothing about the receiver.
async fn insert(
    c: &mut DbConnection,
    outbox: &OutboxLease,
    attempt: &Attempt,
    effect: AttemptEffect,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    let (status, failure, answer) = match &attempt.response {
        WebhookResponse::Received { status, text } => {
            (Some(i64::from(*status)), None, text.as_str())
        }
        WebhookResponse::NotReceived(failure) => (None, Some(failure.as_str()), ""),
    };
    let (app, token, url) = (outbox.app_id.as_str(), outbox.token, attempt.url.as_str());
    let duration = i64::try_from(attempt.duration.as_millis()).unwrap_or(i64::MAX);
    let (retries, resends) = (i64::from(!effect.is_resend), i64::from(effect.is_resend));
    let resent = effect.resent.map(|at| at.0);
    let due = effect.due.map(|at| at.0);
    let (has_arrived, slow) = (
        attempt.disposition == Disposition::Arrived,
        i64::from(attempt.is_slow),
    );
    let inserted = sql!(query [
        "INSERT INTO webhook_attempts (app_id, event_id, attempt, url, http_status, failure, answer,
                                       started_at, duration_ms, signature)
         SELECT w.app_id, e.id, e.attempts + e.resends + 1, $1, CAST($2 AS BIGINT), CAST($3 AS TEXT), $4,
                CAST($5 AS BIGINT), CAST($6 AS BIGINT), $7
         FROM webhook_events AS e JOIN webhooks AS w ON w.app_id = e.app_id
         WHERE e.id = $8 AND w.app_id = $9 AND w.lease_token = $10"
        NEXT_STATEMENT
        "UPDATE webhook_events
         SET attempts = attempts + $11, resends = resends + $12,
             resend_at = CASE WHEN resend_at = $13 THEN NULL ELSE resend_at END,
             due_at = CASE WHEN $14 THEN due_at ELSE CAST($15 AS BIGINT) END
         WHERE id = $16
           AND EXISTS (SELECT 1 FROM webhooks AS w WHERE w.app_id = $17 AND w.lease_token = $18)"
        NEXT_STATEMENT
        "UPDATE webhooks
         SET failing_since = CASE WHEN $19 THEN NULL ELSE COALESCE(failing_since, CAST($20 AS BIGINT)) END,
             slow = $21
         WHERE app_id = $22 AND lease_token = $23 AND (slow <> $24 OR (failing_since IS NULL) <> $25)
           AND EXISTS (SELECT 1 FROM apps AS p WHERE p.id = $26 AND p.webhook_url = $27)"
    ] url, status, failure, answer, attempt.started_at.0, duration, attempt.signature, attempt.event, app, token,
      retries, resends, resent, effect.keeps_due_time, due, attempt.event, app, token,
      has_arrived, now.0, slow, app, token, slow, has_arrived, app, url)
    .execute(c)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

async fn is_held(c: &mut DbConnection, outbox: &OutboxLease) -> sqlx::Result<bool> {
    let app = outbox.app_id.as_str();
    let held = sqlx::query_scalar!(
        r#"SELECT 1 AS "one!: i64" FROM webhooks WHERE app_id = $1 AND lease_token = $2"#,
        app,
        outbox.token
    );
    Ok(held.fetch_optional(c).await?.is_some())
}

async fn is_current(c: &mut DbConnection, app: &AppId, url: &str) -> sqlx::Result<bool> {
    let app = app.as_str();
    let found = sqlx::query_scalar!(
        r#"SELECT 1 AS "one!: i64" FROM apps WHERE id = $1 AND webhook_url = $2"#,
        app,
        url
    );
    Ok(found.fetch_optional(c).await?.is_some())
}

/// Disables the webhook if its URL is still the one that was tried and, with a `limit`, nothing has succeeded since; `false`
/// when it was not disabled.
async fn disable(
    c: &mut DbConnection,
    app: &AppId,
    url: &str,
    reason: DisabledReason,
    limit: Option<UnixMillis>,
) -> sqlx::Result<bool> {
    let (app, reason) = (app.as_str(), reason.as_str());
    let limit = limit.map_or(i64::MAX, |limit| limit.0);
    let disabled = sqlx::query!(
        "UPDATE webhooks SET disabled_reason = $3
         WHERE app_id = $1 AND disabled_reason IS NULL AND failing_since <= $4
           AND EXISTS (SELECT 1 FROM apps AS p WHERE p.id = $1 AND p.webhook_url = $2)",
        app,
        url,
        reason,
        limit
    )
    .execute(c)
    .await?;
    Ok(disabled.rows_affected() == 1)
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

fn parse_response(
    status: Option<i64>,
    failure: Option<&str>,
    text: String,
) -> sqlx::Result<WebhookResponse> {
    match (status, failure.and_then(NoResponseReason::parse)) {
        (Some(status), _) => {
            let status = u16::try_from(status).map_err(|_| decode_error("status"))?;
            Ok(WebhookResponse::Received { status, text })
        }
        (None, Some(failure)) => Ok(WebhookResponse::NotReceived(failure)),
        (None, None) => Err(decode_error("attempt")),
    }
}

/// The newest attempts of the app.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    limit: u32,
) -> sqlx::Result<Vec<AttemptRecord>> {
    let (app, limit) = (app.as_str(), i64::from(limit));
    let rows = sqlx::query_as!(
        AttemptRow,
        r#"SELECT e.public_id, e.type AS kind, e.send_id, a.attempt, a.url, a.http_status, a.failure,
                  a.answer, a.started_at, a.duration_ms, a.signature,
                  CASE WHEN a.attempt = e.attempts + e.resends THEN e.due_at END AS "next_at?: i64"
           FROM webhook_attempts AS a JOIN webhook_events AS e ON e.id = a.event_id
           WHERE a.app_id = $1 ORDER BY a.id DESC LIMIT $2"#,
        app,
        limit
    )
    .fetch_all(readers(database))
    .await?;
    rows.into_iter().map(AttemptRow::into_record).collect()
}

/// Removes attempts beyond the newest `kept` of each app, and events of which nothing is left to see or to do; whether there
/// may be more.
pub(crate) async fn purge(c: &mut DbConnection, kept: i64, limit: i64) -> sqlx::Result<bool> {
    let attempts = sqlx::query!(
        "DELETE FROM webhook_attempts WHERE id IN
           (SELECT a.id FROM webhooks AS w JOIN webhook_attempts AS a ON a.app_id = w.app_id
            WHERE a.id <= (SELECT b.id FROM webhook_attempts AS b WHERE b.app_id = w.app_id
                           ORDER BY b.id DESC LIMIT 1 OFFSET $1)
            LIMIT $2)",
        kept,
        limit
    )
    .execute(&mut *c)
    .await?;
    let events = sqlx::query!(
        "DELETE FROM webhook_events WHERE id IN
           (SELECT e.id FROM webhook_events AS e
            WHERE e.due_at IS NULL AND e.resend_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM webhook_attempts AS a WHERE a.event_id = e.id)
            LIMIT $1)",
        limit
    )
    .execute(c)
    .await?;
    let removed = attempts.rows_affected().max(events.rows_affected());
    Ok(i64::try_from(removed).unwrap_or(i64::MAX) >= limit)
}
