//! Dead letters: the recipients that were given up, and why.

use hato_domain::{
    AppId, DeadLetterId, FailureDetail, MAX_DEAD_LETTERS, PageRequest, SendId, UnixMillis,
};
use hato_service::ports::{DeadLetterRecord, NewDeadLetter};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::error::{decode_error, json};
use crate::missed::insert_missed;
use crate::settled_page::SettledPage;

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
    insert(c, page, &failures(dead_letters)?, now).await
}

async fn insert(
    c: &mut DbConnection,
    page: &SettledPage,
    failures: &str,
    now: UnixMillis,
) -> sqlx::Result<()> {
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

/// The dead letters as `FAILURES` takes them.
fn failures(dead_letters: &[NewDeadLetter]) -> sqlx::Result<String> {
    let failures = dead_letters.iter().map(|it| {
        let detail = it.detail.as_ref().map(FailureDetail::as_str);
        let reason = it.reason.as_str();
        (it.recipient.0, reason, it.http_status, it.attempts, detail)
    });
    json(&failures.collect::<Vec<_>>())
}

/// How many of the latest `failures` of a send are among its first 10,000.
fn room(failures: usize, failed: i64) -> usize {
    let beyond = usize::try_from(failed - MAX_DEAD_LETTERS).unwrap_or(0);
    failures.saturating_sub(beyond)
}

struct DeadLetterRow {
    id: i64,
    send_id: String,
    subscription_id: String,
    has_subscription: bool,
    endpoint: String,
    reason: String,
    detail: Option<String>,
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
            has_subscription: self.has_subscription,
            endpoint: self.endpoint,
            reason: self.reason,
            detail: self.detail,
            http_status: status.map_err(|_| decode_error("status"))?,
            attempts: self.attempts,
            created_at: UnixMillis(self.created_at),
        })
    }
}

/// A page of the app's dead letters, or of those of one of its sends, newest first.
pub(crate) async fn list(
    database: &Database,
    (app, send): (&AppId, Option<&SendId>),
    page: &PageRequest,
    before: Option<DeadLetterId>,
) -> sqlx::Result<Vec<DeadLetterRecord>> {
    // Without a number, the page begins strictly before its time: no number is smaller than the smallest.
    let time = page.cursor.as_ref().map_or(i64::MAX, |it| it.before.0);
    let last = (time, before.map_or(i64::MIN, |id| id.0));
    let limit = page.limit.get() + 1;
    let rows = match send {
        Some(send) => rows_of_send(database, app, send, last, limit).await?,
        None => rows_of_app(database, app, last, limit).await?,
    };
    rows.into_iter().map(DeadLetterRow::into_record).collect()
}

async fn rows_of_app(
    database: &Database,
    app: &AppId,
    (time, id): (i64, i64),
    limit: i64,
) -> sqlx::Result<Vec<DeadLetterRow>> {
    sqlx::query_as!(
        DeadLetterRow,
        r#"SELECT d.id, d.send_id, d.subscription_id, d.endpoint, d.reason, d.detail, d.http_status,
                  d.attempts, d.created_at,
                  EXISTS (SELECT 1 FROM subscriptions AS s
                          WHERE s.public_id = d.subscription_id AND s.app_id = d.app_id)
                      AS "has_subscription!: bool"
           FROM dead_letters AS d WHERE d.app_id = $1 AND (d.created_at, d.id) < ($2, $3)
           ORDER BY d.created_at DESC, d.id DESC LIMIT $4"#,
        app.as_str(),
        time,
        id,
        limit
    )
    .fetch_all(readers(database))
    .await
}

/// A send has 10,000 at most, which its index finds.
async fn rows_of_send(
    database: &Database,
    app: &AppId,
    send: &SendId,
    (time, id): (i64, i64),
    limit: i64,
) -> sqlx::Result<Vec<DeadLetterRow>> {
    sqlx::query_as!(
        DeadLetterRow,
        r#"SELECT d.id, d.send_id, d.subscription_id, d.endpoint, d.reason, d.detail, d.http_status,
                  d.attempts, d.created_at,
                  EXISTS (SELECT 1 FROM subscriptions AS s
                          WHERE s.public_id = d.subscription_id AND s.app_id = d.app_id)
                      AS "has_subscription!: bool"
           FROM dead_letters AS d
           WHERE d.send_id = (SELECT s.id FROM sends AS s WHERE s.id = $1 AND s.app_id = $2)
             AND (d.created_at, d.id) < ($3, $4)
           ORDER BY d.created_at DESC, d.id DESC LIMIT $5"#,
        send.as_str(),
        app.as_str(),
        time,
        id,
        limit
    )
    .fetch_all(readers(database))
    .await
}
