//! Removing subscriptions that have not been active for long.
//!
//! Which rows these are takes a look at their apps' events, so they are looked for before the transaction that removes them.

use std::collections::BTreeMap;

use hato_domain::UnixMillis;
use hato_service::ports::{DeactivationCursor, RecipientId, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::error::with_context;
use crate::subscription_counts::change_counts;
use crate::transaction::transaction;
use crate::values::number_list;

/// Looks at up to `limit` that were deactivated before, from `after` on, and removes those whom no event may name; where to go on, if
/// there may be more.
pub(crate) async fn purge(
    database: &Database,
    before: UnixMillis,
    after: Option<DeactivationCursor>,
    limit: u32,
) -> Result<Option<DeactivationCursor>, StoreError> {
    let scanned = deactivated_subscriptions(database, before, after, limit.into()).await;
    let scanned = scanned.map_err(with_context("look for old subscriptions"))?;
    let is_last = scanned.len() < usize::try_from(limit).unwrap_or(usize::MAX);
    let next = scanned.last().map(DeactivatedRow::cursor);
    let unnamed = scanned.iter().filter(|row| !row.may_be_named);
    let unnamed: Vec<i64> = unnamed.map(|row| row.id).collect();
    if !unnamed.is_empty() {
        transaction!(database, "remove old subscriptions", |c| {
            remove_deactivated(c, &unnamed, before).await
        })?;
    }
    Ok(next.filter(|_| !is_last))
}

/// A subscription that is not active.
struct DeactivatedRow {
    id: i64,
    deactivated_at: i64,
    may_be_named: bool,
}

impl DeactivatedRow {
    fn cursor(&self) -> DeactivationCursor {
        DeactivationCursor {
            at: UnixMillis(self.deactivated_at),
            recipient: RecipientId(self.id),
        }
    }
}

/// Those that were deactivated first, and whether an event may name them: their app has one that has waited for so long. What is
/// posted is read from their rows. The hour covers pages that were in flight when a subscription ended.
async fn deactivated_subscriptions(
    database: &Database,
    before: UnixMillis,
    after: Option<DeactivationCursor>,
    limit: i64,
) -> sqlx::Result<Vec<DeactivatedRow>> {
    let (after_time, after_id) = after.map_or((i64::MIN, i64::MIN), |it| (it.at.0, it.recipient.0));
    sqlx::query_as!(
        DeactivatedRow,
        r#"SELECT s.id, s.deactivated_at AS "deactivated_at!",
                  EXISTS (SELECT 1 FROM webhook_events AS e
                          WHERE e.app_id = s.app_id AND e.due_at IS NOT NULL
                            AND e.created_at < CAST($1 AS BIGINT) + 3600000) AS "may_be_named!: bool"
           FROM subscriptions AS s
           WHERE s.position IS NULL AND s.deactivated_at < $1 AND (s.deactivated_at, s.id) > ($2, $3)
           ORDER BY s.deactivated_at, s.id LIMIT $4"#,
        before.0,
        after_time,
        after_id,
        limit
    )
    .fetch_all(readers(database))
    .await
}

/// Removes those of these subscriptions that have not come back meanwhile, and takes them off the counts of their apps.
async fn remove_deactivated(
    c: &mut DbConnection,
    subscriptions: &[i64],
    before: UnixMillis,
) -> sqlx::Result<()> {
    let apps = sql!(query_scalar [
        r#"DELETE FROM subscriptions
           WHERE id IN ("# NUMBERS r#") AND position IS NULL AND deactivated_at < $2
           RETURNING app_id AS "app_id!""#
    ] number_list(subscriptions)?, before.0)
    .fetch_all(&mut *c)
    .await?;
    let mut removed: BTreeMap<String, i64> = BTreeMap::new();
    for app in apps {
        *removed.entry(app).or_default() += 1;
    }
    for (app, count) in removed {
        change_counts(c, &app, (0, -count)).await?;
    }
    Ok(())
}
