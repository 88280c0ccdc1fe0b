//! Why and where a send failed: one row for each push service and reason, counted when pages are settled.
//!
//! Whoever makes up endpoints makes up any number of push services, and the page of a send asks again and again while it runs, so
//! a read looks at so many rows, and for so long, and no more.

use hato_domain::{AppId, SendId};
use hato_service::ports::{SendFailure, SendFailures};

use crate::Database;
use crate::bounded_reads::is_out_of_time;
use crate::dialect::bounded_reader;

/// Most rows that a read looks at.
const MAX_SCANNED: i64 = 10_000;

/// The failures with the most recipients, at most `limit` of them.
pub(crate) async fn list_failures(
    database: &Database,
    app: &AppId,
    send: &SendId,
    limit: i64,
) -> sqlx::Result<SendFailures> {
    match read_failures(database, app, send, limit).await {
        Ok(rows) => Ok(SendFailures {
            is_cut_short: rows.first().is_some_and(|row| row.looked_at == MAX_SCANNED),
            items: rows.into_iter().map(SendFailure::from).collect(),
        }),
        Err(error) if is_out_of_time(&error) => Ok(SendFailures::unscanned()),
        Err(error) => Err(error),
    }
}

/// A failure, beside how many were looked at.
struct FailureRow {
    host: String,
    reason: String,
    recipients: i64,
    looked_at: i64,
}

async fn read_failures(
    database: &Database,
    app: &AppId,
    send: &SendId,
    limit: i64,
) -> sqlx::Result<Vec<FailureRow>> {
    let mut connection = bounded_reader(database).await?;
    sqlx::query_as!(
        FailureRow,
        r#"SELECT host AS "host!", reason AS "reason!", recipients AS "recipients!",
                  COUNT(*) OVER () AS "looked_at!: i64"
           FROM (SELECT f.host, f.reason, f.recipients
                 FROM sends AS s JOIN send_failures AS f ON f.send_id = s.id
                 WHERE s.id = $1 AND s.app_id = $2 LIMIT $4) AS seen
           ORDER BY recipients DESC, host, reason LIMIT $3"#,
        send.as_str(),
        app.as_str(),
        limit,
        MAX_SCANNED
    )
    .fetch_all(&mut *connection)
    .await
}

impl From<FailureRow> for SendFailure {
    fn from(row: FailureRow) -> Self {
        Self {
            host: row.host,
            reason: row.reason,
            recipients: row.recipients,
        }
    }
}
