//! When a paced send may start another page: an interval after the last one, however many processes claim them (CONTRACT 14).
//!
//! A page that comes too early goes back to the queue, so the rest of the queue does not wait for it. Those that come too early reserve
//! turns, each an interval behind the one before: all of them together at the next interval would be looked at again and again.

use std::time::Duration;

use hato_domain::{PacedPages, UnixMillis};
use hato_service::ports::{ClaimedPage, PageClaimRequest};

use crate::dialect::DbConnection;

/// Longer than any interval: a next page that is later was put off by a clock that has been set back since.
const LONGEST_INTERVAL: Duration = Duration::from_secs(66);

/// How far ahead turns are reserved. Beyond it they begin anew, behind the next page.
const MAX_RESERVED_AHEAD: Duration = Duration::from_mins(10);

/// What may be taken off the front of a job.
pub(crate) struct PageSize {
    pub(crate) recipients: u32,
    /// When the rest is due.
    pub(crate) rest_due_at: UnixMillis,
    /// Whether it bounds lists too, of which others are one page each.
    pub(crate) divides_lists: bool,
    /// Whether the rest becomes two jobs.
    pub(crate) splits_rest: bool,
}

impl PageSize {
    /// Of a send that is not paced.
    const fn as_requested(request: &PageClaimRequest) -> Self {
        Self {
            recipients: request.max_recipients,
            rest_due_at: request.now,
            divides_lists: false,
            splits_rest: request.splits_rest,
        }
    }

    const fn paced(pages: &PacedPages, rest_due_at: UnixMillis) -> Self {
        Self {
            recipients: pages.recipients,
            rest_due_at,
            divides_lists: true,
            splits_rest: false,
        }
    }
}

/// How much of the job may be claimed now; `None` when its first attempts would begin too early, and the job has been put off.
///
/// What is too late for anybody to get is not held back: nothing of it begins.
pub(crate) async fn admit(
    c: &mut DbConnection,
    page: &ClaimedPage,
    request: &PageClaimRequest,
) -> sqlx::Result<Option<PageSize>> {
    let now = request.now;
    let is_over = page.ends_at().is_some_and(|end| end <= now);
    let bound = page.schedule.pace().filter(|_| page.is_paced() && !is_over);
    let Some(bound) = bound else {
        return Ok(Some(PageSize::as_requested(request)));
    };
    let pages = bound.pages(request.max_recipients);
    let or_end = |turn: UnixMillis| page.ends_at().map_or(turn, |end| end.min(turn));
    if !start_page(c, page, &pages, now).await? {
        let turn = reserve_turn(c, page, &pages, now).await?;
        put_back(c, page, or_end(turn)).await?;
        return Ok(None);
    }
    let rest_due_at = or_end(now.plus(pages.interval));
    Ok(Some(PageSize::paced(&pages, rest_due_at)))
}

/// Whether it is time for another page; then the one after it is put off by an interval. The condition is the write's, so of two claims
/// at the same moment one starts a page.
async fn start_page(
    c: &mut DbConnection,
    page: &ClaimedPage,
    pages: &PacedPages,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    let taken = sqlx::query!(
        "UPDATE sends SET next_page_at = $3
         WHERE app_id = $1 AND id = $2 AND (next_page_at IS NULL OR next_page_at <= $4)",
        page.app_id.as_str(),
        page.send_id.as_str(),
        now.plus(pages.interval).0,
        now.0
    );
    Ok(taken.execute(c).await?.rows_affected() == 1)
}

/// When it is the page's turn: an interval behind the last one that was reserved, or behind the next page.
async fn reserve_turn(
    c: &mut DbConnection,
    page: &ClaimedPage,
    pages: &PacedPages,
    now: UnixMillis,
) -> sqlx::Result<UnixMillis> {
    let interval = i64::try_from(pages.interval.as_millis()).unwrap_or(i64::MAX);
    let turn = sqlx::query_scalar!(
        r#"UPDATE sends
           SET last_page_at = CASE WHEN last_page_at >= next_page_at AND last_page_at <= $4
                                   THEN last_page_at + $5
                                   WHEN next_page_at > $3 THEN $3 ELSE next_page_at END,
               next_page_at = CASE WHEN next_page_at > $3 THEN $3 ELSE next_page_at END
           WHERE app_id = $1 AND id = $2 RETURNING last_page_at AS "turn!: i64""#,
        page.app_id.as_str(),
        page.send_id.as_str(),
        now.plus(LONGEST_INTERVAL).0,
        now.plus(MAX_RESERVED_AHEAD).0,
        interval
    );
    turn.fetch_one(c).await.map(UnixMillis)
}

/// Gives the job back to the queue as it was before the claim: with the token of a lease that has ended too, under which it may still
/// be in work.
async fn put_back(
    c: &mut DbConnection,
    page: &ClaimedPage,
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE jobs SET due_at = $3, claimed = 0, lease_token = lease_token - 1
         WHERE app_id = $1 AND id = $2",
        page.app_id.as_str(),
        page.lease.job.0,
        due_at.0
    )
    .execute(c)
    .await
    .map(drop)
}
