//! Settling: what became of a page, counted once. What is written here was computed by `crates/delivery/src/push/settlement_plan.rs`.
//!
//! A page's job is removed first, and only by who holds its lease (fencing): who lost the lease changes nothing at all. All
//! else happens in the same transaction, so a page is either counted and gone, or due again and not counted. Several pages of a send
//! may share the transaction; what is counted on one row is then counted once.

use hato_domain::{AppId, Plan, SendId, UnixMillis};
use hato_service::ports::{ExpiredRecipient, RecipientId, RetryJob, SettleOutcome, Settlement};

use crate::completion::finish;
use crate::dead_letters::insert_dead_letters;
use crate::dialect::{DbConnection, lock_app, sql};
use crate::event_readers::EventReaders;
use crate::jobs::queue_list;
use crate::recent_counts::{RecentCounts, add_to_quarter};
use crate::refusals::record_refusals;
use crate::send_failures::tally;
use crate::settled_page::{PageSettlement, SettledPage};
use crate::subscription_counts::count_deactivated;
use crate::tag_positions::{TaggedPosition, clear_tags, tagged_positions};
use crate::values::{count_i64, recipient_list};
use crate::webhook_events::insert_results_event;

/// Records what became of these pages of one send, except of those that somebody else holds by now; one outcome for each.
pub(crate) async fn settle(
    c: &mut DbConnection,
    pages: &[PageSettlement],
) -> sqlx::Result<Vec<SettleOutcome>> {
    let are_held = remove_jobs(c, pages).await?;
    let held = pages.iter().zip(&are_held).filter(|(_, is_held)| **is_held);
    let held: Vec<&PageSettlement> = held.map(|(page, _)| page).collect();
    let recorded = settle_held(c, &held).await?;
    let outcome = |is_held| {
        if is_held {
            recorded
        } else {
            SettleOutcome::LeaseLost
        }
    };
    Ok(are_held.into_iter().map(outcome).collect())
}

/// Records these pages, whose jobs are removed, unless there are none, or their app was deleted.
async fn settle_held(
    c: &mut DbConnection,
    pages: &[&PageSettlement],
) -> sqlx::Result<SettleOutcome> {
    let Some(PageSettlement {
        page: last, now, ..
    }) = pages.last()
    else {
        return Ok(SettleOutcome::LeaseLost);
    };
    if !lock_send(c, last).await? {
        return Ok(SettleOutcome::LeaseLost);
    }
    let counts = PageCounts::of(pages);
    let send = count(c, last, &counts, *now).await?;
    count_day(c, last, &counts).await?;
    if send.has_refusals || pages.iter().any(|page| page.may_deactivate()) {
        lock_app(c, &last.app_id).await?;
    }
    let failed_before = send.failed_other - counts.failed_other;
    let tagged = settle_recipients(c, pages, &send, failed_before).await?;
    clear_tags(c, last.app_id.as_str(), &tagged).await?;
    let readers = send.event_readers();
    let mut has_events = insert_results_events(c, pages, readers).await?;
    if send.are_last {
        has_events |= finish(c, (&last.app_id, &last.send_id), readers, *now).await?;
    }
    Ok(if readers.has_active_webhook && has_events {
        SettleOutcome::RecordedWithEvents
    } else {
        SettleOutcome::Recorded
    })
}

/// Records what became of the pages' recipients, before whom `failed` of the send had left dead letters, or none for want of room.
/// Returns the tags of those that were deactivated, whose app is locked.
async fn settle_recipients(
    c: &mut DbConnection,
    pages: &[&PageSettlement],
    send: &CountedSend,
    mut failed: i64,
) -> sqlx::Result<Vec<TaggedPosition>> {
    let mut tagged = Vec::new();
    for PageSettlement {
        page,
        settlement,
        now,
    } in pages
    {
        tagged.extend(deactivate(c, page, &settlement.expired, *now).await?);
        failed += count_i64(settlement.dead_letters.len());
        insert_dead_letters(c, page, &settlement.dead_letters, failed, *now).await?;
        tagged.extend(record_refusals(c, page, settlement, send.has_refusals, *now).await?);
        let all_failed = send.failed_expired + send.failed_other;
        tally(c, &page.send_id, &settlement.tallies, all_failed).await?;
        if send.is_cancelled {
            cancel_retries(c, page, &settlement.retries).await?;
        } else {
            queue_retries(c, page, &settlement.retries).await?;
        }
    }
    Ok(tagged)
}

