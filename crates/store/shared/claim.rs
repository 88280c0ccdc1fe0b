//! Claiming: the page that has been due longest, taken off the front of its send.

use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{JobId, NextPage, PageClaimRequest, PageRange, RecipientId};

use crate::claimed_send::{JobRow, claimed_page, send_of};
use crate::deleted_apps::discard_jobs;
use crate::dialect::DbConnection;
use crate::due_jobs::{DueJob, first_due, next_due};
use crate::error::{decode_error, is_unreadable, with_context};
use crate::jobs::{queue_list, queue_positions, queue_range};
use crate::pacing::{PageSize, admit};
use crate::selection::{SelectedRange, positions_in};
use crate::values::recipient_list;

/// How long a job that cannot be read is put off: the operator, or the next version, may mend it.
const UNREADABLE_JOB_DELAY: Duration = Duration::from_hours(1);

/// Claims the job with the smallest time and number, if it is due, until the end of the lease.
///
/// A broadcast is queued as one job however many subscriptions it has. A claim takes at most a page off its front and queues the
/// rest as another job, due now and thus behind whatever is due already: sends take turns, and several processes share one broadcast.
/// Where they meet at it, the rest becomes two jobs ([`PageClaimRequest::splits_rest`]).
/// A job of a deleted app leaves the queue, with others of it, and one of a paced send may be put off; then there is to be another
/// look at once.
pub(crate) async fn claim(
    c: &mut DbConnection,
    request: &PageClaimRequest,
) -> sqlx::Result<NextPage> {
    let Some(job) = first_due(c, request).await? else {
        let next_due = next_due(c, request).await?.map(UnixMillis);
        return Ok(NextPage::Idle { next_due });
    };
    match claim_job(c, &job, request).await {
        Err(error) if is_unreadable(&error) => defer_unreadable(c, &job, request.now, error).await,
        claimed => claimed,
    }
}

/// Everything of the job is read before the rest of a broadcast is queued, so that one that cannot be read leaves no rest.
async fn claim_job(
    c: &mut DbConnection,
    due: &DueJob,
    request: &PageClaimRequest,
) -> sqlx::Result<NextPage> {
    let job = take(c, due, request.now.plus(request.lease)).await?;
    let send = send_of(c, &job).await?;
    if send.is_of_deleted_app {
        discard_jobs(c, &job.app_id).await?;
        let next_due = Some(request.now);
        return Ok(NextPage::Idle { next_due });
    }
    let is_first = send.status == "queued";
    let (queued, mut page) = (queued_range(&job)?, claimed_page(&job, send)?);
    let Some(size) = admit(c, &page, request).await? else {
        let next_due = Some(request.now);
        return Ok(NextPage::Idle { next_due });
    };
    page.range = match queued {
        QueuedRange::Positions { up_to } => split(c, &job, up_to, &size).await?,
        QueuedRange::Selected(range) => split_selected(c, &job, range, &size).await?,
        QueuedRange::List(list) if size.divides_lists => split_list(c, &job, list, &size).await?,
        QueuedRange::List(list) => PageRange::List(list),
    };
    if is_first {
        begin(c, &job).await?;
    }
    Ok(NextPage::Claimed(Box::new(page)))
}

/// Puts the job off. It would otherwise be the one that has been due longest at each claim, and nobody's page would be claimed.
async fn defer_unreadable(
    c: &mut DbConnection,
    job: &DueJob,
    now: UnixMillis,
    cause: sqlx::Error,
) -> sqlx::Result<NextPage> {
    sqlx::query!(
        "UPDATE jobs SET due_at = $3, claimed = 0 WHERE app_id = $1 AND id = $2",
        job.app_id,
        job.id,
        now.plus(UNREADABLE_JOB_DELAY).0
    )
    .execute(c)
    .await?;
    Ok(NextPage::Unreadable {
        job: JobId(job.id),
        error: with_context("read a job")(cause),
    })
}

/// Moves the job's due time to the end of the lease. The new token makes earlier leases of the job void. `claimed` is for those who
/// cancel a send and for the repair of due times: a claim itself goes by the due time alone.
async fn take(c: &mut DbConnection, job: &DueJob, until: UnixMillis) -> sqlx::Result<JobRow> {
    sqlx::query_as!(
        JobRow,
        r#"UPDATE jobs SET due_at = $3, lease_token = lease_token + 1, claimed = 1
           WHERE app_id = $1 AND id = $2
           RETURNING id AS "id!", send_id AS "send_id!", app_id AS "app_id!",
                     after_position AS "after_position!", up_to_position AS "up_to_position?",
                     recipients AS "recipients?", attempt AS "attempt!",
                     lease_token AS "lease_token!""#,
        job.app_id,
        job.id,
        until.0
    )
    .fetch_one(c)
    .await
}

/// What a job holds, before a page is taken off it.
enum QueuedRange {
    /// The rest of a broadcast, from the job's `after_position` on.
    Positions {
        up_to: i64,
    },
    /// The rest of a send to a part of the audience.
    Selected(SelectedRange),
    List(Vec<RecipientId>),
}

