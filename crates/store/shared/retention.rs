//! Removing what is too old, a few rows at a time, so that no transaction is long.

use async_trait::async_trait;
use hato_domain::UnixMillis;
use hato_service::ports::{RetentionStore, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, write};

#[async_trait]
impl RetentionStore for Database {
    async fn purge_sends(&self, before: UnixMillis, limit: u32) -> Result<bool, StoreError> {
        write(self, "remove old sends", move |c| {
            Box::pin(purge_sends(c, before.0, limit.into()))
        })
        .await
    }

    async fn purge_deactivated_subscriptions(
        &self,
        before: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError> {
        write(self, "remove old subscriptions", move |c| {
            Box::pin(subscriptions(c, before.0, limit.into()))
        })
        .await
    }

    async fn purge_sessions(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError> {
        write(self, "remove ended sessions", move |c| {
            Box::pin(sessions(c, now.0, limit.into()))
        })
        .await
    }

    async fn purge_github_logins(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError> {
        write(self, "remove unfinished logins", move |c| {
            Box::pin(github_logins(c, now.0, limit.into()))
        })
        .await
    }

    async fn purge_idempotency_keys(
        &self,
        before: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError> {
        write(self, "remove old names of requests", move |c| {
            Box::pin(idempotency_keys(c, before.0, limit.into()))
        })
        .await
    }
}

/// What hangs on the sends goes first: a send is removed when nothing does any more.
async fn purge_sends(c: &mut DbConnection, before: i64, limit: i64) -> sqlx::Result<bool> {
    if dead_letters(c, before, limit).await? || tallies(c, before, limit).await? {
        return Ok(true);
    }
    sends(c, before, limit).await
}

/// Functions that remove at most `limit` rows from before a moment, and return whether that many were removed.
macro_rules! purge {
    ($(#[$doc:meta])* $name:ident, $statement:tt) => {
        $(#[$doc])*
        async fn $name(c: &mut DbConnection, before: i64, limit: i64) -> sqlx::Result<bool> {
            let removed = sqlx::query!($statement, before, limit).execute(c).await?;
            Ok(i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX) >= limit)
        }
    };
}

purge!(
    dead_letters,
    "DELETE FROM dead_letters WHERE id IN
       (SELECT d.id
        FROM (SELECT id FROM sends WHERE finished_at IS NOT NULL AND created_at < $1
              ORDER BY created_at, id LIMIT $2) AS s
             JOIN dead_letters AS d ON d.send_id = s.id
        LIMIT $2)"
);
purge!(
    tallies,
    "DELETE FROM send_failures WHERE (send_id, host, reason) IN
       (SELECT f.send_id, f.host, f.reason
        FROM (SELECT id FROM sends WHERE finished_at IS NOT NULL AND created_at < $1
              ORDER BY created_at, id LIMIT $2) AS s
             JOIN send_failures AS f ON f.send_id = s.id
        LIMIT $2)"
);
purge!(
    sends,
    "DELETE FROM sends WHERE id IN
       (SELECT id FROM sends WHERE finished_at IS NOT NULL AND created_at < $1
        ORDER BY created_at, id LIMIT $2)"
);
purge!(
    /// Not those of an app with an event that waits for so long that it may name them: what is posted comes from their rows.
    subscriptions,
    "DELETE FROM subscriptions WHERE id IN
       (SELECT s.id FROM subscriptions AS s WHERE s.position IS NULL AND s.deactivated_at < $1
          AND NOT EXISTS (SELECT 1 FROM webhook_events AS e
                          WHERE e.app_id = s.app_id AND e.due_at IS NOT NULL
                            AND e.created_at < $1 + 3600000)
        ORDER BY s.deactivated_at LIMIT $2)"
);
purge!(
    sessions,
    "DELETE FROM sessions WHERE token_hash IN
       (SELECT token_hash FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)"
);
purge!(
    github_logins,
    "DELETE FROM github_logins WHERE state_hash IN
       (SELECT state_hash FROM github_logins WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)"
);
purge!(
    idempotency_keys,
    "DELETE FROM idempotency_keys WHERE (app_id, path, key) IN
       (SELECT app_id, path, key FROM idempotency_keys WHERE created_at <= $1
        ORDER BY created_at LIMIT $2)"
);
