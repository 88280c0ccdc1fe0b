//! Listeners, and the events that are written for them.
//!
//! Whoever writes for an app's listeners or adds one waits for the end of the transaction of whoever did so before. So the numbers of
//! an app's events are in the order of their commits: who has read one has missed none before it.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{
    ListenerRecord, ListenerStore, MAX_ACCOUNT_LISTENERS, MAX_LISTENERS, StoreError, WebhookEvent,
};

use crate::Database;
use crate::dialect::{DbConnection, lock_account_listeners, lock_listeners, readers};
use crate::error::with_context;
use crate::shared_clock::SharedClock;
use crate::stored_event::{EventRow, NewEvent};
use crate::transaction::transaction;

#[async_trait]
impl ListenerStore for Database {
    async fn add_listener(
        &self,
        app: &AppId,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Result<Option<ListenerRecord>, StoreError> {
        let app = app.clone();
        let (now, expires_at) = by_others(self, now, expires_at);
        transaction!(self, "add a listener", |c| {
            add(c, &app, now, expires_at).await
        })
    }

    async fn renew_listener(
        &self,
        listener: ListenerRecord,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Result<bool, StoreError> {
        let (now, expires_at) = by_others(self, now, expires_at);
        transaction!(self, "renew a listener", |c| {
            let renewed = sqlx::query!(
                "UPDATE listeners SET expires_at = $3 WHERE id = $1 AND expires_at > $2",
                listener.id,
                now.0,
                expires_at.0
            );
            Ok(renewed.execute(c).await?.rows_affected() == 1)
        })
    }

    async fn remove_listener(&self, listener: ListenerRecord) -> Result<(), StoreError> {
        transaction!(self, "remove a listener", |c| {
            let removed = sqlx::query!("DELETE FROM listeners WHERE id = $1", listener.id);
            removed.execute(c).await.map(drop)
        })
    }

    async fn listener_events(
        &self,
        app: &AppId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<WebhookEvent>, StoreError> {
        let (app, limit) = (app.as_str(), i64::from(limit));
        sqlx::query_as!(
            EventRow,
            r#"SELECT id, public_id, type AS kind, send_id, content, created_at,
                      0 AS "attempts!: i64", 0 AS "resends!: i64", NULL AS "resend_at?: i64"
               FROM heard_events WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3"#,
            app,
            after,
            limit
        )
        .try_map(EventRow::into_event)
        .fetch_all(readers(self))
        .await
        .map_err(with_context("read events for a listener"))
    }

    async fn purge_listener_events(
        &self,
        created_before: UnixMillis,
        now: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError> {
        let limit = i64::from(limit);
        transaction!(self, "remove what was heard", |c| {
            purge(c, created_before, now, limit).await
        })
    }
}

/// The same moments on the clock of those who write events: where this one is far off, a listener would be none to them.
fn by_others(
    database: &Database,
    now: UnixMillis,
    expires_at: UnixMillis,
) -> (UnixMillis, UnixMillis) {
    let clock = SharedClock::at(database, now);
    (clock.shared(now), clock.shared(expires_at))
}

async fn add(
    c: &mut DbConnection,
    app: &AppId,
    now: UnixMillis,
    expires_at: UnixMillis,
) -> sqlx::Result<Option<ListenerRecord>> {
    lock_account_listeners(c, app).await?;
    lock_listeners(c, app).await?;
    let app = app.as_str();
    sqlx::query_as!(
        ListenerRecord,
        r#"INSERT INTO listeners (app_id, expires_at)
           SELECT p.id, CAST($3 AS BIGINT) FROM apps AS p
           WHERE p.id = $1 AND p.deleted_at IS NULL
             AND (SELECT COUNT(*) FROM listeners AS l WHERE l.app_id = $1 AND l.expires_at > $2) < $4
             AND (SELECT COUNT(*) FROM apps AS own JOIN listeners AS l ON l.app_id = own.id
                  WHERE own.account_id = p.account_id AND l.expires_at > $2) < $5
           RETURNING id AS "id!",
                     (SELECT COALESCE(MAX(e.id), 0) FROM heard_events AS e WHERE e.app_id = $1)
                     AS "after!: i64""#,
        app,
        now.0,
        expires_at.0,
        MAX_LISTENERS,
        MAX_ACCOUNT_LISTENERS
    )
    .fetch_optional(c)
    .await
}

/// Writes an event for the app's listeners.
pub(crate) async fn insert_listener_event(
    c: &mut DbConnection,
    id: &str,
    event: &NewEvent<'_>,
) -> sqlx::Result<()> {
    lock_listeners(c, event.app).await?;
    let (app, kind) = (event.app.as_str(), event.kind.as_str());
    let send = event.send.map(hato_domain::SendId::as_str);
    sqlx::query!(
        "INSERT INTO heard_events (public_id, app_id, type, send_id, content, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        app,
        kind,
        send,
        event.content,
        event.now.0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn purge_listeners(c: &mut DbConnection, now: UnixMillis, limit: i64) -> sqlx::Result<u64> {
    let listeners = sqlx::query!(
        "DELETE FROM listeners WHERE id IN
           (SELECT id FROM listeners WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
           AND expires_at <= $1",
        now.0,
        limit
    );
    Ok(listeners.execute(c).await?.rows_affected())
}

async fn purge(
    c: &mut DbConnection,
    created_before: UnixMillis,
    now: UnixMillis,
    limit: i64,
) -> sqlx::Result<bool> {
    let events = sqlx::query!(
        "DELETE FROM heard_events WHERE id IN
           (SELECT id FROM heard_events WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        created_before.0,
        limit
    );
    let events = events.execute(&mut *c).await?.rows_affected();
    let listeners = purge_listeners(c, now, limit).await?;
    let most = events.max(listeners);
    Ok(i64::try_from(most).unwrap_or(i64::MAX) >= limit)
}
