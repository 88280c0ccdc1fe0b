//! Claiming: the page that has been due longest, taken off the front of its send.

use std::time::Duration;

use hato_domain::{AppId, SendId, Topic, Ttl, UnixMillis, Urgency};
use hato_service::ports::{
    ClaimedPage, JobId, NextPage, PageClaimRequest, PageLease, PageRange, RecipientId,
};

use crate::deleted_apps::discard_jobs;
use crate::dialect::DbConnection;
use crate::due_jobs::{job_to_claim, next_due};
use crate::error::{decode_error, with_context};
use crate::queue::{queue_positions, queue_range};
use crate::selection::{SelectedRange, positions_in};

/// How long a job that cannot be read is put off: the operator, or the next version, may mend it.
const UNREADABLE_JOB_DELAY: Duration = Duration::from_hours(1);

/// Claims the job with the smallest time and number, if it is due, until the end of the lease.
///
/// A broadcast is queued as one job however many subscriptions it has. A claim takes at most a page off its front and queues the
/// rest as another job, due now and thus behind whatever is due already: sends take turns, and several processes share one broadcast.
/// A job of a deleted app leaves the queue, with others of it; then there is to be another look at once.
pub(crate) async fn claim(
    c: &mut DbConnection,
    request: &PageClaimRequest,
) -> sqlx::Result<NextPage> {
    let Some(job) = job_to_claim(c, request).await? else {
        let next_due = next_due(c, request).await?.map(UnixMillis);
        return Ok(NextPage::Idle { next_due });
    };
    match claim_job(c, job, request).await {
        Err(error) if is_unreadable(&error) => put_off(c, job, request.now, error).await,
        claimed => claimed,
    }
}

/// Everything of the job is read before the rest of a broadcast is queued, so that one that cannot be read leaves no rest.
async fn claim_job(
    c: &mut DbConnection,
    id: i64,
    request: &PageClaimRequest,
) -> sqlx::Result<NextPage> {
    let job = take(c, id, request.now.plus(request.lease)).await?;
    let send = send_of(c, &job.send_id).await?;
    if send.is_of_deleted_app {
        discard_jobs(c, &job.app_id).await?;
        let next_due = Some(request.now);
        return Ok(NextPage::Idle { next_due });
    }
    let is_first = send.status == "queued";
    let (queued, page) = (queued_range(&job)?, claimed_page(&job, send)?);
    let range = match queued {
        QueuedRange::Positions { up_to } => split(c, &job, up_to, request).await?,
        QueuedRange::Selected(range) => split_selected(c, &job, range, request).await?,
        QueuedRange::List(recipients) => PageRange::List(recipients),
    };
    if is_first {
        begin(c, &job.send_id).await?;
    }
    Ok(NextPage::Claimed(Box::new(page(range))))
}

/// Whether the row holds something that this program never wrote, so that reading it again would fail again.
fn is_unreadable(error: &sqlx::Error) -> bool {
    use sqlx::Error::{ColumnDecode, Decode, RowNotFound};
    matches!(error, ColumnDecode { .. } | Decode(_) | RowNotFound)
}

/// Puts the job off. It would otherwise be the one that has been due longest at each claim, and nobody's page would be claimed.
async fn put_off(
    c: &mut DbConnection,
    job: i64,
    now: UnixMillis,
    cause: sqlx::Error,
) -> sqlx::Result<NextPage> {
    sqlx::query!(
        "UPDATE jobs SET due_at = $2, claimed = 0 WHERE id = $1",
        job,
        now.plus(UNREADABLE_JOB_DELAY).0
    )
    .execute(c)
    .await?;
    Ok(NextPage::Unreadable {
        job: JobId(job),
        error: with_context("read a job")(cause),
    })
}

struct JobRow {
    id: i64,
    send_id: String,
    app_id: String,
    after_position: i64,
    up_to_position: Option<i64>,
    recipients: Option<String>,
    attempt: i64,
    lease_token: i64,
}

