//! Cancelling: what nobody has claimed leaves the queue, what is claimed is tried no more after this attempt.

use hato_domain::{AppId, SendId, UnixMillis};

use crate::dialect::{DbConnection, lock_unclaimed_jobs, sql};
use crate::settlement::finish;
use crate::webhooks::has_active_webhook;

/// Cancels the send and returns how many recipients left the queue; `None` when the app has no such send.
///
/// The jobs are locked before the send, as those do who claim or settle them, and once more for those that came meanwhile.
///
/// Marking locks the send's row until the end of the transaction, so a page of it is settled either before, and
/// its retries are jobs that are removed here, or after, and settling sees the mark and counts them as cancelled.
pub(crate) async fn cancel(
    c: &mut DbConnection,
    app: &AppId,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<Option<i64>> {
    lock_unclaimed_jobs(c, send, now).await?;
    let Some(is_finished) = mark(c, app, send, now).await? else {
        return Ok(None);
    };
    if is_finished {
        return Ok(Some(0));
    }
    lock_unclaimed_jobs(c, send, now).await?;
    let cancelled = count_unclaimed(c, send, now).await?;
    sqlx::query!(
        "DELETE FROM jobs WHERE send_id = $1 AND (claimed = 0 OR due_at <= $2)",
        send.as_str(),
        now.0
    )
    .execute(&mut *c)
    .await?;
    count_cancelled(c, send, cancelled).await?;
    let has_active_webhook = has_active_webhook(c, app).await?;
    finish(c, send, has_active_webhook, now).await?;
    Ok(Some(cancelled))
}

/// Marks the send, unless it is finished, and returns whether it is. The first mark stays.
async fn mark(
    c: &mut DbConnection,
    app: &AppId,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<Option<bool>> {
    sqlx::query_scalar!(
        r#"UPDATE sends
           SET cancelled_at = CASE WHEN finished_at IS NULL THEN COALESCE(cancelled_at, $3)
                                   ELSE cancelled_at END
           WHERE id = $1 AND app_id = $2
           RETURNING finished_at IS NOT NULL AS "is_finished!: bool""#,
        send.as_str(),
        app.as_str(),
        now.0
    )
    .fetch_optional(c)
    .await
}

/// How many recipients the unclaimed jobs of the send hold. A job whose lease has ended is nobody's.
async fn count_unclaimed(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<i64> {
    sql!(query_scalar [
        r#"SELECT CAST(COALESCE(SUM(
                CASE WHEN j.up_to_position IS NULL THEN "# LIST_LENGTH r#"
                ELSE (SELECT COUNT(*) FROM subscriptions AS s
                      WHERE s.app_id = j.app_id AND s.position > j.after_position
                        AND s.position <= j.up_to_position)
                END), 0) AS BIGINT) AS "recipients!: i64"
           FROM jobs AS j WHERE j.send_id = $1 AND (j.claimed = 0 OR j.due_at <= $2)"#
    ] send.as_str(), now.0)
    .fetch_one(c)
    .await
}

/// Counts recipients that are not reached because the send is cancelled.
pub(crate) async fn count_cancelled(
    c: &mut DbConnection,
    send: &SendId,
    recipients: i64,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE sends SET cancelled = cancelled + $2 WHERE id = $1",
        send.as_str(),
        recipients
    )
    .execute(c)
    .await
    .map(drop)
}
