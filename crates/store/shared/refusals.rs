//! Refusals: who is refused again and again by their push service is deactivated (CONTRACT 7). Where nobody is refused, this costs
//! settling a page no statement; where somebody of the app was, one.

use std::collections::HashSet;

use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{NewDeadLetter, RecipientId, Settlement};

use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::settled_page::SettledPage;
use crate::subscription_counts::count_deactivated;
use crate::tag_positions::{TaggedPosition, tagged_positions};
use crate::values::recipient_list;

/// How many sends must be refused in a row, and on how many days (UTC), until the subscription is deactivated.
const MIN_SENDS: i64 = 5;
const MIN_DAYS: i64 = 3;

/// Records who was refused, deactivates those who were refused often enough, and ends the row of everybody else whose outcome is
/// known. `has_refusals` says whether the app has any row that could end. Where it has, or somebody was refused, the app is locked, so
/// that no two sends of it remove the same rows crosswise. Returns the tags of those that were deactivated.
pub(crate) async fn record_refusals(
    c: &mut DbConnection,
    page: &SettledPage,
    settlement: &Settlement,
    has_refusals: bool,
    now: UnixMillis,
) -> sqlx::Result<Vec<TaggedPosition>> {
    let dead_letters = settlement.dead_letters.iter();
    let refused: Vec<&NewDeadLetter> = dead_letters.filter(|it| it.is_refusal()).collect();
    if has_refusals {
        end_refusals(c, &otherwise_settled(settlement, &refused)).await?;
    }
    if refused.is_empty() {
        return Ok(Vec::new());
    }
    extend(c, page, &refused, now).await?;
    let refused: Vec<RecipientId> = refused.iter().map(|it| it.recipient).collect();
    end_refused_often(c, &page.app_id, &refused, now).await
}

/// Deactivates those of these that were refused often enough, and returns the tags that they had.
async fn end_refused_often(
    c: &mut DbConnection,
    app: &AppId,
    refused: &[RecipientId],
    now: UnixMillis,
) -> sqlx::Result<Vec<TaggedPosition>> {
    let tagged = refused_often(c, refused).await?;
    let deactivated = deactivate(c, refused, now).await?;
    count_deactivated(c, app, deactivated, now).await?;
    Ok(tagged)
}

/// The positions and tags of those of these that were refused often enough.
async fn refused_often(
    c: &mut DbConnection,
    refused: &[RecipientId],
) -> sqlx::Result<Vec<TaggedPosition>> {
    let often = sql!(query_scalar [
        "SELECT subscription_id FROM refusals
         WHERE subscription_id IN (" NUMBERS ") AND sends >= $2 AND days >= $3"
    ] recipient_list(refused)?, MIN_SENDS, MIN_DAYS)
    .fetch_all(&mut *c)
    .await?;
    let often: Vec<RecipientId> = often.into_iter().map(RecipientId).collect();
    tagged_positions(c, &often, i64::MAX).await
}

/// Everybody whose outcome is known, but those who were refused.
fn otherwise_settled(settlement: &Settlement, refused: &[&NewDeadLetter]) -> Vec<RecipientId> {
    let refused: HashSet<RecipientId> = refused.iter().map(|it| it.recipient).collect();
    let sent = settlement.sent.iter().map(|it| it.recipient);
    let expired = settlement.expired.iter().map(|it| it.recipient);
    let failed = settlement.dead_letters.iter().map(|it| it.recipient);
    let all = sent.chain(expired).chain(failed);
    all.filter(|it| !refused.contains(it)).collect()
}

/// Forgets how often these were refused.
pub(crate) async fn end_refusals(
    c: &mut DbConnection,
    recipients: &[RecipientId],
) -> sqlx::Result<()> {
    sql!(query ["DELETE FROM refusals WHERE subscription_id IN (" NUMBERS ")"] recipient_list(recipients)?)
        .execute(c)
        .await
        .map(drop)
}

/// Counts one more send for each of these that is still active as the page knew it. A day before the last one, on which the clock
/// was set back, is no other day.
async fn extend(
    c: &mut DbConnection,
    page: &SettledPage,
    refused: &[&NewDeadLetter],
    now: UnixMillis,
) -> sqlx::Result<()> {
    let failures = refused
        .iter()
        .map(|it| (it.recipient.0, it.reason.as_str(), it.http_status));
    let failures = json(&failures.collect::<Vec<_>>())?;
    sql!(query [
        "INSERT INTO refusals (subscription_id, app_id, reason, sends, days, last_day)
         SELECT s.id, s.app_id, f.reason, 1, 1, CAST($2 AS BIGINT)
         FROM (" FAILURES ") AS f JOIN subscriptions AS s ON s.id = f.recipient
         WHERE s.position IS NOT NULL AND s.position <= $3
         ON CONFLICT (subscription_id) DO UPDATE
         SET reason = CASE WHEN refusals.reason = excluded.reason THEN excluded.reason
                           ELSE 'refused' END,
             sends = refusals.sends + 1,
             days = refusals.days + CASE WHEN excluded.last_day > refusals.last_day THEN 1 ELSE 0 END,
             last_day = CASE WHEN excluded.last_day > refusals.last_day THEN excluded.last_day
                             ELSE refusals.last_day END"
    ] failures, now.day_number(), page.up_to)
    .execute(c)
    .await
    .map(drop)
}

/// Deactivates those of these that were refused often enough, and returns how many were active.
async fn deactivate(
    c: &mut DbConnection,
    refused: &[RecipientId],
    now: UnixMillis,
) -> sqlx::Result<u64> {
    let refused = recipient_list(refused)?;
    let deactivated = sql!(query [
        "UPDATE subscriptions
         SET position = NULL, deactivated_at = $2,
             deactivation_reason = (SELECT r.reason FROM refusals AS r
                                    WHERE r.subscription_id = subscriptions.id)
         WHERE position IS NOT NULL
           AND id IN (SELECT r.subscription_id FROM refusals AS r
                      WHERE r.subscription_id IN (" NUMBERS ") AND r.sends >= $3 AND r.days >= $4)"
    ] refused, now.0, MIN_SENDS, MIN_DAYS)
    .execute(&mut *c)
    .await?
    .rows_affected();
    if deactivated > 0 {
        sql!(query [
            "DELETE FROM refusals
             WHERE subscription_id IN (" NUMBERS ") AND sends >= $2 AND days >= $3"
        ] refused, MIN_SENDS, MIN_DAYS)
        .execute(c)
        .await?;
    }
    Ok(deactivated)
}
