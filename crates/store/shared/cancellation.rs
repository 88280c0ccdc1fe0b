//! Cancelling: what nobody has claimed leaves the queue, what is claimed is tried no more after this attempt.
//!
//! How many recipients that are is counted, and a broadcast may have a million, while other transactions wait. So [`marks`] walks
//! through them before, in short reads, and the transaction counts one by one only what a claim has left of the space between two
//! marks. Whoever unsubscribes meanwhile is counted as cancelled or as skipped, and never as both.

use hato_domain::{AppId, SendId, UnixMillis};

use crate::Database;
use crate::completion::finish;
use crate::dialect::{DbConnection, lock_unclaimed_jobs, readers, sql};
use crate::event_readers::EventReaders;
use crate::scheduled_sends::cancel_waiting;
use crate::selection::{SelectedRange, count_in};
use crate::settlement::count_cancelled;
use crate::values::{count_i64, number_list};

/// Active subscriptions from one mark to the next.
const MARK_DISTANCE: i64 = 1_000;

/// Positions in the broadcast of the app's send, each that of the thousandth active subscription after the one before; none for a send
/// to a list, or that is finished.
pub(crate) async fn marks(
    database: &Database,
    app: &AppId,
    send: &SendId,
) -> sqlx::Result<Vec<i64>> {
    let mut marks = Vec::new();
    let Some((after, up_to)) = queued_positions(database, app, send).await? else {
        return Ok(marks);
    };
    let mut last = after;
    while let Some(mark) = next_mark(database, app, (last, up_to)).await? {
        marks.push(mark);
        last = mark;
    }
    Ok(marks)
}

/// Cancels the send and returns how many recipients left the queue, none of one that is scheduled; `None` when the app has no such send. `marks` are those of
/// [`marks`] from a moment ago.
///
/// The jobs are locked before the send, as those do who claim or settle them, and once more for those that came meanwhile.
///
/// Marking locks the send's row until the end of the transaction, so a page of it is settled either before, and
/// its retries are jobs that are removed here, or after, and settling sees the mark and counts them as cancelled.
pub(crate) async fn cancel(
    c: &mut DbConnection,
    app: &AppId,
    send: &SendId,
    marks: &[i64],
    now: UnixMillis,
) -> sqlx::Result<Option<i64>> {
    if cancel_waiting(c, app, send, now).await? {
        return Ok(Some(0));
    }
    lock_unclaimed_jobs(c, send, now).await?;
    match mark(c, app, send, now).await? {
        None => return Ok(None),
        Some(true) => return Ok(Some(0)),
        Some(false) => {}
    }
    let cancelled = cancel_unclaimed(c, app, send, marks, now).await?;
    let readers = EventReaders::find(c, app, now).await?;
    finish(c, (app, send), readers, now).await?;
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

/// Between which positions the send's jobs lie, claimed or not.
async fn queued_positions(
    database: &Database,
    app: &AppId,
    send: &SendId,
) -> sqlx::Result<Option<(i64, i64)>> {
    let row = sqlx::query!(
        r#"SELECT MIN(after_position) AS "after?: i64", MAX(up_to_position) AS "up_to?: i64"
           FROM jobs WHERE send_id = $1 AND app_id = $2 AND up_to_position IS NOT NULL"#,
        send.as_str(),
        app.as_str()
    )
    .fetch_one(readers(database))
    .await?;
    Ok(row.after.zip(row.up_to))
}

/// The mark after this position, unless the broadcast ends before it.
async fn next_mark(
    database: &Database,
    app: &AppId,
    (after, up_to): (i64, i64),
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        r#"SELECT position AS "position!" FROM subscriptions
           WHERE app_id = $1 AND position > $2 AND position <= $3
           ORDER BY position LIMIT 1 OFFSET $4"#,
        app.as_str(),
        after,
        up_to,
        MARK_DISTANCE - 1
    )
    .fetch_optional(readers(database))
    .await
}

/// Counts those as cancelled who are in the unclaimed jobs, which leave the queue. Returns how many they are. A job that is given back
/// meanwhile is none of them: it stays in the queue.
async fn cancel_unclaimed(
    c: &mut DbConnection,
    app: &AppId,
    send: &SendId,
    marks: &[i64],
    now: UnixMillis,
) -> sqlx::Result<i64> {
    let unclaimed = number_list(&lock_unclaimed_jobs(c, send, now).await?)?;
    let listed = count_listed(c, &unclaimed).await?;
    let selected = count_selected(c, send, &unclaimed).await?;
    let cancelled = listed + selected + count_ranges(c, app, &unclaimed, marks).await?;
    remove_jobs(c, &unclaimed).await?;
    count_cancelled(c, (app, send), cancelled).await?;
    Ok(cancelled)
}