/// Moves the job's due time to the end of the lease. The new token makes earlier leases of the job void. `claimed` is for those who
/// cancel a send and for the repair of due times: a claim itself goes by the due time alone.
async fn take(c: &mut DbConnection, job: i64, until: UnixMillis) -> sqlx::Result<JobRow> {
    sqlx::query_as!(
        JobRow,
        r#"UPDATE jobs SET due_at = $2, lease_token = lease_token + 1, claimed = 1
           WHERE id = $1
           RETURNING id AS "id!", send_id AS "send_id!", app_id AS "app_id!",
                     after_position AS "after_position!", up_to_position AS "up_to_position?",
                     recipients AS "recipients?", attempt AS "attempt!",
                     lease_token AS "lease_token!""#,
        job,
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
    request: &PageClaimRequest,
) -> sqlx::Result<PageRange> {
    let after = job.after_position;
    let Some(beyond) = position_beyond(c, job, up_to, request.max_recipients.into()).await? else {
        return Ok(PageRange::Positions { after, up_to });
    };
    let end = beyond - 1;
    sqlx::query!(
        "UPDATE jobs SET up_to_position = $2 WHERE id = $1",
        job.id,
        end
    )
    .execute(&mut *c)
    .await?;
    queue_positions(c, &job.send_id, &job.app_id, (end, up_to), request.now).await?;
    Ok(PageRange::Positions { after, up_to: end })
}

/// The same for a send to a part of the audience, whose recipients stand where its acceptance has written them down.
async fn split_selected(
    c: &mut DbConnection,
    job: &JobRow,
    range: SelectedRange,
    request: &PageClaimRequest,
) -> sqlx::Result<PageRange> {
    // A page has a number of recipients that fits into any number.
    let size = request.max_recipients as usize;
    let mut positions = positions_in(c, &job.send_id, range, size + 1).await?;
    if positions.len() <= size {
        return Ok(PageRange::Selected(positions));
    }
    positions.truncate(size);
    let end = positions.last().copied().unwrap_or(range.up_to);
    let page = SelectedRange {
        up_to: end,
        ..range
    };
    sqlx::query!(
        "UPDATE jobs SET recipients = $2 WHERE id = $1",
        job.id,
        page.to_json()?
    )
    .execute(&mut *c)
    .await?;
    let rest = SelectedRange {
        after: end,
        ..range
    };
    queue_range(c, &job.send_id, &job.app_id, rest, request.now).await?;
    Ok(PageRange::Selected(positions))
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

struct ClaimedSendRow {
    status: String,
    payload: String,
    ttl: i64,
    urgency: Option<String>,
    topic: Option<String>,
    created_at: i64,
    vapid_public_key: Vec<u8>,
    sealed_private_key: Vec<u8>,
    is_of_deleted_app: bool,
}

async fn send_of(c: &mut DbConnection, id: &str) -> sqlx::Result<ClaimedSendRow> {
    sqlx::query_as!(
        ClaimedSendRow,
        r#"SELECT s.status, s.payload, s.ttl, s.urgency, s.topic, s.created_at,
                  p.vapid_public_key, p.sealed_private_key,
                  p.deleted_at IS NOT NULL AS "is_of_deleted_app!: bool"
           FROM sends AS s JOIN apps AS p ON p.id = s.app_id WHERE s.id = $1"#,
        id
    )
    .fetch_one(c)
    .await
}

/// The send is being sent from its first claimed page on.
async fn begin(c: &mut DbConnection, send: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE sends SET status = 'sending' WHERE id = $1 AND status = 'queued'",
        send
    )
    .execute(c)
    .await
    .map(drop)
}

/// Reads what the send says of its pages, and makes a page of it once its range is known.
fn claimed_page(
    job: &JobRow,
    send: ClaimedSendRow,
) -> sqlx::Result<impl FnOnce(PageRange) -> ClaimedPage> {
    let urgency = |text: String| Urgency::parse(&text).map_err(|_| decode_error("urgency"));
    let topic = |text: String| Topic::parse(&text).map_err(|_| decode_error("topic"));
    let urgency = send.urgency.map(urgency).transpose()?;
    let topic = send.topic.map(topic).transpose()?;
    let ttl = Ttl::parse(send.ttl).map_err(|_| decode_error("TTL"))?;
    let attempt = u8::try_from(job.attempt).map_err(|_| decode_error("attempt"))?;
    Ok(move |range| ClaimedPage {
        lease: PageLease {
            job: JobId(job.id),
            token: job.lease_token,
        },
        send_id: SendId::trusted(job.send_id.clone()),
        app_id: AppId::trusted(job.app_id.clone()),
        range,
        attempt,
        payload: send.payload,
        ttl,
        urgency,
        topic,
        accepted_at: UnixMillis(send.created_at),
        vapid_public_key: send.vapid_public_key,
        sealed_private_key: send.sealed_private_key,
    })
}
