//! Dead letters: the recipients that were given up, and why.

use hato_domain::{AppId, DeadLetterId, PageRequest, SendId, UnixMillis};
use hato_service::ports::{DeadLetterRecord, NewDeadLetter};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::error::{decode_error, json};
use crate::settlement::SettledPage;

/// A page of the app's dead letters, and one more if there are more. Without a number, `page` begins strictly before its time:
/// no number is smaller than the smallest.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    page: &PageRequest,
    before: Option<DeadLetterId>,
) -> sqlx::Result<Vec<DeadLetterRecord>> {
    let time = page.cursor.as_ref().map_or(i64::MAX, |it| it.before.0);
    sqlx::query!(
        "SELECT id, send_id, subscription_id, endpoint, reason, http_status, attempts, created_at
         FROM dead_letters WHERE app_id = $1 AND (created_at, id) < ($2, $3)
         ORDER BY created_at DESC, id DESC LIMIT $4",
        app.as_str(),
        time,
        before.map_or(i64::MIN, |id| id.0),
        page.limit.get() + 1
    )
    .try_map(|row| {
        let status = row.http_status.map(u16::try_from).transpose();
        Ok(DeadLetterRecord {
            id: DeadLetterId(row.id),
            send_id: SendId::trusted(row.send_id),
            subscription_id: row.subscription_id,
            endpoint: row.endpoint,
            reason: row.reason,
            http_status: status.map_err(|_| decode_error("status"))?,
            attempts: row.attempts,
            created_at: UnixMillis(row.created_at),
        })
    })
    .fetch_all(readers(database))
    .await
}

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
