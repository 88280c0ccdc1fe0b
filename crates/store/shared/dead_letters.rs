//! Dead letters: the recipients that were given up, and why.

use hato_domain::{FailureDetail, MAX_DEAD_LETTERS, UnixMillis};
use hato_service::ports::NewDeadLetter;

use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::missed::insert_missed;
use crate::settlement::SettledPage;

/// Records the dead letters, as long as the send has room for them: `failed` of its recipients, these among them, have failed so
/// far, and all but the last of them have left dead letters. Of the others it is kept where they stand. A subscription that was removed
/// meanwhile leaves none; who removes it with its dead letters waits for these.
pub(crate) async fn insert_dead_letters(
    c: &mut DbConnection,
    page: &SettledPage,
    dead_letters: &[NewDeadLetter],
    failed: i64,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let (dead_letters, others) = dead_letters.split_at(room(dead_letters.len(), failed));
    insert_missed(c, page, others).await?;
    if dead_letters.is_empty() {
        return Ok(());
    }
    let failures = dead_letters.iter().map(|it| {
        let detail = it.detail.as_ref().map(FailureDetail::as_str);
        let reason = it.reason.as_str();
        (it.recipient.0, reason, it.http_status, it.attempts, detail)
    });
    let failures = json(&failures.collect::<Vec<_>>())?;
    sql!(query [
        "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason, http_status,
                                   attempts, detail, created_at)
         SELECT $2, $3, s.public_id, s.endpoint, f.reason, f.http_status, f.attempts, f.detail,
                CAST($4 AS BIGINT)
         FROM (" FAILURES ") AS f JOIN subscriptions AS s ON s.id = f.recipient" KEEP_SUBSCRIPTION
    ] failures, page.send_id.as_str(), page.app_id.as_str(), now.0)
    .execute(c)
    .await
    .map(drop)
}

/// How many of the latest `failures` of a send are among its first 10,000.
fn room(failures: usize, failed: i64) -> usize {
    let beyond = usize::try_from(failed - MAX_DEAD_LETTERS).unwrap_or(0);
    failures.saturating_sub(beyond)
}