/// Writes the event of each page for those who read the app's; whether there were any.
async fn insert_results_events(
    c: &mut DbConnection,
    pages: &[&PageSettlement],
    readers: EventReaders,
) -> sqlx::Result<bool> {
    let mut has_events = false;
    if readers.any() {
        for page in pages {
            has_events |= insert_results_event(c, readers, page).await?;
        }
    }
    Ok(has_events)
}

/// Removes the jobs whose leases still hold; whether each page's does. In the order of their ids: others may settle the same pages, when
/// leases have ended.
async fn remove_jobs(c: &mut DbConnection, pages: &[PageSettlement]) -> sqlx::Result<Vec<bool>> {
    let pages_of_jobs = pages.iter().map(|page| &page.page).enumerate();
    let mut pages_of_jobs: Vec<(usize, &SettledPage)> = pages_of_jobs.collect();
    pages_of_jobs.sort_unstable_by_key(|(_, page)| page.lease.job);
    let mut are_held = vec![false; pages.len()];
    for (index, page) in pages_of_jobs {
        are_held[index] = remove_job(c, page).await?;
    }
    Ok(are_held)
}

async fn remove_job(c: &mut DbConnection, page: &SettledPage) -> sqlx::Result<bool> {
    let removed = sqlx::query!(
        "DELETE FROM jobs WHERE app_id = $1 AND id = $2 AND lease_token = $3",
        page.app_id.as_str(),
        page.lease.job.0,
        page.lease.token
    );
    Ok(removed.execute(c).await?.rows_affected() == 1)
}

/// Deactivates those that are still active, and takes exactly these off the app's count. Who has a higher position than the page
/// subscribed again after it was made, with keys that this page never tried. Returns the tags that they had.
async fn deactivate(
    c: &mut DbConnection,
    page: &SettledPage,
    expired: &[ExpiredRecipient],
    now: UnixMillis,
) -> sqlx::Result<Vec<TaggedPosition>> {
    if expired.is_empty() {
        return Ok(Vec::new());
    }
    let expired: Vec<RecipientId> = expired.iter().map(|one| one.recipient).collect();
    let tagged = tagged_positions(c, &expired, page.up_to).await?;
    let deactivated = sql!(query [
        "UPDATE subscriptions
         SET position = NULL, deactivated_at = $2, deactivation_reason = 'expired'
         WHERE id IN (" NUMBERS ") AND position IS NOT NULL AND position <= $3"
    ] recipient_list(&expired)?, now.0, page.up_to)
    .execute(&mut *c)
    .await?;
    count_deactivated(c, &page.app_id, deactivated.rows_affected(), now).await?;
    Ok(tagged)
}

/// Counts those who were to be tried again as cancelled, as their send is.
async fn cancel_retries(
    c: &mut DbConnection,
    page: &SettledPage,
    retries: &[RetryJob],
) -> sqlx::Result<()> {
    let recipients = retries.iter().map(|retry| retry.recipients.len());
    let send = (&page.app_id, &page.send_id);
    count_cancelled(c, send, count_i64(recipients.sum())).await
}

async fn queue_retries(
    c: &mut DbConnection,
    page: &SettledPage,
    retries: &[RetryJob],
) -> sqlx::Result<()> {
    let (send, app) = (page.send_id.as_str(), page.app_id.as_str());
    for retry in retries.iter().filter(|retry| !retry.recipients.is_empty()) {
        queue_list(c, send, app, &retry.recipients, retry.attempt, retry.due_at).await?;
    }
    Ok(())
}

/// How many recipients of pages were sent a message, or failed.
struct PageCounts {
    sent: i64,
    failed_expired: i64,
    failed_other: i64,
}

impl PageCounts {
    fn of(pages: &[&PageSettlement]) -> Self {
        let sum = |number: fn(&Settlement) -> usize| {
            count_i64(pages.iter().map(|page| number(&page.settlement)).sum())
        };
        Self {
            sent: sum(|it| it.sent.len()),
            failed_expired: sum(|it| it.expired.len()),
            failed_other: sum(|it| it.dead_letters.len()),
        }
    }
}

