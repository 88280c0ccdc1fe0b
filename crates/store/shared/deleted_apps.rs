//! Deleting apps: gone for everybody at once, and their rows removed a few at a time, so that no transaction is long.
//!
//! The mark alone makes an app act no more: who reads a key or a send, claims a job or settles a page asks for it. Only the place
//! of its webhook among those to be posted is removed with it.

use hato_domain::{AccountId, AppId, UnixMillis};

use crate::dialect::{DbConnection, lock_app_alone, lock_apps_alone};

/// Jobs that leave the queue at a time.
const MAX_DISCARDED_JOBS: i64 = 500;

/// Marks the app, which thereby is gone; `false` when there is no such app.
pub(crate) async fn mark_deleted(
    c: &mut DbConnection,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    let app = app.as_str();
    lock_app_alone(c, app).await?;
    let marked = sqlx::query!(
        "UPDATE apps SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL",
        app,
        now.0
    );
    if marked.execute(&mut *c).await?.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query!("DELETE FROM webhooks WHERE app_id = $1", app)
        .execute(c)
        .await?;
    Ok(true)
}

/// Marks every app of the account.
pub(crate) async fn mark_all_deleted(
    c: &mut DbConnection,
    account: &AccountId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let account = account.as_str();
    lock_apps_alone(c, account).await?;
    sqlx::query!(
        "DELETE FROM webhooks WHERE app_id IN (SELECT id FROM apps WHERE account_id = $1)",
        account
    )
    .execute(&mut *c)
    .await?;
    sqlx::query!(
        "UPDATE apps SET deleted_at = $2 WHERE account_id = $1 AND deleted_at IS NULL",
        account,
        now.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Takes some jobs of a deleted app out of the queue, where somebody came upon one of them.
pub(crate) async fn discard_jobs(c: &mut DbConnection, app: &str) -> sqlx::Result<()> {
    purge_jobs(c, app, MAX_DISCARDED_JOBS).await.map(drop)
}

/// Removes at most `limit` rows of the app that was deleted first, itself last; whether some may be left. When no app is
/// left, what is left of deleted accounts.
pub(crate) async fn purge(c: &mut DbConnection, limit: i64) -> sqlx::Result<bool> {
    let first = sqlx::query_scalar!(
        "SELECT id FROM apps WHERE deleted_at IS NOT NULL ORDER BY deleted_at, id LIMIT 1"
    );
    let Some(app) = first.fetch_optional(&mut *c).await? else {
        purge_accounts(c, limit).await?;
        return Ok(false);
    };
    let app = app.as_str();
    let mut rest = limit;
    rest -= purge_sending(c, app, rest).await?;
    rest -= purge_audience(c, app, rest).await?;
    rest -= purge_reporting(c, app, rest).await?;
    if rest > 0 {
        sqlx::query!("DELETE FROM apps WHERE id = $1", app)
            .execute(c)
            .await?;
    }
    Ok(true)
}

/// Removes what sends need, and they themselves. Returns how many rows these were, as the others do.
async fn purge_sending(c: &mut DbConnection, app: &str, limit: i64) -> sqlx::Result<i64> {
    let mut rest = limit - purge_jobs(c, app, limit).await?;
    rest -= purge_keys(c, app, rest).await?;
    rest -= purge_idempotency_keys(c, app, rest).await?;
    rest -= purge_dead_letters(c, app, rest).await?;
    rest -= purge_failures(c, app, rest).await?;
    rest -= purge_send_positions(c, app, rest).await?;
    rest -= purge_send_missed(c, app, rest).await?;
    rest -= purge_engaged_recipients(c, app, rest).await?;
    rest -= purge_sends(c, app, rest).await?;
    Ok(limit - rest)
}

/// Removes the subscriptions, and what is kept of them by position.
async fn purge_audience(c: &mut DbConnection, app: &str, limit: i64) -> sqlx::Result<i64> {
    let mut rest = limit - purge_refusals(c, app, limit).await?;
    rest -= purge_tag_positions(c, app, rest).await?;
    rest -= purge_reach(c, app, rest).await?;
    rest -= purge_active_subscriptions(c, app, rest).await?;
    rest -= purge_deactivated_subscriptions(c, app, rest).await?;
    Ok(limit - rest)
}

/// Removes histories, counts and events, and what else the app's pages showed.
async fn purge_reporting(c: &mut DbConnection, app: &str, limit: i64) -> sqlx::Result<i64> {
    let mut rest = limit - purge_key_events(c, app, limit).await?;
    rest -= purge_daily_counts(c, app, rest).await?;
    rest -= purge_daily_subscribers(c, app, rest).await?;
    rest -= purge_recent_counts(c, app, rest).await?;
    rest -= purge_recent_subscribers(c, app, rest).await?;
    rest -= purge_webhook_attempts(c, app, rest).await?;
    rest -= purge_webhook_events(c, app, rest).await?;
    rest -= purge_listener_events(c, app, rest).await?;
    rest -= purge_listeners(c, app, rest).await?;
    rest -= purge_vapid_keys(c, app, rest).await?;
    rest -= purge_pictures(c, app, rest).await?;
    Ok(limit - rest)
}

/// Removes what is left of at most `limit` deleted accounts that have no apps any more.
async fn purge_accounts(c: &mut DbConnection, limit: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM accounts WHERE id IN
           (SELECT a.id FROM accounts AS a
            WHERE a.deleted_at IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM apps AS p WHERE p.account_id = a.id)
            ORDER BY a.deleted_at LIMIT $1)",
        limit
    )
    .execute(c)
    .await
    .map(drop)
}

