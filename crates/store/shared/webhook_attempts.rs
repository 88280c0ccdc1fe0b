//! Attempts to post events, recorded with what they mean for the event and the webhook.

use std::time::Duration;

use hato_domain::{AppId, DisabledReason, NoResponseReason, UnixMillis};
use hato_service::ports::{
    Attempt, Disposition, FailingRule, OutboxLease, RecordAttemptOutcome, WebhookResponse,
};

use crate::dialect::{DbConnection, lock_webhook};
use crate::error::decode_error;

/// Records an attempt, unless the lease was lost. An attempt at a URL that was changed meanwhile says nothing about the
/// receiver, and who is gone from there has not got the event at the new URL.
///
/// Who gets no answer to its commit comes again. What is on record already, or has been removed since, is left as it is.
pub(crate) async fn record(
    c: &mut DbConnection,
    outbox: OutboxLease,
    attempt: Attempt,
    failing: FailingRule,
    now: UnixMillis,
) -> sqlx::Result<RecordAttemptOutcome> {
    let app = &outbox.app_id;
    let Some(state) = state(c, &outbox, attempt.event).await? else {
        return Ok(RecordAttemptOutcome::LeaseLost);
    };
    if state.attempts != Some(i64::from(attempt.earlier)) {
        return Ok(RecordAttemptOutcome::Recorded);
    }
    let is_current = state.url.as_ref() == Some(&attempt.url);
    let is_after_quiet_time = attempt.disposition != Disposition::Arrived
        && is_after_quiet_time(c, app, failing.quiet_time, attempt.started_at).await?;
    insert(c, app, &attempt).await?;
    advance_or_repeat(c, &attempt, is_current, now).await?;
    if !is_current {
        return Ok(RecordAttemptOutcome::Recorded);
    }
    judge_receiver(c, app, &attempt, is_after_quiet_time, now).await?;
    disable_after(c, app, &attempt, failing, now).await
}

/// Disables the webhook if its receiver is gone, or has failed for too long.
async fn disable_after(
    c: &mut DbConnection,
    app: &AppId,
    attempt: &Attempt,
    failing: FailingRule,
    now: UnixMillis,
) -> sqlx::Result<RecordAttemptOutcome> {
    let (reason, limit) = match attempt.disposition {
        Disposition::Arrived => return Ok(RecordAttemptOutcome::Recorded),
        // Whatever the clock said when it began to fail.
        Disposition::Gone => (DisabledReason::Gone, UnixMillis(i64::MAX)),
        Disposition::Failed(_) => (DisabledReason::Failing, now.minus(failing.limit)),
    };
    let is_disabled = disable(c, app, reason, limit).await?;
    Ok(if is_disabled {
        RecordAttemptOutcome::Disabled(reason)
    } else {
        RecordAttemptOutcome::Recorded
    })
}

/// What an attempt is recorded by.
struct State {
    /// The app's webhook URL, if it has one.
    url: Option<String>,
    /// How many attempts of the event are on record, resends included; `None` when it was removed.
    attempts: Option<i64>,
}

/// The state as it is now; `None` when the lease was lost. The webhook is locked until the end of the transaction.
async fn state(
    c: &mut DbConnection,
    outbox: &OutboxLease,
    event: i64,
) -> sqlx::Result<Option<State>> {
    lock_webhook(c, &outbox.app_id).await?;
    let state = sqlx::query_as!(
        State,
        r#"SELECT p.webhook_url AS "url?", e.attempts + e.resends AS "attempts?: i64"
           FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id LEFT JOIN webhook_events AS e ON e.id = $3
           WHERE w.app_id = $1 AND w.lease_token = $2"#,
        outbox.app_id.as_str(),
        outbox.token,
        event
    );
    state.fetch_optional(c).await
}

/// Status, failure and answer as they are stored.
fn response_columns(response: &WebhookResponse) -> (Option<i64>, Option<&'static str>, &str) {
    match response {
        WebhookResponse::Received { status, text } => {
            (Some(i64::from(*status)), None, text.as_str())
        }
        WebhookResponse::NotReceived(failure) => (None, Some(failure.as_str()), ""),
    }
}

