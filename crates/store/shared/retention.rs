//! Removing what is too old, a few rows at a time, so that no transaction is long. What takes a look at many rows to find is looked
//! for before the transaction.

use async_trait::async_trait;
use hato_domain::UnixMillis;
use hato_service::ports::{DeactivationCursor, RetentionStore, StoreError};

use crate::Database;
use crate::dialect::{readers, sql};
use crate::error::with_context;
use crate::reach::record_reach;
use crate::subscription_purge;
use crate::transaction::transaction;
use crate::values::number_list;

/// Removes at most `$2` rows from before the moment `$1`, and returns whether that many were removed: then there may be more.
/// Each statement chooses its rows in the order of an index, so that it looks at no others.
macro_rules! purge {
    ($c:expr, $before:expr, $limit:expr, $statement:literal) => {
        purge!($c, $before, $limit, [$statement])
    };
    ($c:expr, $before:expr, $limit:expr, [$($text:tt)*]) => {{
        let limit = i64::from($limit);
        let removed = sql!(query [$($text)*] $before.0, limit)
            .execute(&mut *$c)
            .await?;
        i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX) >= limit
    }};
}

/// Removes rows of a table that belong to the sends that come next, which are found by the columns of the key.
macro_rules! purge_of_sends {
    ($c:expr, $before:expr, $limit:expr, $table:tt, $key:tt) => {
        purge!($c, $before, $limit,
            ["DELETE FROM " $table " WHERE (" $key ") IN
               (SELECT " $key "
                FROM (SELECT id FROM sends WHERE finished_at IS NOT NULL AND COALESCE(send_at, created_at) < $1
                      ORDER BY COALESCE(send_at, created_at), id LIMIT $2) AS s
                     JOIN " $table " AS r ON r.send_id = s.id
                LIMIT $2)"])
    };
}

/// Removes rows of a table that counts by quarter of an hour.
macro_rules! purge_quarters {
    ($c:expr, $before:expr, $limit:expr, $table:tt) => {
        purge!($c, $before, $limit,
            ["DELETE FROM " $table " WHERE (app_id, quarter) IN
               (SELECT app_id, quarter FROM " $table " WHERE quarter < CAST($1 AS BIGINT) / 900000
                ORDER BY quarter LIMIT $2)"])
    };
}

#[async_trait]
impl RetentionStore for Database {
    async fn purge_sends(&self, before: UnixMillis, limit: u32) -> Result<bool, StoreError> {
        transaction!(self, "remove old sends", |c| {
            // What hangs on the sends goes first: a send is removed when nothing does any more.
            Ok(purge!(
                c,
                before,
                limit,
                "DELETE FROM dead_letters WHERE id IN
                   (SELECT d.id
                    FROM (SELECT id FROM sends WHERE finished_at IS NOT NULL AND COALESCE(send_at, created_at) < $1
                          ORDER BY COALESCE(send_at, created_at), id LIMIT $2) AS s
                         JOIN dead_letters AS d ON d.send_id = s.id
                    LIMIT $2)"
            ) || purge_of_sends!(c, before, limit, "send_failures", "send_id, host, reason")
                || purge_of_sends!(c, before, limit, "send_positions", "send_id, block")
                || purge_of_sends!(c, before, limit, "send_missed", "send_id, block")
                || purge_of_sends!(c, before, limit, "engaged_recipients", "send_id, engagement, hour, block")
                || purge!(
                    c,
                    before,
                    limit,
                    "DELETE FROM sends WHERE id IN
                       (SELECT id FROM sends WHERE finished_at IS NOT NULL AND COALESCE(send_at, created_at) < $1
                        ORDER BY COALESCE(send_at, created_at), id LIMIT $2)"
                ))
        })
    }

    async fn purge_deactivated_subscriptions(
        &self,
        before: UnixMillis,
        after: Option<DeactivationCursor>,
        limit: u32,
    ) -> Result<Option<DeactivationCursor>, StoreError> {
        subscription_purge::purge(self, before, after, limit).await
    }

    async fn end_old_events(
        &self,
        before: UnixMillis,
        under_review: UnixMillis,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let old = old_events(self, before, under_review, limit.into()).await;
        let old = old.map_err(with_context("look for old events"))?;
        if old.is_empty() {
            return Ok(0);
        }
        transaction!(self, "end old events", |c| {
            let ended = sql!(query [
                "UPDATE webhook_events SET due_at = NULL WHERE id IN (" NUMBERS ") AND due_at IS NOT NULL"
            ] number_list(&old)?);
            Ok(ended.execute(c).await?.rows_affected())
        })
    }

    async fn purge_sessions(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError> {
        transaction!(self, "remove ended sessions", |c| {
            Ok(purge!(
                c,
                now,
                limit,
                "DELETE FROM sessions WHERE token_hash IN
                   (SELECT token_hash FROM sessions WHERE expires_at <= $1
                    ORDER BY expires_at LIMIT $2)
                 AND expires_at <= $1"
            ))
        })
    }

    async fn purge_github_logins(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError> {
        transaction!(self, "remove unfinished logins", |c| {
            Ok(purge!(
                c,
                now,
                limit,
                "DELETE FROM github_logins WHERE state_hash IN
                   (SELECT state_hash FROM github_logins WHERE expires_at <= $1
                    ORDER BY expires_at LIMIT $2)"
            ))
        })
    }

    async fn purge_idempotency_keys(
        &self,
        before: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError> {
        transaction!(self, "remove old idempotency keys", |c| {
            Ok(purge!(
                c,
                before,
                limit,
                // One that is taken anew meanwhile is kept.
                "DELETE FROM idempotency_keys WHERE created_at <= $1 AND (app_id, path, key) IN
                   (SELECT app_id, path, key FROM idempotency_keys WHERE created_at <= $1
                    ORDER BY created_at LIMIT $2)"
            ))
        })
    }

    async fn purge_recent_counts(
        &self,
        before: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError> {
        transaction!(self, "remove old counts", |c| {
            Ok(purge_quarters!(c, before, limit, "recent_counts")
                || purge_quarters!(c, before, limit, "recent_subscribers"))
        })
    }

    async fn record_reach(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError> {
        transaction!(self, "record who took finished sends", |c| {
            record_reach(c, now, limit.into()).await
        })
    }
}

/// Events that were written before and wait, from outbox to outbox: the oldest of each is found by an index.
async fn old_events(
    database: &Database,
    before: UnixMillis,
    under_review: UnixMillis,
    limit: i64,
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "SELECT e.id FROM webhooks AS w CROSS JOIN apps AS p CROSS JOIN webhook_events AS e
         WHERE p.id = w.app_id AND e.app_id = w.app_id AND e.due_at IS NOT NULL
           AND e.created_at < $1 AND (p.review_since IS NULL OR e.created_at < $2) LIMIT $3",
        before.0,
        under_review.0,
        limit
    )
    .fetch_all(readers(database))
    .await
}
