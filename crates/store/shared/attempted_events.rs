//! What an attempt to post an event means for when the event is due again, if it is.

use hato_domain::UnixMillis;
use hato_service::ports::{Attempt, Disposition};

use crate::dialect::DbConnection;

/// Moves the event on, or leaves it due at once when the attempt was made at a URL that is not the current one any more, and whoever was
/// there is gone.
pub(crate) async fn advance_or_repeat(
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