async fn insert(c: &mut DbConnection, app: &AppId, attempt: &Attempt) -> sqlx::Result<()> {
    let (status, failure, answer) = response_columns(&attempt.response);
    let duration = i64::try_from(attempt.duration.as_millis()).unwrap_or(i64::MAX);
    sqlx::query!(
        "INSERT INTO webhook_attempts (app_id, event_id, attempt, url, http_status, failure, answer,
                                       started_at, duration_ms, signature)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        app.as_str(),
        attempt.event,
        i64::from(attempt.earlier) + 1,
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

/// Moves the event on, or leaves it due at once when the attempt was made at a URL that is not the current one any more, and whoever was
/// there is gone.
async fn advance_or_repeat(
    c: &mut DbConnection,
    attempt: &Attempt,
    is_current: bool,
    now: UnixMillis,
) -> sqlx::Result<()> {
    if attempt.disposition == Disposition::Gone && !is_current {
        repeat_event(c, attempt, now).await
    } else {
        advance_event(c, attempt).await
    }
}

/// Moves the event on. A resend that failed leaves the retries as they are; one that was asked for meanwhile is yet to be made.
async fn advance_event(c: &mut DbConnection, attempt: &Attempt) -> sqlx::Result<()> {
    if let Some(resend) = attempt.resend {
        return count_resend(c, attempt, resend).await;
    }
    let next = match attempt.disposition {
        Disposition::Failed(next) => next.map(|at| at.0),
        Disposition::Arrived | Disposition::Gone => None,
    };
    count_attempt(c, attempt.event, next).await
}

async fn count_resend(
    c: &mut DbConnection,
    attempt: &Attempt,
    resend: UnixMillis,
) -> sqlx::Result<()> {
    let ends = !matches!(attempt.disposition, Disposition::Failed(_));
    sqlx::query!(
        "UPDATE webhook_events
         SET resends = resends + 1,
             resend_at = CASE WHEN resend_at = $2 THEN NULL ELSE resend_at END,
             due_at = CASE WHEN $3 THEN NULL ELSE due_at END
         WHERE id = $1",
        attempt.event,
        resend.0,
        ends
    )
    .execute(c)
    .await
    .map(drop)
}

/// Leaves the event due at once: again as a resend if it was one.
async fn repeat_event(
    c: &mut DbConnection,
    attempt: &Attempt,
    now: UnixMillis,
) -> sqlx::Result<()> {
    if attempt.resend.is_none() {
        return count_attempt(c, attempt.event, Some(now.0)).await;
    }
    sqlx::query!(
        "UPDATE webhook_events SET resends = resends + 1 WHERE id = $1",
        attempt.event
    )
    .execute(c)
    .await
    .map(drop)
}

/// Counts an attempt that uses up a retry; the event is due again at `next`, or no more.
async fn count_attempt(c: &mut DbConnection, event: i64, next: Option<i64>) -> sqlx::Result<()> {
    let counted = sqlx::query!(
        "UPDATE webhook_events SET attempts = attempts + 1, due_at = $2 WHERE id = $1",
        event,
        next
    );
    counted.execute(c).await.map(drop)
}

/// Whether the app's attempt before one that started at `started_at` is longer ago than `quiet_time`, so that the time
/// between them says nothing about the receiver (CONTRACT 8). While a webhook fails there is such an attempt, for an app's newest
/// are kept.
async fn is_after_quiet_time(
    c: &mut DbConnection,
    app: &AppId,
    quiet_time: Duration,
    started_at: UnixMillis,
) -> sqlx::Result<bool> {
    let app = app.as_str();
    let last = sqlx::query_scalar!(
        "SELECT started_at FROM webhook_attempts WHERE app_id = $1 ORDER BY id DESC LIMIT 1",
        app
    )
    .fetch_optional(c)
    .await?;
    Ok(last.is_some_and(|last| UnixMillis(last) < started_at.minus(quiet_time)))
}

/// Keeps whether the receiver is slow, and since when nothing has succeeded: since the first failure after a success or after a
/// quiet time. The five days of CONTRACT 8 are counted from there.
async fn judge_receiver(
    c: &mut DbConnection,
    app: &AppId,
    attempt: &Attempt,
    is_after_quiet_time: bool,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let (app, slow) = (app.as_str(), i64::from(attempt.is_slow));
    let has_arrived = attempt.disposition == Disposition::Arrived;
    sqlx::query!(
        "UPDATE webhooks
         SET slow = $2,
             failing_since = CASE WHEN $3 THEN NULL WHEN $4 THEN $5 ELSE COALESCE(failing_since, $5) END
         WHERE app_id = $1 AND (slow <> $2 OR (failing_since IS NULL) <> $3 OR $4)",
        app,
        slow,
        has_arrived,
        is_after_quiet_time,
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Disables the webhook if nothing has succeeded since `limit`; `false` when it was not disabled by this. Comes after
/// [`judge_receiver`], so `failing_since` is set.
async fn disable(
    c: &mut DbConnection,
    app: &AppId,
    reason: DisabledReason,
    limit: UnixMillis,
) -> sqlx::Result<bool> {
    let (app, reason) = (app.as_str(), reason.as_str());
    let disabled = sqlx::query!(
        "UPDATE webhooks SET disabled_reason = $2
         WHERE app_id = $1 AND disabled_reason IS NULL AND failing_since <= $3",
        app,
        reason,
        limit.0
    )
    .execute(c)
    .await?;
    Ok(disabled.rows_affected() == 1)
}

/// The answer to an attempt, as `insert` stores it.
pub(crate) fn parse_response(
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
