//! What happened to API keys. Events outlive their key.

use hato_domain::{AppId, KeyEventId, KeyId, PageRequest, UnixMillis};
use hato_service::access::ActorRecord;
use hato_service::ports::{KeyEventKind, KeyEventRecord};

use crate::Database;
use crate::dialect::{DbConnection, readers};
use crate::error::decode_error;
use crate::keys::parse_scope;
use crate::paging::bound;
use crate::sends::parse_actor_kind;

/// Writes the event down, in the transaction that makes it happen.
pub(crate) async fn record_event(
    c: &mut DbConnection,
    app: &AppId,
    event: KeyEventRecord,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO key_events (id, app_id, event, key_id, key_name, key_scope,
                                 actor_kind, actor_id, actor_name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        event.id.as_str(),
        app.as_str(),
        event.event.as_str(),
        event.key_id.as_str(),
        event.key_name,
        event.key_scope.as_str(),
        event.actor.kind.as_str(),
        event.actor.id,
        event.actor.name,
        event.created_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// A page of what happened to the app's keys, and one event more if there are more.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    page: &PageRequest,
) -> sqlx::Result<Vec<KeyEventRecord>> {
    let (before, before_id) = bound(page.cursor.as_ref());
    sqlx::query!(
        "SELECT id, event, key_id, key_name, key_scope, actor_kind, actor_id, actor_name, created_at
         FROM key_events WHERE app_id = $1 AND (created_at, id) < ($2, $3)
         ORDER BY created_at DESC, id DESC LIMIT $4",
        app.as_str(),
        before,
        before_id,
        page.limit.get() + 1
    )
    .try_map(|row| {
        Ok(KeyEventRecord {
            id: KeyEventId::trusted(row.id),
            event: parse_event(&row.event)?,
            key_id: KeyId::trusted(row.key_id),
            key_name: row.key_name,
            key_scope: parse_scope(&row.key_scope)?,
            actor: ActorRecord {
                kind: parse_actor_kind(&row.actor_kind)?,
                id: row.actor_id,
                name: row.actor_name,
            },
            created_at: UnixMillis(row.created_at),
        })
    })
    .fetch_all(readers(database))
    .await
}

fn parse_event(text: &str) -> sqlx::Result<KeyEventKind> {
    [KeyEventKind::Created, KeyEventKind::Deleted]
        .into_iter()
        .find(|event| event.as_str() == text)
        .ok_or_else(|| decode_error("event"))
}