/// Functions that remove at most `limit` rows of an app, and return how many they have removed.
macro_rules! purge {
    ($(#[$doc:meta])* $name:ident, $statement:tt) => {
        $(#[$doc])*
        async fn $name(c: &mut DbConnection, app: &str, limit: i64) -> sqlx::Result<i64> {
            let removed = sqlx::query!($statement, app, limit).execute(c).await?;
            Ok(i64::try_from(removed.rows_affected()).unwrap_or(i64::MAX))
        }
    };
}

purge!(
    purge_jobs,
    "DELETE FROM jobs WHERE id IN
       (SELECT id FROM jobs WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_listener_events,
    "DELETE FROM heard_events WHERE id IN
       (SELECT id FROM heard_events WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_listeners,
    "DELETE FROM listeners WHERE id IN
       (SELECT id FROM listeners WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_vapid_keys,
    "DELETE FROM vapid_keys WHERE app_id = $1 AND number IN
       (SELECT number FROM vapid_keys WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_pictures,
    "DELETE FROM pictures WHERE app_id = $1 AND name IN
       (SELECT name FROM pictures WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_keys,
    "DELETE FROM api_keys WHERE id IN
       (SELECT id FROM api_keys WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_idempotency_keys,
    "DELETE FROM idempotency_keys WHERE app_id = $1 AND (path, key) IN
       (SELECT path, key FROM idempotency_keys WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_dead_letters,
    "DELETE FROM dead_letters WHERE id IN
       (SELECT id FROM dead_letters WHERE app_id = $1 LIMIT $2)"
);
purge!(
    /// Those of the sends that come next. When fewer than `limit` are removed, these sends have none any more.
    purge_failures,
    "DELETE FROM send_failures WHERE (send_id, host, reason) IN
       (SELECT f.send_id, f.host, f.reason
        FROM (SELECT id FROM sends WHERE app_id = $1 ORDER BY created_at, id LIMIT $2) AS s
             JOIN send_failures AS f ON f.send_id = s.id
        LIMIT $2)"
);
purge!(
    /// The same, for the recipients of sends to a part of the audience.
    purge_send_positions,
    "DELETE FROM send_positions WHERE (send_id, block) IN
       (SELECT r.send_id, r.block
        FROM (SELECT id FROM sends WHERE app_id = $1 ORDER BY created_at, id LIMIT $2) AS s
             JOIN send_positions AS r ON r.send_id = s.id
        LIMIT $2)"
);
purge!(
    /// The same, for those who failed and left no dead letter.
    purge_send_missed,
    "DELETE FROM send_missed WHERE (send_id, block) IN
       (SELECT r.send_id, r.block
        FROM (SELECT id FROM sends WHERE app_id = $1 ORDER BY created_at, id LIMIT $2) AS s
             JOIN send_missed AS r ON r.send_id = s.id
        LIMIT $2)"
);
purge!(
    /// The same, for those who were counted.
    purge_engaged_recipients,
    "DELETE FROM engaged_recipients WHERE (send_id, engagement, hour, block) IN
       (SELECT r.send_id, r.engagement, r.hour, r.block
        FROM (SELECT id FROM sends WHERE app_id = $1 ORDER BY created_at, id LIMIT $2) AS s
             JOIN engaged_recipients AS r ON r.send_id = s.id
        LIMIT $2)"
);
purge!(
    purge_tag_positions,
    "DELETE FROM tag_positions WHERE app_id = $1 AND (tag, block) IN
       (SELECT tag, block FROM tag_positions WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_reach,
    "DELETE FROM reach WHERE app_id = $1 AND block IN
       (SELECT block FROM reach WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_sends,
    "DELETE FROM sends WHERE id IN
       (SELECT id FROM sends WHERE app_id = $1 ORDER BY created_at, id LIMIT $2)"
);
purge!(
    purge_refusals,
    "DELETE FROM refusals WHERE subscription_id IN
       (SELECT subscription_id FROM refusals WHERE app_id = $1 LIMIT $2)"
);
purge!(
    /// In the order in which they lie beside each other, so that few pages of the file change.
    purge_active_subscriptions,
    "DELETE FROM subscriptions WHERE id IN
       (SELECT id FROM subscriptions WHERE app_id = $1 AND position IS NOT NULL
        ORDER BY position LIMIT $2)"
);
purge!(
    purge_deactivated_subscriptions,
    "DELETE FROM subscriptions WHERE id IN
       (SELECT id FROM subscriptions WHERE app_id = $1 AND position IS NULL
        ORDER BY deactivated_at LIMIT $2)"
);
purge!(
    purge_key_events,
    "DELETE FROM key_events WHERE id IN
       (SELECT id FROM key_events WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_daily_counts,
    "DELETE FROM daily_counts WHERE app_id = $1 AND day IN
       (SELECT day FROM daily_counts WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_daily_subscribers,
    "DELETE FROM daily_subscribers WHERE app_id = $1 AND day IN
       (SELECT day FROM daily_subscribers WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_recent_counts,
    "DELETE FROM recent_counts WHERE app_id = $1 AND quarter IN
       (SELECT quarter FROM recent_counts WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_recent_subscribers,
    "DELETE FROM recent_subscribers WHERE app_id = $1 AND quarter IN
       (SELECT quarter FROM recent_subscribers WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_webhook_attempts,
    "DELETE FROM webhook_attempts WHERE id IN
       (SELECT id FROM webhook_attempts WHERE app_id = $1 LIMIT $2)"
);
purge!(
    purge_webhook_events,
    "DELETE FROM webhook_events WHERE id IN
       (SELECT id FROM webhook_events WHERE app_id = $1 LIMIT $2)"
);
