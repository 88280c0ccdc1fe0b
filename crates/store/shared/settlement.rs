//! Settling: what became of a page, counted once.

use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::{
    ClaimedPage, DeadLetter, Expired, Lease, PageRange, RetryJob, Settled, Settlement,
};

use crate::dialect::{Connection, sql};
use crate::queue::{number_list, queue_list};
use crate::subscriptions::count_off;

/// What settling needs to know of a page.
pub(crate) struct SettledPage {
    lease: Lease,
    send_id: SendId,
    app_id: AppId,
    attempt: u8,
    /// Whoever has a higher position subscribed again after the page was made.
    up_to: i64,
}

impl SettledPage {
    pub(crate) fn of(page: &ClaimedPage) -> Self {
        let up_to = match page.range {
            PageRange::Positions { up_to, .. } => up_to,
            PageRange::List(_) => i64::MAX,
        };
        Self {
            lease: page.lease,
            send_id: page.send_id.clone(),
            app_id: page.app_id.clone(),
            attempt: page.attempt,
            up_to,
        }
    }
}

/// Records the settlement, unless somebody else holds the page by now.
pub(crate) async fn settle(
    c: &mut Connection,
    page: SettledPage,
    settlement: Settlement,
    now: UnixMillis,
) -> sqlx::Result<Settled> {
    if !remove_job(c, page.lease).await? {
        return Ok(Settled::LeaseLost);
    }
    deactivate(c, &page, &settlement.expired, now).await?;
    bury(c, &page, &settlement.dead_letters, now).await?;
    for retry in &settlement.retries {
        queue_retry(c, &page, retry).await?;
    }
    count(c, &page.send_id, &settlement).await?;
    finish(c, &page.send_id, now).await?;
    Ok(Settled::Recorded)
}

async fn remove_job(c: &mut Connection, lease: Lease) -> sqlx::Result<bool> {
    let removed = sqlx::query!(
        "DELETE FROM jobs WHERE id = $1 AND lease_token = $2",
        lease.job.0,
        lease.token
    )
    .execute(c)
    .await?;
    Ok(removed.rows_affected() == 1)
}

/// Deactivates those that are still active, and counts exactly these off the app.
async fn deactivate(
    c: &mut Connection,
    page: &SettledPage,
    expired: &[Expired],
    now: UnixMillis,
) -> sqlx::Result<()> {
    if expired.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = expired.iter().map(|one| one.recipient.0).collect();
    let numbers = number_list(&numbers)?;
    let deactivated = sql!(query [
        "UPDATE subscriptions
         SET position = NULL, deactivated_at = $2, deactivation_reason = 'expired', updated_at = $2
         WHERE id IN (" NUMBERS ") AND position IS NOT NULL AND position <= $3"
    ] numbers, now.0, page.up_to)
    .execute(&mut *c)
    .await?;
    count_off(c, &page.app_id, deactivated.rows_affected()).await
}

/// Records the dead letters with the attempts that were made: one for which no time was left was not.
async fn bury(
    c: &mut Connection,
    page: &SettledPage,
    dead_letters: &[DeadLetter],
    now: UnixMillis,
) -> sqlx::Result<()> {
    if dead_letters.is_empty() {
        return Ok(());
    }
    let failures = failure_list(dead_letters)?;
    let (send, app) = (page.send_id.as_str(), page.app_id.as_str());
    let earlier_attempts = i64::from(page.attempt);
    sql!(query [
        "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason, http_status,
                                   attempts, created_at)
         SELECT $2, $3, s.public_id, s.endpoint, f.reason, f.http_status,
                CASE f.reason WHEN 'out_of_time' THEN CAST($4 AS BIGINT)
                              ELSE CAST($4 AS BIGINT) + 1 END,
                CAST($5 AS BIGINT)
         FROM (" FAILURES ") AS f JOIN subscriptions AS s ON s.id = f.recipient"
    ] failures, send, app, earlier_attempts, now.0)
    .execute(c)
    .await
    .map(drop)
}

/// A JSON array of (recipient, reason, HTTP status or null).
fn failure_list(dead_letters: &[DeadLetter]) -> sqlx::Result<String> {
    let failures: Vec<_> = dead_letters
        .iter()
        .map(|letter| {
            (
                letter.recipient.0,
                letter.reason.as_str(),
                letter.http_status,
            )
        })
        .collect();
    serde_json::to_string(&failures).map_err(|error| sqlx::Error::Encode(error.into()))
}

async fn queue_retry(c: &mut Connection, page: &SettledPage, retry: &RetryJob) -> sqlx::Result<()> {
    if retry.recipients.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = retry
        .recipients
        .iter()
        .map(|recipient| recipient.0)
        .collect();
    let list = number_list(&numbers)?;
    queue_list(
        c,
        &page.send_id,
        &page.app_id,
        &list,
        retry.attempt,
        retry.due_at,
    )
    .await
}

async fn count(c: &mut Connection, send: &SendId, settlement: &Settlement) -> sqlx::Result<()> {
    let size = |len: usize| i64::try_from(len).unwrap_or(i64::MAX);
    let expired = size(settlement.expired.len());
    let other = size(settlement.dead_letters.len());
    let send = send.as_str();
    sqlx::query!(
        "UPDATE sends SET sent = sent + $2, failed_expired = failed_expired + $3,
                          failed_other = failed_other + $4
         WHERE id = $1",
        send,
        settlement.sent,
        expired,
        other
    )
    .execute(c)
    .await
    .map(drop)
}

/// Ends the send when no page of it is left: whoever is not counted by then was no longer subscribed. The counting before
/// has locked the send, so of two last pages the later one sees that the other is gone.
async fn finish(c: &mut Connection, send: &SendId, now: UnixMillis) -> sqlx::Result<()> {
    let send = send.as_str();
    sqlx::query!(
        "UPDATE sends SET status = 'done', finished_at = $2,
                          skipped = recipients - sent - failed_expired - failed_other - cancelled
         WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM jobs WHERE send_id = $1)",
        send,
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}
