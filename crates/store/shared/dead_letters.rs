//! Dead letters: who finally failed, and why.

use hato_domain::{AppId, DeadLetterId, PageRequest, SendId, UnixMillis};
use hato_service::ports::{DeadLetterRecord, NewDeadLetter};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::error::decode_error;
use crate::settlement::SettledPage;

struct DeadLetterRow {
    id: i64,
    send_id: String,
    subscription_id: String,
    endpoint: String,
    reason: String,
    http_status: Option<i64>,
    attempts: i64,
    created_at: i64,
}

impl DeadLetterRow {
    fn into_record(self) -> sqlx::Result<DeadLetterRecord> {
        let status = self.http_status.map(u16::try_from).transpose();
        Ok(DeadLetterRecord {
            id: DeadLetterId(self.id),
            send_id: SendId::trusted(self.send_id),
            subscription_id: self.subscription_id,
            endpoint: self.endpoint,
            reason: self.reason,
            http_status: status.map_err(|_| decode_error("status"))?,
            attempts: self.attempts,
            created_at: UnixMillis(self.created_at),
        })
    }
}

/// A page of the app's dead letters; a time alone means strictly older.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    page: &PageRequest,
    before: Option<DeadLetterId>,
) -> sqlx::Result<Vec<DeadLetterRecord>> {
    let time = page.cursor.as_ref().map_or(i64::MAX, |it| it.before.0);
    let number = before.map_or(i64::MIN, |id| id.0);
    let (app, limit) = (app.as_str(), page.limit.get() + 1);
    let rows = sqlx::query_as!(
        DeadLetterRow,
        "SELECT id, send_id, subscription_id, endpoint, reason, http_status, attempts, created_at
         FROM dead_letters WHERE app_id = $1 AND (created_at, id) < ($2, $3)
         ORDER BY created_at DESC, id DESC LIMIT $4",
        app,
        time,
        number,
        limit
    )
    .fetch_all(readers(database))
    .await?;
    rows.into_iter().map(DeadLetterRow::into_record).collect()
}

/// Records the dead letters with the attempts that were made: one for which no time was left was not.
pub(crate) async fn insert_dead_letters(
    c: &mut DbConnection,
    page: &SettledPage,
    dead_letters: &[NewDeadLetter],
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
fn failure_list(dead_letters: &[NewDeadLetter]) -> sqlx::Result<String> {
    let failures: Vec<_> = dead_letters
        .iter()
        .map(|dead_letter| {
            (
                dead_letter.recipient.0,
                dead_letter.reason.as_str(),
                dead_letter.http_status,
            )
        })
        .collect();
    serde_json::to_string(&failures).map_err(|error| sqlx::Error::Encode(error.into()))
}
