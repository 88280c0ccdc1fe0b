//! Why and where a send failed: one row for each push service and reason, counted when pages are settled.
//!
//! Whoever makes up endpoints makes up any number of push services. So a send keeps so many rows, and counts the failures at others by
//! their reason alone. The page of a send asks again and again while it runs, so a read looks at so many rows, and for so long.

use std::collections::{BTreeMap, HashSet};

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
    let mut named = if failed <= MAX_NAMED || tallies.is_empty() {
        None
    } else {
        Some(find_named(c, send).await?)
    };
    let mut others: BTreeMap<&str, i64> = BTreeMap::new();
    for FailureTally {
        host,
        reason,
        recipients,
    } in tallies
    {
        if named.as_mut().is_none_or(|it| it.admits(host, reason)) {
            add(c, send, (host, reason), *recipients).await?;
        } else {
            *others.entry(reason).or_default() += recipients;
        }
    }
    for (reason, recipients) in others {
        add(c, send, (OTHER_HOSTS, reason), recipients).await?;
    }
    Ok(())
}

/// The push services and reasons that have a row of their own.
struct NamedFailures(HashSet<(String, String)>);

impl NamedFailures {
    /// Whether this one has a row, or gets one.
    fn admits(&mut self, host: &str, reason: &str) -> bool {
        let failure = (host.to_owned(), reason.to_owned());
        if self.0.contains(&failure) {
            return true;
        }
        let has_room = count_i64(self.0.len()) < MAX_NAMED;
        has_room && self.0.insert(failure)
    }
}

async fn find_named(c: &mut DbConnection, send: &SendId) -> sqlx::Result<NamedFailures> {
    let named = sqlx::query!(
        r#"SELECT host AS "host!", reason AS "reason!" FROM send_failures
           WHERE send_id = $1 AND host <> $2"#,
        send.as_str(),
        OTHER_HOSTS
    );
    let named = named.fetch_all(c).await?.into_iter();
    Ok(NamedFailures(
        named.map(|row| (row.host, row.reason)).collect(),
    ))
}

async fn add(
    c: &mut DbConnection,
    send: &SendId,
    (host, reason): (&str, &str),
    recipients: i64,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO send_failures (send_id, host, reason, recipients) VALUES ($1, $2, $3, $4)
         ON CONFLICT (send_id, host, reason) DO UPDATE
         SET recipients = send_failures.recipients + excluded.recipients",
        send.as_str(),
        host,
        reason,
        recipients
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
