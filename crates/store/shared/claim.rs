//! Claiming: the page that has been due longest, taken off the front of its send.

use hato_domain::{AppId, SendId, Topic, Ttl, UnixMillis, Urgency};
use hato_service::ports::{Claim, ClaimedPage, JobId, Lease, NextPage, PageRange, RecipientId};

use crate::dialect::{Connection, sql};
use crate::failure::unreadable;
use crate::queue::queue_positions;

/// Claims the job with the smallest time and number among those due, until the end of the lease.
pub(crate) async fn claim(c: &mut Connection, claim: Claim) -> sqlx::Result<NextPage> {
    let until = claim.now.plus(claim.lease);
    let passing_over = name_list(&claim.passing_over)?;
    let Some(job) = take_due(c, &passing_over, claim.now, until).await? else {
        let next_due = next_due(c, &passing_over).await?;
        return Ok(NextPage::Idle { next_due });
    };
    let range = range(c, &job, claim.now, i64::from(claim.max_recipients)).await?;
    let send = send(c, &job.send_id).await?;
    if send.status == "queued" {
        begin(c, &job.send_id).await?;
    }
    page(job, range, send).map(|page| NextPage::Claimed(Box::new(page)))
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

/// App ids as the statements take them: a JSON array.
fn name_list(apps: &[AppId]) -> sqlx::Result<String> {
    let names: Vec<&str> = apps.iter().map(AppId::as_str).collect();
    serde_json::to_string(&names).map_err(|error| sqlx::Error::Encode(error.into()))
}

async fn take_due(
    c: &mut Connection,
    passing_over: &str,
    now: UnixMillis,
    until: UnixMillis,
) -> sqlx::Result<Option<JobRow>> {
    sql!(query_as JobRow [
        r#"WITH due AS MATERIALIZED (
             SELECT id FROM jobs WHERE due_at <= $2 AND app_id NOT IN ("# NAMES r#")
             ORDER BY due_at, id LIMIT 1"# SKIP_LOCKED r#"
           )
           UPDATE jobs SET due_at = $3, lease_token = lease_token + 1, claimed = 1
           WHERE id IN (SELECT id FROM due)
           RETURNING id AS "id!", send_id AS "send_id!", app_id AS "app_id!",
                     after_position AS "after_position!", up_to_position AS "up_to_position?",
                     recipients AS "recipients?", attempt AS "attempt!",
                     lease_token AS "lease_token!""#
    ] passing_over, now.0, until.0)
    .fetch_optional(c)
    .await
}

async fn next_due(c: &mut Connection, passing_over: &str) -> sqlx::Result<Option<UnixMillis>> {
    let due = sql!(query_scalar [
        r#"SELECT due_at AS "due_at!" FROM jobs WHERE app_id NOT IN ("# NAMES r#")
           ORDER BY due_at, id LIMIT 1"#
    ] passing_over)
    .fetch_optional(c)
    .await?;
    Ok(due.map(UnixMillis))
}

async fn range(
    c: &mut Connection,
    job: &JobRow,
    now: UnixMillis,
    max_recipients: i64,
) -> sqlx::Result<PageRange> {
    match (&job.recipients, job.up_to_position) {
        (Some(list), _) => listed(list),
        (None, Some(up_to)) => split(c, job, up_to, now, max_recipients).await,
        (None, None) => Err(unreadable("page")),
    }
}

fn listed(list: &str) -> sqlx::Result<PageRange> {
    let numbers: Vec<i64> = serde_json::from_str(list).map_err(|_| unreadable("list"))?;
    Ok(PageRange::List(
        numbers.into_iter().map(RecipientId).collect(),
    ))
}

/// Ends the page before the first subscription that is too many, and queues the rest at the tail.
async fn split(
    c: &mut Connection,
    job: &JobRow,
    up_to: i64,
    now: UnixMillis,
    max_recipients: i64,
) -> sqlx::Result<PageRange> {
    let after = job.after_position;
    let Some(beyond) = position_beyond(c, job, up_to, max_recipients).await? else {
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
    let (send, app) = (
        SendId::trusted(job.send_id.clone()),
        AppId::trusted(job.app_id.clone()),
    );
    queue_positions(c, &send, &app, (end, up_to), now).await?;
    Ok(PageRange::Positions { after, up_to: end })
}

/// Where the first active subscription of the job stands that a page of `max_recipients` does not hold.
async fn position_beyond(
    c: &mut Connection,
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

struct SendRow {
    status: String,
    payload: String,
    ttl: i64,
    urgency: Option<String>,
    topic: Option<String>,
    created_at: i64,
    vapid_public_key: Vec<u8>,
    sealed_private_key: Vec<u8>,
}

async fn send(c: &mut Connection, id: &str) -> sqlx::Result<SendRow> {
    sqlx::query_as!(
        SendRow,
        "SELECT s.status, s.payload, s.ttl, s.urgency, s.topic, s.created_at,
                p.vapid_public_key, p.sealed_private_key
         FROM sends AS s JOIN apps AS p ON p.id = s.app_id WHERE s.id = $1",
        id
    )
    .fetch_one(c)
    .await
}

async fn begin(c: &mut Connection, send: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE sends SET status = 'sending' WHERE id = $1 AND status = 'queued'",
        send
    )
    .execute(c)
    .await
    .map(drop)
}

fn page(job: JobRow, range: PageRange, send: SendRow) -> sqlx::Result<ClaimedPage> {
    let parsed = |urgency: String| Urgency::parse(&urgency).map_err(|_| unreadable("urgency"));
    let named = |topic: String| Topic::parse(&topic).map_err(|_| unreadable("topic"));
    Ok(ClaimedPage {
        lease: Lease {
            job: JobId(job.id),
            token: job.lease_token,
        },
        send_id: SendId::trusted(job.send_id),
        app_id: AppId::trusted(job.app_id),
        range,
        attempt: u8::try_from(job.attempt).map_err(|_| unreadable("attempt"))?,
        payload: send.payload,
        ttl: Ttl::parse(send.ttl).map_err(|_| unreadable("TTL"))?,
        urgency: send.urgency.map(parsed).transpose()?,
        topic: send.topic.map(named).transpose()?,
        accepted_at: UnixMillis(send.created_at),
        vapid_public_key: send.vapid_public_key,
        sealed_private_key: send.sealed_private_key,
    })
}
