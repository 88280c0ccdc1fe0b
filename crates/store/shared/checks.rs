//! Counters and indexes against the rows that they are made of.
//!
//! What is counted where: subscriptions on their app, recipients on their send, tags in blocks of positions. Whoever changes rows changes
//! these in the same transaction, so that a difference at any moment is a flaw.

use async_trait::async_trait;
use hato_domain::{AppId, PositionSet, SendId, UnixMillis};
use hato_service::ports::{CheckStore, Flaw, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, check_references, lock_app, readers, snapshot};
use crate::error::with_context;
use crate::event_readers::EventReaders;
use crate::reach_blocks::decoded;
use crate::selection::add_block;
use crate::settlement::finish;
use crate::tag_checks::check_tags;
use crate::transaction::transaction;

#[async_trait]
impl CheckStore for Database {
    async fn check_references(&self, repair: bool) -> Result<Vec<Flaw>, StoreError> {
        if repair {
            return transaction!(self, "repair references", |c| {
                check_references(c, true).await
            });
        }
        let checked = async {
            let mut read = snapshot(self).await?;
            check_references(&mut read, false).await
        };
        checked.await.map_err(with_context("check references"))
    }

    async fn check_sends(&self, now: UnixMillis, repair: bool) -> Result<Vec<Flaw>, StoreError> {
        if repair {
            return transaction!(self, "repair sends", |c| check_sends(c, now, true).await);
        }
        let checked = async {
            let mut read = snapshot(self).await?;
            check_sends(&mut read, now, false).await
        };
        checked.await.map_err(with_context("check sends"))
    }

    async fn apps_to_check(
        &self,
        after: Option<AppId>,
        limit: i64,
    ) -> Result<Vec<AppId>, StoreError> {
        let after = after.as_ref().map_or("", AppId::as_str);
        sqlx::query!(
            "SELECT id FROM apps WHERE id > $1 AND deleted_at IS NULL ORDER BY id LIMIT $2",
            after,
            limit
        )
        .map(|row| AppId::trusted(row.id))
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list apps"))
    }

    async fn check_app(&self, app: &AppId, repair: bool) -> Result<Vec<Flaw>, StoreError> {
        if repair {
            let app = app.clone();
            return transaction!(self, "repair an app", |c| {
                // Whoever changes what is counted here waits.
                lock_app(c, &app).await?;
                check_app(c, &app, true).await
            });
        }
        let checked = async {
            let mut read = snapshot(self).await?;
            check_app(&mut read, app, false).await
        };
        checked.await.map_err(with_context("check an app"))
    }
}

async fn check_sends(
    c: &mut DbConnection,
    now: UnixMillis,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    let mut flaws = check_sums(c, repair).await?;
    flaws.extend(check_ended(c, repair).await?);
    flaws.extend(check_unended(c, now, repair).await?);
    Ok(flaws)
}

async fn check_app(c: &mut DbConnection, app: &AppId, repair: bool) -> sqlx::Result<Vec<Flaw>> {
    let mut flaws = check_counters(c, app, repair).await?;
    flaws.extend(check_tags(c, app, repair).await?);
    flaws.extend(check_reach(c, app, repair).await?);
    flaws.extend(check_missed(c, app, repair).await?);
    Ok(flaws)
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
    let unended = sqlx::query_scalar!(
        "SELECT checked.id FROM sends AS checked CROSS JOIN apps AS p
         WHERE p.id = checked.app_id AND p.deleted_at IS NULL
           AND checked.finished_at IS NULL AND checked.waits_until IS NULL
           AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.send_id = checked.id) ORDER BY checked.id"
    )
    .fetch_all(&mut *c)
    .await?;
    if repair {
        for send in &unended {
            finish(c, &SendId::trusted(send.clone()), EventReaders::NONE, now).await?;
        }
    }
    Ok(flaws(WHAT, unended, repair).collect())
}

/// What an app's subscriptions are.
struct Counted {
    active: i64,
    deactivated: i64,
    last_position: i64,
}

impl Counted {
    /// What differs between what is stored here and the rows: its name, and both numbers.
    fn differences(&self, rows: &Self) -> Vec<(&'static str, i64, i64)> {
        let mut found = Vec::new();
        for (what, stored, counted) in [
            ("active subscriptions", self.active, rows.active),
            (
                "deactivated subscriptions",
                self.deactivated,
                rows.deactivated,
            ),
            // It never goes down.
            (
                "the last position",
                self.last_position,
                rows.last_position.max(self.last_position),
            ),
        ] {
            if stored != counted {
                found.push((what, stored, counted));
            }
        }
        found
    }
}

