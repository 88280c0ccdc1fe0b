//! Attempts to post events: recorded with what they mean for the event and the webhook, and kept for a while.

use std::time::Duration;

use hato_domain::{AppId, DisabledReason, PostFailure, SendId, UnixMillis, WebhookEventId};
use hato_service::ports::{Attempt, AttemptRecord, AttemptRecorded, LaneLease, PostReply, Verdict};

use crate::Database;
use crate::dialect::{Connection, readers};
use crate::failure::unreadable;
use crate::webhook_events::{count, kind};

/// Records an attempt, unless the lane is somebody else's by now. Nothing has succeeded since `failing_limit`: the webhook is
/// switched off.
pub(crate) async fn record(
    c: &mut Connection,
    lane: LaneLease,
    attempt: Attempt,
    failing_limit: UnixMillis,
    now: UnixMillis,
) -> sqlx::Result<AttemptRecorded> {
    let Some(failing_since) = note(c, &lane, &attempt, now).await? else {
        return Ok(AttemptRecorded::LeaseLost);
    };
    insert(c, &lane.app_id, &attempt).await?;
    advance(c, &lane.app_id, &attempt, now).await?;
    let reason = match attempt.verdict {
        Verdict::Arrived => None,
        Verdict::Gone => Some(DisabledReason::Gone),
        Verdict::Failed(_) => (failing_since.is_some_and(|since| since <= failing_limit))
            .then_some(DisabledReason::Failing),
    };
    Ok(match reason {
        Some(reason) if switch_off(c, &lane.app_id, &attempt.url, reason).await? => {
            AttemptRecorded::SwitchedOff(reason)
        }
        _ => AttemptRecorded::Recorded,
    })
}

/// Since when attempts fail, this one included; `None` when the lease was lost. An attempt at a URL that was changed meanwhile
/// says nothing about the receiver.
async fn note(
    c: &mut Connection,
    lane: &LaneLease,
    attempt: &Attempt,
    now: UnixMillis,
) -> sqlx::Result<Option<Option<UnixMillis>>> {
    let app = lane.app_id.as_str();
    let has_arrived = attempt.verdict == Verdict::Arrived;
    let slow = i64::from(attempt.is_slow);
    let failing_since = sqlx::query_scalar!(
        r#"UPDATE webhooks
           SET failing_since = CASE WHEN p.webhook_url <> $6 THEN failing_since
                                    WHEN $3 THEN NULL
                                    ELSE COALESCE(failing_since, CAST($4 AS BIGINT)) END,
               slow = CASE WHEN p.webhook_url <> $6 THEN slow ELSE $5 END
           FROM apps AS p
           WHERE app_id = $1 AND lease_token = $2 AND p.id = app_id
           RETURNING failing_since AS "failing_since?: i64""#,
        app,
        lane.token,
        has_arrived,
        now.0,
        slow,
        attempt.url
    )
    .fetch_optional(c)
    .await?;
    Ok(failing_since.map(|since| since.map(UnixMillis)))
}

async fn insert(c: &mut Connection, app: &AppId, attempt: &Attempt) -> sqlx::Result<()> {
    let (status, failure, answer) = match &attempt.reply {
        PostReply::Answer { status, text } => (Some(i64::from(*status)), None, text.as_str()),
        PostReply::Nothing(failure) => (None, Some(failure.as_str()), ""),
    };
    let app = app.as_str();
    let duration = i64::try_from(attempt.duration.as_millis()).unwrap_or(i64::MAX);
    sqlx::query!(
        "INSERT INTO webhook_attempts (app_id, event_id, attempt, url, http_status, failure, answer,
                                       started_at, duration_ms, signature)
         SELECT $1, e.id, e.attempts + e.resends + 1, $3, CAST($4 AS BIGINT), CAST($5 AS TEXT), $6,
                CAST($7 AS BIGINT), CAST($8 AS BIGINT), $9
         FROM webhook_events AS e WHERE e.id = $2",
        app,
        attempt.event,
        attempt.url,
        status,
        failure,
        answer,
        attempt.started_at.0,
        duration,
        attempt.signature
    )
    .execute(c)
    .await
    .map(drop)
}