/// Takes these jobs, the numbers of a JSON array, out of the queue.
async fn remove_jobs(c: &mut DbConnection, jobs: &str) -> sqlx::Result<()> {
    let removal = sql!(query ["DELETE FROM jobs WHERE id IN (" NUMBERS ")"] jobs);
    removal.execute(c).await.map(drop)
}

/// How many recipients the lists among these jobs hold.
async fn count_listed(c: &mut DbConnection, jobs: &str) -> sqlx::Result<i64> {
    sql!(query_scalar [
        r#"SELECT CAST(COALESCE(SUM("# LIST_LENGTH r#"), 0) AS BIGINT) AS "recipients!: i64"
           FROM jobs AS j WHERE j.id IN ("# NUMBERS r#") AND j.recipients LIKE '[%'"#
    ] jobs)
    .fetch_one(c)
    .await
}

/// How many recipients the rests of a send to a part of the audience hold among these jobs.
async fn count_selected(c: &mut DbConnection, send: &SendId, jobs: &str) -> sqlx::Result<i64> {
    let ranges = sql!(query_scalar [
        r#"SELECT recipients AS "range!" FROM jobs
           WHERE id IN ("# NUMBERS r#") AND recipients LIKE '{%'"#
    ] jobs)
    .fetch_all(&mut *c)
    .await?;
    let mut recipients = 0;
    for range in ranges {
        recipients += count_in(c, send.as_str(), SelectedRange::from_json(&range)?).await?;
    }
    Ok(recipients)
}

/// How many active subscriptions the rests of the broadcast hold among these jobs.
async fn count_ranges(
    c: &mut DbConnection,
    app: &AppId,
    jobs: &str,
    marks: &[i64],
) -> sqlx::Result<i64> {
    let ranges = sql!(query [
        r#"SELECT after_position, up_to_position AS "up_to_position!" FROM jobs
           WHERE id IN ("# NUMBERS r#") AND up_to_position IS NOT NULL"#
    ] jobs)
    .fetch_all(&mut *c)
    .await?;
    let mut recipients = 0;
    for range in ranges {
        let (marked, rests) = divide((range.after_position, range.up_to_position), marks);
        recipients += marked;
        for rest in rests {
            recipients += count_active(c, app, rest).await?;
        }
    }
    Ok(recipients)
}

/// How many recipients of the range stand from its first mark to its last, and what of it lies beside them, which is still to be
/// counted.
fn divide((after, up_to): (i64, i64), marks: &[i64]) -> (i64, Vec<(i64, i64)>) {
    let within = marks.iter().filter(|mark| (after..=up_to).contains(*mark));
    let within: Vec<i64> = within.copied().collect();
    match (within.first(), within.last()) {
        (Some(first), Some(last)) => (
            MARK_DISTANCE * (count_i64(within.len()) - 1),
            vec![(after, *first), (*last, up_to)],
        ),
        _ => (0, vec![(after, up_to)]),
    }
}

async fn count_active(
    c: &mut DbConnection,
    app: &AppId,
    (after, up_to): (i64, i64),
) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "active!: i64" FROM subscriptions
           WHERE app_id = $1 AND position > $2 AND position <= $3"#,
        app.as_str(),
        after,
        up_to
    )
    .fetch_one(c)
    .await
}

#[cfg(test)]
mod tests {
    use super::divide;

    #[test]
    fn what_lies_between_marks_is_not_counted_again() {
        const MARKS: [i64; 3] = [1_002, 2_002, 3_010];
        for (range, marked, rests) in [
            ((0, 3_500), 2_000, vec![(0, 1_002), (3_010, 3_500)]),
            ((1_500, 3_010), 1_000, vec![(1_500, 2_002), (3_010, 3_010)]),
            ((1_002, 2_500), 1_000, vec![(1_002, 1_002), (2_002, 2_500)]),
            ((2_100, 3_009), 0, vec![(2_100, 3_009)]),
            ((3_010, 3_500), 0, vec![(3_010, 3_010), (3_010, 3_500)]),
        ] {
            assert_eq!(divide(range, &MARKS), (marked, rests), "{range:?}");
        }
        assert_eq!(divide((0, 9), &[]), (0, vec![(0, 9)]));
    }
}