async fn check_counters(
    c: &mut DbConnection,
    app: &AppId,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    let rows = count_rows(c, app).await?;
    let stored = read_counters(c, app).await?;
    let wrong = stored.differences(&rows);
    if repair && !wrong.is_empty() {
        write_counters(c, app, &rows, &stored).await?;
    }
    let flaws = wrong.into_iter().map(|(what, stored, counted)| Flaw {
        what: format!("{app}: {what}: {stored} by the counter, {counted} by the rows"),
        is_repaired: repair,
    });
    Ok(flaws.collect())
}

/// What the app's counters say.
async fn read_counters(c: &mut DbConnection, app: &AppId) -> sqlx::Result<Counted> {
    sqlx::query_as!(
        Counted,
        r#"SELECT active_subscriptions AS "active!", deactivated_subscriptions AS "deactivated!",
                  last_position AS "last_position!"
           FROM apps WHERE id = $1"#,
        app.as_str()
    )
    .fetch_one(c)
    .await
}

async fn count_rows(c: &mut DbConnection, app: &AppId) -> sqlx::Result<Counted> {
    sqlx::query_as!(
        Counted,
        r#"SELECT COUNT(position) AS "active!: i64", COUNT(*) - COUNT(position) AS "deactivated!: i64",
                  COALESCE(MAX(position), 0) AS "last_position!: i64"
           FROM subscriptions WHERE app_id = $1"#,
        app.as_str()
    )
    .fetch_one(c)
    .await
}

async fn write_counters(
    c: &mut DbConnection,
    app: &AppId,
    counted: &Counted,
    stored: &Counted,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE apps SET active_subscriptions = $2, deactivated_subscriptions = $3, last_position = $4
         WHERE id = $1",
        app.as_str(),
        counted.active,
        counted.deactivated,
        stored.last_position.max(counted.last_position)
    )
    .execute(c)
    .await
    .map(drop)
}

fn unreadable(what: &str, is_repaired: bool) -> Flaw {
    Flaw {
        what: format!("{what} cannot be read"),
        is_repaired,
    }
}

/// What cannot be read tells nothing. Repairing removes it: later sends tell again.
async fn check_reach(c: &mut DbConnection, app: &AppId, repair: bool) -> sqlx::Result<Vec<Flaw>> {
    let rows = sqlx::query!(
        r#"SELECT block AS "block!", answers AS "answers!" FROM reach WHERE app_id = $1 ORDER BY block"#,
        app.as_str()
    )
    .fetch_all(&mut *c)
    .await?;
    let mut found = Vec::new();
    for row in rows {
        if decoded(row.block, &row.answers).is_ok() {
            continue;
        }
        if repair {
            forget_reach(c, app, row.block).await?;
        }
        let what = format!("{app}: block {} of the reach", row.block);
        found.push(unreadable(&what, repair));
    }
    Ok(found)
}

async fn forget_reach(c: &mut DbConnection, app: &AppId, block: i64) -> sqlx::Result<()> {
    let delete = sqlx::query!(
        "DELETE FROM reach WHERE app_id = $1 AND block = $2",
        app.as_str(),
        block
    );
    delete.execute(c).await.map(drop)
}

/// The same of those who failed and left no dead letter. Of a send that has lost some of them, nothing is told.
async fn check_missed(c: &mut DbConnection, app: &AppId, repair: bool) -> sqlx::Result<Vec<Flaw>> {
    let rows = sqlx::query!(
        r#"SELECT m.send_id AS "send_id!", m.block AS "block!", m.positions AS "positions!"
           FROM sends AS s CROSS JOIN send_missed AS m
           WHERE s.app_id = $1 AND m.send_id = s.id ORDER BY m.send_id, m.block"#,
        app.as_str()
    )
    .fetch_all(&mut *c)
    .await?;
    let mut found = Vec::new();
    for row in rows {
        if add_block(&mut PositionSet::default(), row.block, &row.positions).is_ok() {
            continue;
        }
        if repair {
            forget_missed(c, &row.send_id, row.block).await?;
        }
        let what = format!("{}: block {} of those who failed", row.send_id, row.block);
        found.push(unreadable(&what, repair));
    }
    Ok(found)
}

async fn forget_missed(c: &mut DbConnection, send: &str, block: i64) -> sqlx::Result<()> {
    sqlx::query!("UPDATE sends SET missed = 0 WHERE id = $1", send)
        .execute(&mut *c)
        .await?;
    sqlx::query!(
        "DELETE FROM send_missed WHERE send_id = $1 AND block = $2",
        send,
        block
    )
    .execute(c)
    .await
    .map(drop)
}