/// Says when the event is due again. Whoever is gone from a URL that was changed meanwhile has not got it at the new one.
async fn advance(
    c: &mut Connection,
    app: &AppId,
    attempt: &Attempt,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let goes_elsewhere =
        attempt.verdict == Verdict::Gone && !is_current(c, app, &attempt.url).await?;
    if let Some(asked_at) = attempt.resend {
        return advance_resend(c, attempt, asked_at, goes_elsewhere).await;
    }
    let due = match attempt.verdict {
        Verdict::Failed(next) => next.map(|next| next.0),
        Verdict::Gone if goes_elsewhere => Some(now.0),
        Verdict::Arrived | Verdict::Gone => None,
    };
    sqlx::query!(
        "UPDATE webhook_events SET attempts = attempts + 1, due_at = $2 WHERE id = $1",
        attempt.event,
        due
    )
    .execute(c)
    .await
    .map(drop)
}

/// A resend that did not arrive leaves the retries as they are. One asked for meanwhile is yet to be made.
async fn advance_resend(
    c: &mut Connection,
    attempt: &Attempt,
    asked_at: UnixMillis,
    goes_elsewhere: bool,
) -> sqlx::Result<()> {
    let ends = !goes_elsewhere && !matches!(attempt.verdict, Verdict::Failed(_));
    sqlx::query!(
        "UPDATE webhook_events
         SET resends = resends + 1,
             resend_at = CASE WHEN resend_at = $2 AND NOT $3 THEN NULL ELSE resend_at END,
             due_at = CASE WHEN $4 THEN NULL ELSE due_at END
         WHERE id = $1",
        attempt.event,
        asked_at.0,
        goes_elsewhere,
        ends
    )
    .execute(c)
    .await
    .map(drop)
}

async fn is_current(c: &mut Connection, app: &AppId, url: &str) -> sqlx::Result<bool> {
    let app = app.as_str();
    let found = sqlx::query_scalar!(
        r#"SELECT 1 AS "one!: i64" FROM apps WHERE id = $1 AND webhook_url = $2"#,
        app,
        url
    );
    Ok(found.fetch_optional(c).await?.is_some())
}

/// Switches the webhook off if its URL is still the one that was tried; `false` when it is not, or was off.
async fn switch_off(
    c: &mut Connection,
    app: &AppId,
    url: &str,
    reason: DisabledReason,
) -> sqlx::Result<bool> {
    let (app, reason) = (app.as_str(), reason.as_str());
    let switched = sqlx::query!(
        "UPDATE webhooks SET disabled_reason = $3
         WHERE app_id = $1 AND disabled_reason IS NULL
           AND EXISTS (SELECT 1 FROM apps AS p WHERE p.id = $1 AND p.webhook_url = $2)",
        app,
        url,
        reason
    )
    .execute(c)
    .await?;
    Ok(switched.rows_affected() == 1)
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
        let millis = u64::try_from(self.duration_ms).map_err(|_| unreadable("duration"))?;
        Ok(AttemptRecord {
            reply: reply(self.http_status, self.failure.as_deref(), self.answer)?,
            event_id: WebhookEventId::trusted(self.public_id),
            kind: kind(&self.kind)?,
            send_id: self.send_id.map(SendId::trusted),
            attempt: count(self.attempt)?,
            url: self.url,
            started_at: UnixMillis(self.started_at),
            duration: Duration::from_millis(millis),
            signature: self.signature,
            next_at: self.next_at.map(UnixMillis),
        })
    }
}

fn reply(status: Option<i64>, failure: Option<&str>, text: String) -> sqlx::Result<PostReply> {
    match (status, failure.and_then(PostFailure::parse)) {
        (Some(status), _) => {
            let status = u16::try_from(status).map_err(|_| unreadable("status"))?;
            Ok(PostReply::Answer { status, text })
        }
        (None, Some(failure)) => Ok(PostReply::Nothing(failure)),
        (None, None) => Err(unreadable("attempt")),
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
pub(crate) async fn purge(c: &mut Connection, kept: i64, limit: i64) -> sqlx::Result<bool> {
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
