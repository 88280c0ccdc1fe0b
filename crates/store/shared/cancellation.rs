//! Cancelling: what nobody has claimed leaves the queue, what is claimed is tried no more after this attempt.

use hato_domain::{AppId, SendId, UnixMillis};

use crate::dialect::{DbConnection, sql};
use crate::settlement::finish;
use crate::webhooks::is_active;

/// Returns how many recipients left the queue; `None` when the app has no such send.
pub(crate) async fn cancel(
    c: &mut DbConnection,
    app: AppId,
    send: SendId,
    now: UnixMillis,
) -> sqlx::Result<Option<i64>> {
    let Some(finished) = mark(c, &app, &send, now).await? else {
        return Ok(None);
    };
    if finished {
        return Ok(Some(0));
    }
    let cancelled = unclaimed(c, &send, now).await?;
    remove_unclaimed(c, &send, now).await?;
    count_cancelled(c, &send, cancelled).await?;
    let has_webhook = is_active(c, &app).await?;
    finish(c, &send, has_webhook, now).await?;
    Ok(Some(cancelled))
}

/// Marks the send, which stays locked until the end of the transaction, and says whether it is finished.
async fn mark(
    c: &mut DbConnection,
    app: &AppId,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<Option<bool>> {
    let (app, send) = (app.as_str(), send.as_str());
    sqlx::query_scalar!(
        r#"UPDATE sends
           SET cancelled_at = CASE WHEN finished_at IS NULL THEN COALESCE(cancelled_at, $3)
                                   ELSE cancelled_at END
           WHERE id = $1 AND app_id = $2
           RETURNING finished_at IS NOT NULL AS "finished!: bool""#,
        send,
        app,
        now.0
    )
    .fetch_optional(c)
    .await
}

/// How many recipients the unclaimed jobs of the send hold. One whose lease has ended is nobody's.
async fn unclaimed(c: &mut DbConnection, send: &SendId, now: UnixMillis) -> sqlx::Result<i64> {
    let send = send.as_str();
    sql!(query_scalar [
        r#"SELECT CAST(COALESCE(SUM(
                CASE WHEN j.up_to_position IS NULL THEN "# LIST_LENGTH r#"
                ELSE (SELECT COUNT(*) FROM subscriptions AS s
                      WHERE s.app_id = j.app_id AND s.position > j.after_position
                        AND s.position <= j.up_to_position)
                END), 0) AS BIGINT) AS "recipients!: i64"
           FROM jobs AS j WHERE j.send_id = $1 AND (j.claimed = 0 OR j.due_at <= $2)"#
    ] send, now.0)
    .fetch_one(c)
    .await
}

async fn remove_unclaimed(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let send = send.as_str();
    sqlx::query!(
        "DELETE FROM jobs WHERE send_id = $1 AND (claimed = 0 OR due_at <= $2)",
        send,
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Counts recipients that are not reached because the send is cancelled.
pub(crate) async fn count_cancelled(
    c: &mut DbConnection,
    send: &SendId,
    recipients: i64,
) -> sqlx::Result<()> {
    let send = send.as_str();
    sqlx::query!(
        "UPDATE sends SET cancelled = cancelled + $2 WHERE id = $1",
        send,
        recipients
    )
    .execute(c)
    .await
    .map(drop)
}
