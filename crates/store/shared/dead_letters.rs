//! Dead letters: the recipients that were given up, and why.

use hato_domain::UnixMillis;
use hato_service::ports::NewDeadLetter;

use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::settlement::SettledPage;

/// Records the dead letters with the attempts that were made: one for which no time was left was not. A subscription that was
/// removed meanwhile leaves none.
pub(crate) async fn insert_dead_letters(
    c: &mut DbConnection,
    page: &SettledPage,
    dead_letters: &[NewDeadLetter],
    now: UnixMillis,
) -> sqlx::Result<()> {
    if dead_letters.is_empty() {
        return Ok(());
    }
    let failures = dead_letters
        .iter()
        .map(|it| (it.recipient.0, it.reason.as_str(), it.http_status));
    let failures = json(&failures.collect::<Vec<_>>())?;
    sql!(query [
        "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason, http_status,
                                   attempts, created_at)
         SELECT $2, $3, s.public_id, s.endpoint, f.reason, f.http_status,
                CASE f.reason WHEN 'out_of_time' THEN CAST($4 AS BIGINT)
                              ELSE CAST($4 AS BIGINT) + 1 END,
                CAST($5 AS BIGINT)
         FROM (" FAILURES ") AS f JOIN subscriptions AS s ON s.id = f.recipient"
    ] failures, page.send_id.as_str(), page.app_id.as_str(), i64::from(page.attempt), now.0)
    .execute(c)
    .await
    .map(drop)
}
