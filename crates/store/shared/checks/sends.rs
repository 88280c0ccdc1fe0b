//! What sends count, against what is known of their recipients and their pages.

use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::{FailureTally, Flaw};

use super::miscounted;
use crate::completion::finish;
use crate::dialect::DbConnection;
use crate::event_readers::EventReaders;

pub(super) async fn check_sends(
    c: &mut DbConnection,
    now: UnixMillis,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    let mut flaws = check_sums(c, repair).await?;
    flaws.extend(check_ended(c, repair).await?);
    flaws.extend(check_unended(c, now, repair).await?);
    Ok(flaws)
}

/// A send whose failures by host and reason are others than it counts.
struct MiscountedSend {
    id: String,
    failed_expired: i64,
    failed_other: i64,
    tallied_expired: i64,
    tallied_other: i64,
}

impl MiscountedSend {
    fn flaws(self, is_repaired: bool) -> impl Iterator<Item = Flaw> {
        let counters = [
            ("expired", self.failed_expired, self.tallied_expired),
            ("other", self.failed_other, self.tallied_other),
        ];
        let wrong = counters
            .into_iter()
            .filter(|(_, stored, tallied)| stored != tallied);
        wrong.map(move |(what, stored, tallied)| {
            let subject = format_args!("{}: {what} failures", self.id);
            miscounted(subject, stored, tallied, is_repaired)
        })
    }
}

/// A send counts those who failed, and so do its rows for each push service and reason. Of sends from before `kept_from` these may be in
/// the midst of their removal.
pub(super) async fn check_failures(
    c: &mut DbConnection,
    kept_from: UnixMillis,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    let wrong = miscounted_sends(c, kept_from).await?;
    if repair {
        for send in &wrong {
            count_failures(c, &send.id).await?;
        }
    }
    let flaws = wrong.into_iter().flat_map(|send| send.flaws(repair));
    Ok(flaws.collect())
}

async fn miscounted_sends(
    c: &mut DbConnection,
    kept_from: UnixMillis,
) -> sqlx::Result<Vec<MiscountedSend>> {
    sqlx::query_as!(
        MiscountedSend,
        r#"SELECT s.id AS "id!", s.failed_expired AS "failed_expired!", s.failed_other AS "failed_other!",
                  COALESCE(f.expired, 0) AS "tallied_expired!: i64", COALESCE(f.other, 0) AS "tallied_other!: i64"
           FROM sends AS s JOIN apps AS p ON p.id = s.app_id
                LEFT JOIN (SELECT send_id,
                                  CAST(SUM(CASE WHEN reason = $2 THEN recipients ELSE 0 END) AS BIGINT) AS expired,
                                  CAST(SUM(CASE WHEN reason = $2 THEN 0 ELSE recipients END) AS BIGINT) AS other
                           FROM send_failures GROUP BY send_id) AS f ON f.send_id = s.id
           WHERE p.deleted_at IS NULL AND (s.finished_at IS NULL OR COALESCE(s.send_at, s.created_at) >= $1)
             AND (s.failed_expired <> COALESCE(f.expired, 0) OR s.failed_other <> COALESCE(f.other, 0))
           ORDER BY s.id"#,
        kept_from.0,
        FailureTally::EXPIRED
    )
    .fetch_all(c)
    .await
}

/// Counts the failures anew; who is in none of the counts was skipped.
async fn count_failures(c: &mut DbConnection, send: &str) -> sqlx::Result<()> {
    // Whoever settles a page of it waits from here on, so that the next statement sees what was settled before.
    sqlx::query!(
        "UPDATE sends SET failed_other = failed_other WHERE id = $1",
        send
    )
    .execute(&mut *c)
    .await?;
    sqlx::query!(
        "UPDATE sends AS counted
         SET failed_expired = f.expired, failed_other = f.other,
             skipped = CASE WHEN finished_at IS NULL OR skipped + failed_expired + failed_other < f.expired + f.other
                            THEN skipped ELSE skipped + failed_expired + failed_other - f.expired - f.other END
         FROM (SELECT CAST(COALESCE(SUM(CASE WHEN reason = $2 THEN recipients ELSE 0 END), 0) AS BIGINT) AS expired,
                      CAST(COALESCE(SUM(CASE WHEN reason = $2 THEN 0 ELSE recipients END), 0) AS BIGINT) AS other
               FROM send_failures WHERE send_id = $1) AS f
         WHERE counted.id = $1",
        send,
        FailureTally::EXPIRED
    )
    .execute(c)
    .await
    .map(drop)
}

