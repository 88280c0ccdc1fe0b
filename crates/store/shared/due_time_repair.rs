//! After the clock was set back: jobs that are due in a future which the clock will not reach soon.

use std::time::Duration;

use hato_domain::UnixMillis;

use crate::dialect::DbConnection;

/// Clamps due times that are too late: more than the longest wait ahead, or a part of a send's first attempt, which is due when
/// it is queued, or of a send that was accepted in what is the future. Doing it again changes nothing, so each process may do it.
pub(crate) async fn clamp_due_times(
    c: &mut DbConnection,
    now: UnixMillis,
    lease: Duration,
    longest_wait: Duration,
) -> sqlx::Result<()> {
    end_leases(c, now, lease).await?;
    let (now, too_late) = (now.0, now.plus(longest_wait).0);
    sqlx::query!(
        "UPDATE jobs SET due_at = $1
         WHERE claimed = 0 AND due_at > $1
           AND (due_at > $2 OR up_to_position IS NOT NULL OR EXISTS (SELECT 1 FROM sends AS s
                                       WHERE s.id = jobs.send_id AND s.created_at > $1))",
        now,
        too_late
    )
    .execute(c)
    .await
    .map(drop)
}

/// How far the clocks of two machines may differ.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(5);

/// Whoever still holds such a lease renews it before it ends.
async fn end_leases(c: &mut DbConnection, now: UnixMillis, lease: Duration) -> sqlx::Result<()> {
    let (end, too_late) = (now.plus(lease).0, now.plus(lease + MAX_CLOCK_SKEW).0);
    sqlx::query!(
        "UPDATE jobs SET due_at = $1 WHERE claimed = 1 AND due_at > $2",
        end,
        too_late
    )
    .execute(c)
    .await
    .map(drop)
}
