//! Removing what nobody looks at any more of webhooks: attempts beyond the newest of an app, then finished events without one.
//!
//! Which rows these are takes a look at every webhook, so they are looked for before the transaction that removes them.

use hato_service::ports::StoreError;

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::error::with_context;
use crate::transaction::transaction;
use crate::values::number_list;

/// Removes at most `limit` of each kind, of an app's attempts all but the newest `kept`; whether some may be left.
pub(crate) async fn purge(database: &Database, kept: i64, limit: i64) -> Result<bool, StoreError> {
    let context = "look for old attempts";
    let attempts = old_attempts(database, kept, limit).await;
    let attempts = attempts.map_err(with_context(context))?;
    let events = finished_events(database, limit).await;
    let events = events.map_err(with_context(context))?;
    if attempts.is_empty() && events.is_empty() {
        return Ok(false);
    }
    transaction!(database, "remove old attempts", |c| {
        remove(c, &attempts, &events).await
    })?;
    Ok(true)
}

/// From webhook to webhook, a look at the newest of its attempts, and beyond.
async fn old_attempts(database: &Database, kept: i64, limit: i64) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "SELECT a.id FROM webhooks AS w CROSS JOIN webhook_attempts AS a
         WHERE a.app_id = w.app_id
           AND a.id <= (SELECT b.id FROM webhook_attempts AS b WHERE b.app_id = w.app_id
                        ORDER BY b.id DESC LIMIT 1 OFFSET $1)
         LIMIT $2",
        kept,
        limit
    )
    .fetch_all(readers(database))
    .await
}

async fn finished_events(database: &Database, limit: i64) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "SELECT e.id FROM webhook_events AS e
         WHERE e.due_at IS NULL AND e.resend_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM webhook_attempts AS a WHERE a.event_id = e.id)
         LIMIT $1",
        limit
    )
    .fetch_all(readers(database))
    .await
}

/// Removes these attempts, and these events unless they were queued or posted again meanwhile.
async fn remove(c: &mut DbConnection, attempts: &[i64], events: &[i64]) -> sqlx::Result<()> {
    sql!(query ["DELETE FROM webhook_attempts WHERE id IN (" NUMBERS ")"] number_list(attempts)?)
        .execute(&mut *c)
        .await?;
    sql!(query [
        "DELETE FROM webhook_events
         WHERE id IN (" NUMBERS ") AND due_at IS NULL AND resend_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM webhook_attempts AS a WHERE a.event_id = webhook_events.id)"
    ] number_list(events)?)
    .execute(c)
    .await
    .map(drop)
}