fn queued_range(job: &JobRow) -> sqlx::Result<QueuedRange> {
    match (&job.recipients, job.up_to_position) {
        (Some(range), _) if range.starts_with('{') => {
            SelectedRange::from_json(range).map(QueuedRange::Selected)
        }
        (Some(list), _) => {
            let numbers: Vec<i64> = serde_json::from_str(list).map_err(|_| decode_error("list"))?;
            Ok(QueuedRange::List(
                numbers.into_iter().map(RecipientId).collect(),
            ))
        }
        (None, Some(up_to)) => Ok(QueuedRange::Positions { up_to }),
        (None, None) => Err(decode_error("page")),
    }
}

/// Ends the page before the first subscription that is too many, and queues the rest at the tail.
async fn split(
    c: &mut DbConnection,
    job: &JobRow,
    up_to: i64,
    size: &PageSize,
) -> sqlx::Result<PageRange> {
    let after = job.after_position;
    let Some(beyond) = position_beyond(c, job, up_to, size.recipients.into()).await? else {
        return Ok(PageRange::Positions { after, up_to });
    };
    let end = beyond - 1;
    end_at(c, job, end).await?;
    for rest in rests((end, up_to), size) {
        queue_positions(c, &job.send_id, &job.app_id, rest, size.rest_due_at).await?;
    }
    Ok(PageRange::Positions { after, up_to: end })
}

/// Ends the range of the job at this position.
async fn end_at(c: &mut DbConnection, job: &JobRow, up_to: i64) -> sqlx::Result<()> {
    let change = sqlx::query!(
        "UPDATE jobs SET up_to_position = $3 WHERE app_id = $1 AND id = $2",
        job.app_id,
        job.id,
        up_to
    );
    change.execute(c).await.map(drop)
}

/// The same for a send to a part of the audience, whose recipients stand where its acceptance has written them down.
async fn split_selected(
    c: &mut DbConnection,
    job: &JobRow,
    range: SelectedRange,
    size: &PageSize,
) -> sqlx::Result<PageRange> {
    let recipients = usize::try_from(size.recipients).unwrap_or(usize::MAX - 1);
    let mut positions = positions_in(c, &job.send_id, range, recipients + 1).await?;
    if positions.len() <= recipients {
        return Ok(PageRange::Selected(positions));
    }
    positions.truncate(recipients);
    let end = positions.last().copied().unwrap_or(range.up_to);
    keep_recipients(c, job, &range.ending_at(end).to_json()?).await?;
    for (after, up_to) in rests((end, range.up_to), size) {
        let rest = SelectedRange { after, up_to };
        queue_range(c, &job.send_id, &job.app_id, rest, size.rest_due_at).await?;
    }
    Ok(PageRange::Selected(positions))
}

/// Ends the page of a list before the first recipient that is too many, and queues the rest.
async fn split_list(
    c: &mut DbConnection,
    job: &JobRow,
    mut list: Vec<RecipientId>,
    size: &PageSize,
) -> sqlx::Result<PageRange> {
    let recipients = usize::try_from(size.recipients).unwrap_or(usize::MAX);
    let rest = list.split_off(list.len().min(recipients));
    if !rest.is_empty() {
        keep_recipients(c, job, &recipient_list(&list)?).await?;
        queue_list(c, &job.send_id, &job.app_id, &rest, 0, size.rest_due_at).await?;
    }
    Ok(PageRange::List(list))
}

/// Leaves these recipients to the job, a list or a range of them.
async fn keep_recipients(c: &mut DbConnection, job: &JobRow, kept: &str) -> sqlx::Result<()> {
    let change = sqlx::query!(
        "UPDATE jobs SET recipients = $3 WHERE app_id = $1 AND id = $2",
        job.app_id,
        job.id,
        kept
    );
    change.execute(c).await.map(drop)
}

/// The rest of a send in one part, or in two, the first of which makes whole pages where nobody has left.
fn rests((after, up_to): (i64, i64), size: &PageSize) -> Vec<(i64, i64)> {
    let page = i64::from(size.recipients).max(1);
    if size.splits_rest && up_to - after > page {
        let pages = (up_to - after) / 2 / page;
        let middle = after + pages.max(1) * page;
        vec![(after, middle), (middle, up_to)]
    } else {
        vec![(after, up_to)]
    }
}

/// Where the first active subscription of the job stands that a page of `max_recipients` does not hold. One without a position is
/// not active (`migrations/sqlite/0004_subscriptions.sql`), so the range names active ones only.
async fn position_beyond(
    c: &mut DbConnection,
    job: &JobRow,
    up_to: i64,
    max_recipients: i64,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        r#"SELECT position AS "position!" FROM subscriptions
           WHERE app_id = $1 AND position > $2 AND position <= $3
           ORDER BY position LIMIT 1 OFFSET $4"#,
        job.app_id,
        job.after_position,
        up_to,
        max_recipients
    )
    .fetch_optional(c)
    .await
}

/// The send is being sent from its first claimed page on.
async fn begin(c: &mut DbConnection, job: &JobRow) -> sqlx::Result<()> {
    let begun = sqlx::query!(
        "UPDATE sends SET status = 'sending' WHERE app_id = $1 AND id = $2 AND status = 'queued'",
        job.app_id,
        job.send_id
    );
    begun.execute(c).await.map(drop)
}
