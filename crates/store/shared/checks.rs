//! Counters and indexes against the rows that they are made of.
//!
//! What is counted where: subscriptions and VAPID keys on their app, recipients on their send, tags in blocks of positions. Whoever changes
//! rows changes these in the same transaction, so that a difference at any moment is a flaw.

#[path = "checks/sends.rs"]
mod sends;

use std::fmt::Display;

use async_trait::async_trait;
use hato_domain::{AppId, PositionSet, UnixMillis};
use hato_service::ports::{CheckStore, Flaw, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, check_references, lock_app, readers, snapshot};
use crate::error::with_context;
use crate::reach_blocks::decoded;
use crate::selection::add_block;
use crate::tag_checks::check_tags;
use crate::transaction::transaction;
use sends::{check_failures, check_sends};

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

    async fn check_failures(
        &self,
        kept_from: UnixMillis,
        repair: bool,
    ) -> Result<Vec<Flaw>, StoreError> {
        if repair {
            return transaction!(self, "repair failures", |c| {
                check_failures(c, kept_from, true).await
            });
        }
        let checked = async {
            let mut read = snapshot(self).await?;
            check_failures(&mut read, kept_from, false).await
        };
        checked.await.map_err(with_context("check failures"))
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

async fn check_app(c: &mut DbConnection, app: &AppId, repair: bool) -> sqlx::Result<Vec<Flaw>> {
    let mut flaws = check_counters(c, app, repair).await?;
    flaws.extend(check_tags(c, app, repair).await?);
    flaws.extend(check_reach(c, app, repair).await?);
    flaws.extend(check_missed(c, app, repair).await?);
    Ok(flaws)
}

/// A counter that says another number than its rows.
fn miscounted(subject: impl Display, stored: i64, counted: i64, is_repaired: bool) -> Flaw {
    Flaw {
        what: format!("{subject}: {stored} by the counter, {counted} by the rows"),
        is_repaired,
    }
}

/// What an app's subscriptions and VAPID keys are.
struct Counted {
    active: i64,
    deactivated: i64,
    last_position: i64,
    last_vapid_key: i64,
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
            // These never go down.
            (
                "the last position",
                self.last_position,
                rows.last_position.max(self.last_position),
            ),
            (
                "the last VAPID key",
                self.last_vapid_key,
                rows.last_vapid_key.max(self.last_vapid_key),
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
    let flaw = |(what, stored, counted)| {
        miscounted(format_args!("{app}: {what}"), stored, counted, repair)
    };
    Ok(wrong.into_iter().map(flaw).collect())
}

/// What the app's counters say.
async fn read_counters(c: &mut DbConnection, app: &AppId) -> sqlx::Result<Counted> {
    sqlx::query_as!(
        Counted,
        r#"SELECT active_subscriptions AS "active!", deactivated_subscriptions AS "deactivated!",
                  last_position AS "last_position!", last_vapid_key AS "last_vapid_key!"
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
                  COALESCE(MAX(position), 0) AS "last_position!: i64",
                  (SELECT MAX(number)
                   FROM (SELECT vapid_key AS number FROM apps WHERE id = $1
                         UNION ALL SELECT number FROM vapid_keys WHERE app_id = $1
                         UNION ALL SELECT COALESCE(MAX(vapid_key), 0) FROM subscriptions
                                   WHERE app_id = $1 AND position IS NOT NULL AND vapid_key > 0) AS known)
                  AS "last_vapid_key!: i64"
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
        "UPDATE apps SET active_subscriptions = $2, deactivated_subscriptions = $3, last_position = $4,
                         last_vapid_key = $5
         WHERE id = $1",
        app.as_str(),
        counted.active,
        counted.deactivated,
        stored.last_position.max(counted.last_position),
        stored.last_vapid_key.max(counted.last_vapid_key)
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
