//! The repair of due times after the clock was set back: jobs that are due in a future which the clock will not reach soon. When it is
//! needed is decided in `crates/delivery/src/due_time_repair.rs`.

use std::time::Duration;

use hato_domain::UnixMillis;

use crate::dialect::DbConnection;

/// How far the clocks of two machines may differ: each by 6 s from the database's, or it claims nothing.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(12);

/// Brings due times that are too late forward. Doing it again changes nothing, so each process may do it.
pub(crate) async fn repair_due_times(
    c: &mut DbConnection,
    now: UnixMillis,
    lease: Duration,
    longest_wait: Duration,
) -> sqlx::Result<()> {
    end_leases(c, now, lease).await?;
    pull_unclaimed(c, now, longest_wait).await
}

/// Ends leases after the usual time. Who still holds such a lease renews it before it ends.
async fn end_leases(c: &mut DbConnection, now: UnixMillis, lease: Duration) -> sqlx::Result<()> {
    let ended = sqlx::query!(
        "UPDATE jobs SET due_at = $1 WHERE claimed = 1 AND due_at > $2",
        now.plus(lease).0,
        now.plus(lease + MAX_CLOCK_SKEW).0
    );
    ended.execute(c).await.map(drop)
}

/// Makes unclaimed jobs due that lie further ahead than anything is ever put off, and those that are ahead although nothing puts
/// them off: parts of a first attempt, which is due when it is queued, and retries of a send that was accepted in what is now
/// the future.
async fn pull_unclaimed(
    c: &mut DbConnection,
    now: UnixMillis,
    longest_wait: Duration,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE jobs SET due_at = $1
         WHERE claimed = 0 AND due_at > $1
           AND (due_at > $2 OR up_to_position IS NOT NULL OR recipients LIKE '{%'
                OR EXISTS (SELECT 1 FROM sends AS s
                           WHERE s.id = jobs.send_id AND COALESCE(s.send_at, s.created_at) > $1))",
        now.0,
        now.plus(longest_wait).0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn repair_outbox_leases(
    c: &mut DbConnection,
    now: UnixMillis,
    lease: Duration,
) -> sqlx::Result<()> {
    let repaired = sqlx::query!(
        "UPDATE webhooks SET due_at = $1 WHERE claimed = 1 AND due_at > $2",
        now.plus(lease).0,
        now.plus(lease * 2).0
    );
    repaired.execute(c).await.map(drop)
}

async fn repair_events(
    c: &mut DbConnection,
    now: UnixMillis,
    longest_wait: Duration,
) -> sqlx::Result<()> {
    let repaired = sqlx::query!(
        "UPDATE webhook_events SET due_at = $1 WHERE due_at > $1 AND (attempts = 0 OR due_at > $2)",
        now.0,
        now.plus(longest_wait).0
    );
    repaired.execute(c).await.map(drop)
}

/// The repair of outboxes, as `due_time_repair.rs` does it for jobs. Who holds a lease renews it before it ends; every other outbox
/// becomes due at once, and whoever claims it finds out what is due. An event that was never posted is due from the moment it was
/// written, which is never in the future.
pub(crate) async fn repair_outbox_due_times(
    c: &mut DbConnection,
    now: UnixMillis,
    lease: Duration,
    longest_wait: Duration,
) -> sqlx::Result<()> {
    repair_outbox_leases(c, now, lease).await?;
    repair_events(c, now, longest_wait).await?;
    sqlx::query!(
        "UPDATE webhooks SET due_at = $1 WHERE claimed = 0 AND due_at > $1",
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}
