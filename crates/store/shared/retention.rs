//! Removing what is too old, a few rows at a time, so that no transaction is long.

use async_trait::async_trait;
use hato_domain::UnixMillis;
use hato_service::ports::{RetentionStore, StoreError};

use crate::Database;
use crate::dialect::transaction;

/// Removes at most `$2` rows from before the moment `$1`, and returns whether that many were removed: then there may be more.
/// Each statement chooses its rows in the order of an index, so that it looks at no others.
macro_rules! purge {
    ($c:expr, $before:expr, $limit:expr, $statement:literal) => {{
        let limit = i64::from($limit);
        let removed = sqlx::query!($statement, $before.0, limit)
            .execute(&mut *$c)
            .await?;
        i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX) >= limit
    }};
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
                    FROM (SELECT id FROM sends WHERE finished_at IS NOT NULL AND created_at < $1
                          ORDER BY created_at, id LIMIT $2) AS s
                         JOIN dead_letters AS d ON d.send_id = s.id
                    LIMIT $2)"
            ) || purge!(
                c,
                before,
                limit,
                "DELETE FROM send_failures WHERE (send_id, host, reason) IN
                   (SELECT f.send_id, f.host, f.reason
                    FROM (SELECT id FROM sends WHERE finished_at IS NOT NULL AND created_at < $1
                          ORDER BY created_at, id LIMIT $2) AS s
                         JOIN send_failures AS f ON f.send_id = s.id
                    LIMIT $2)"
            ) || purge!(
                c,
                before,
                limit,
                "DELETE FROM sends WHERE id IN
                   (SELECT id FROM sends WHERE finished_at IS NOT NULL AND created_at < $1
                    ORDER BY created_at, id LIMIT $2)"
            ))
        })
    }

    async fn purge_deactivated_subscriptions(
        &self,
        before: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError> {
        transaction!(self, "remove old subscriptions", |c| {
            // Not those of an app with an event that has waited for so long that it may name them: what is posted is read from
            // their rows. The hour covers pages that were in flight when a subscription ended.
            Ok(purge!(
                c,
                before,
                limit,
                "DELETE FROM subscriptions WHERE id IN
                   (SELECT s.id FROM subscriptions AS s
                    WHERE s.position IS NULL AND s.deactivated_at < $1
                      AND NOT EXISTS (SELECT 1 FROM webhook_events AS e
                                      WHERE e.app_id = s.app_id AND e.due_at IS NOT NULL
                                        AND e.created_at < $1 + 3600000)
                    ORDER BY s.deactivated_at LIMIT $2)"
            ))
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
                    ORDER BY expires_at LIMIT $2)"
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
                "DELETE FROM idempotency_keys WHERE (app_id, path, key) IN
                   (SELECT app_id, path, key FROM idempotency_keys WHERE created_at <= $1
                    ORDER BY created_at LIMIT $2)"
            ))
        })
    }
}