/// A flaw for each of these.
fn flaws(
    what: &str,
    subjects: impl IntoIterator<Item = String>,
    is_repaired: bool,
) -> impl Iterator<Item = Flaw> {
    subjects.into_iter().map(move |subject| Flaw {
        what: format!("{subject}: {what}"),
        is_repaired,
    })
}

/// A send that has ended was for as many recipients as its outcomes count. Who is in none of them was skipped.
async fn check_sums(c: &mut DbConnection, repair: bool) -> sqlx::Result<Vec<Flaw>> {
    const WHAT: &str = "the outcomes do not add up to the recipients";
    let mut repaired = Vec::new();
    if repair {
        repaired = sqlx::query_scalar!(
            r#"UPDATE sends AS checked SET skipped = recipients - sent - failed_expired - failed_other - cancelled
               WHERE finished_at IS NOT NULL
                 AND recipients <> sent + failed_expired + failed_other + skipped + cancelled
                 AND recipients >= sent + failed_expired + failed_other + cancelled
               RETURNING id AS "id!""#
        )
        .fetch_all(&mut *c)
        .await?;
    }
    let left = sqlx::query_scalar!(
        "SELECT id FROM sends AS checked WHERE finished_at IS NOT NULL
           AND recipients <> sent + failed_expired + failed_other + skipped + cancelled
         ORDER BY id"
    )
    .fetch_all(c)
    .await?;
    Ok(flaws(WHAT, repaired, true)
        .chain(flaws(WHAT, left, false))
        .collect())
}

/// A send ends with its last page.
async fn check_ended(c: &mut DbConnection, repair: bool) -> sqlx::Result<Vec<Flaw>> {
    const WHAT: &str = "it has ended, and pages of it are queued";
    let ended = sqlx::query_scalar!(
        "SELECT id FROM sends AS checked WHERE finished_at IS NOT NULL
           AND EXISTS (SELECT 1 FROM jobs WHERE jobs.send_id = checked.id) ORDER BY id"
    )
    .fetch_all(&mut *c)
    .await?;
    if repair && !ended.is_empty() {
        sqlx::query!(
            "DELETE FROM jobs
             WHERE send_id IN (SELECT checked.id FROM sends AS checked WHERE finished_at IS NOT NULL)"
        )
        .execute(c)
        .await?;
    }
    Ok(flaws(WHAT, ended, repair).collect())
}

/// A send that has not ended waits for its time, or has pages.
async fn check_unended(
    c: &mut DbConnection,
    now: UnixMillis,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    const WHAT: &str = "it has not ended, and no page of it is queued";
    let unended = sqlx::query!(
        "SELECT checked.id, checked.app_id FROM sends AS checked CROSS JOIN apps AS p
         WHERE p.id = checked.app_id AND p.deleted_at IS NULL
           AND checked.finished_at IS NULL AND checked.waits_until IS NULL
           AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.send_id = checked.id) ORDER BY checked.id"
    )
    .fetch_all(&mut *c)
    .await?;
    if repair {
        for row in &unended {
            let app = AppId::trusted(row.app_id.clone());
            let send = SendId::trusted(row.id.clone());
            finish(c, (&app, &send), EventReaders::NONE, now).await?;
        }
    }
    let unended = unended.into_iter().map(|row| row.id);
    Ok(flaws(WHAT, unended, repair).collect())
}
