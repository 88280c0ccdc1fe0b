//! Why and where a send failed: one row for each push service and reason, counted when pages are settled.
//!
//! Whoever makes up endpoints makes up any number of push services. So a send keeps so many rows, and counts the failures at others by
//! their reason alone. The page of a send asks again and again while it runs, so a read looks at so many rows, and for so long.

use hato_domain::{AppId, SendId};
use hato_service::ports::{FailureTally, SendFailure, SendFailures};

use crate::Database;
use crate::bounded_reads::is_out_of_time;
use crate::dialect::{DbConnection, bounded_reader};
use crate::values::count_i64;

/// Rows of a send that name a push service.
const MAX_NAMED: i64 = 1_000;

/// The host of a row for all push services that have none of their own.
const OTHER_HOSTS: &str = "";

/// Most rows that a read looks at.
const MAX_SCANNED: i64 = 10_000;

/// Adds failures to those of the send, which is locked, and which has had `failed` of them, these included.
pub(crate) async fn tally(
    c: &mut DbConnection,
    send: &SendId,
    tallies: &[FailureTally],
    failed: i64,
) -> sqlx::Result<()> {
    // There are no more rows than failures.
    let mut room = if failed <= MAX_NAMED || tallies.is_empty() {
        count_i64(tallies.len())
    } else {
        MAX_NAMED - count_named(c, send).await?
    };
    for tally in tallies {
        if add_to_named(c, send, tally).await? {
            continue;
        }
        let host = if room > 0 { &tally.host } else { OTHER_HOSTS };
        room -= 1;
        add(c, send, host, tally).await?;
    }
    Ok(())
}

async fn count_named(c: &mut DbConnection, send: &SendId) -> sqlx::Result<i64> {
    let named = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "named!: i64" FROM send_failures WHERE send_id = $1 AND host <> $2"#,
        send.as_str(),
        OTHER_HOSTS
    );
    named.fetch_one(c).await
}

/// Whether there is a row for the push service and the reason, to which this is added.
async fn add_to_named(
    c: &mut DbConnection,
    send: &SendId,
    tally: &FailureTally,
) -> sqlx::Result<bool> {
    let added = sqlx::query!(
        "UPDATE send_failures SET recipients = recipients + $4
         WHERE send_id = $1 AND host = $2 AND reason = $3",
        send.as_str(),
        tally.host,
        tally.reason,
        tally.recipients
    );
    Ok(added.execute(c).await?.rows_affected() == 1)
}

async fn add(
    c: &mut DbConnection,
    send: &SendId,
    host: &str,
    tally: &FailureTally,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO send_failures (send_id, host, reason, recipients) VALUES ($1, $2, $3, $4)
         ON CONFLICT (send_id, host, reason) DO UPDATE
         SET recipients = send_failures.recipients + excluded.recipients",
        send.as_str(),
        host,
        tally.reason,
        tally.recipients
    )
    .execute(c)
    .await
    .map(drop)
}

/// The failures with the most recipients, at most `limit` of them, where the push service is named.
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
                 WHERE s.id = $1 AND s.app_id = $2 AND f.host <> $5 LIMIT $4) AS seen
           ORDER BY recipients DESC, host, reason LIMIT $3"#,
        send.as_str(),
        app.as_str(),
        limit,
        MAX_SCANNED,
        OTHER_HOSTS
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