/// Locks the send until the end of the transaction; `false` when its app was deleted meanwhile, whose pages count no more. This asks for
/// nothing else: PostgreSQL computes the whole of a statement once more that has waited for a row.
async fn lock_send(c: &mut DbConnection, page: &SettledPage) -> sqlx::Result<bool> {
    let locked = sql!(query_scalar [
        r#"SELECT s.id FROM sends AS s
           WHERE s.app_id = $1 AND s.id = $2
             AND EXISTS (SELECT 1 FROM apps AS own
                         WHERE own.id = s.app_id AND own.deleted_at IS NULL)"#
        FOR_UPDATE
    ] page.app_id.as_str(), page.send_id.as_str());
    Ok(locked.fetch_optional(c).await?.is_some())
}

/// What settling needs to know of a page's send, with the pages counted.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the columns of a row, which are unrelated"
)]
struct CountedSend {
    is_cancelled: bool,
    /// Recipients whose subscription was gone so far.
    failed_expired: i64,
    /// Recipients that finally failed so far, those whose subscription was gone aside.
    failed_other: i64,
    /// Whether no other page of it was left.
    are_last: bool,
    /// Whether the app has an active webhook.
    has_active_webhook: bool,
    /// Whether somebody listens to the app.
    has_listeners: bool,
    /// Whether the app has subscriptions whose last message was refused.
    has_refusals: bool,
}

impl CountedSend {
    const fn event_readers(&self) -> EventReaders {
        EventReaders {
            has_active_webhook: self.has_active_webhook,
            has_listeners: self.has_listeners,
        }
    }
}

/// Counts what became of pages on their send, which is locked: of two last pages the later one sees that the other is gone.
async fn count(
    c: &mut DbConnection,
    page: &SettledPage,
    counts: &PageCounts,
    now: UnixMillis,
) -> sqlx::Result<CountedSend> {
    sqlx::query_as!(
        CountedSend,
        r#"UPDATE sends SET sent = sent + $3, failed_expired = failed_expired + $4,
                            failed_other = failed_other + $5
           WHERE app_id = $1 AND id = $2
           RETURNING cancelled_at IS NOT NULL AS "is_cancelled!: bool",
                     failed_expired AS "failed_expired!", failed_other AS "failed_other!",
                     NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.send_id = $2) AS "are_last!: bool",
                     EXISTS (SELECT 1
                             FROM webhooks AS w JOIN apps AS p ON p.id = w.app_id
                                                JOIN accounts AS a ON a.id = p.account_id
                             WHERE w.app_id = $1 AND w.disabled_reason IS NULL
                               AND p.webhook_url IS NOT NULL AND a.plan = $6)
                     AS "has_active_webhook!: bool",
                     EXISTS (SELECT 1 FROM listeners AS l
                             WHERE l.app_id = $1 AND l.expires_at > $7)
                     AS "has_listeners!: bool",
                     EXISTS (SELECT 1 FROM refusals AS r WHERE r.app_id = $1)
                     AS "has_refusals!: bool""#,
        page.app_id.as_str(),
        page.send_id.as_str(),
        counts.sent,
        counts.failed_expired,
        counts.failed_other,
        Plan::FOR_WEBHOOKS.as_str(),
        now.0
    )
    .fetch_one(c)
    .await
}

/// Counts the same on the day when the send was accepted, which has a row since then, and in its quarter of an hour.
async fn count_day(
    c: &mut DbConnection,
    page: &SettledPage,
    counts: &PageCounts,
) -> sqlx::Result<()> {
    let (sent, failed) = (counts.sent, counts.failed_expired + counts.failed_other);
    if sent == 0 && failed == 0 {
        return Ok(());
    }
    let app = page.app_id.as_str();
    sqlx::query!(
        "UPDATE daily_counts SET sent = sent + $3, failed = failed + $4
         WHERE app_id = $1 AND day = $2",
        app,
        page.accepted_at.day_number(),
        sent,
        failed
    )
    .execute(&mut *c)
    .await?;
    let counts = RecentCounts {
        sent,
        failed,
        ..RecentCounts::default()
    };
    add_to_quarter(c, app, page.accepted_at, &counts).await
}

/// Counts recipients that are not reached because the send is cancelled.
pub(crate) async fn count_cancelled(
    c: &mut DbConnection,
    (app, send): (&AppId, &SendId),
    recipients: i64,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE sends SET cancelled = cancelled + $3 WHERE app_id = $1 AND id = $2",
        app.as_str(),
        send.as_str(),
        recipients
    )
    .execute(c)
    .await
    .map(drop)
}
