//! What happened to API keys. Events outlive their key.

use hato_domain::{AppId, KeyEventId, KeyId, PageRequest, Scope, UnixMillis};
use hato_service::access::ActorRecord;
use hato_service::ports::{KeyEventKind, KeyEventRecord};

use crate::Database;
use crate::dialect::{DbConnection, readers};
use crate::error::decode_error;
use crate::paging::bound;
use crate::sends::parse_actor_kind;

/// Writes the event down, in the transaction that makes it happen.
pub(crate) async fn record_event(
    c: &mut DbConnection,
    (app, event): (AppId, KeyEventRecord),
) -> sqlx::Result<()> {
    let (id, app, key) = (event.id.as_str(), app.as_str(), event.key_id.as_str());
    let (what, scope) = (event.event.as_str(), event.key_scope.as_str());
    let kind = event.actor.kind.as_str();
    sqlx::query!(
        "INSERT INTO key_events (id, app_id, event, key_id, key_name, key_scope,
                                 actor_kind, actor_id, actor_name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        id,
        app,
        what,
        key,
        event.key_name,
        scope,
        kind,
        event.actor.id,
        event.actor.name,
        event.created_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// A page of what happened to the app's keys.
pub(crate) async fn list(
    database: &Database,
    app: &AppId,
    page: &PageRequest,
) -> sqlx::Result<Vec<KeyEventRecord>> {
    let (before, before_id) = bound(page.cursor.as_ref());
    let (app, limit) = (app.as_str(), page.limit.get() + 1);
    let rows = sqlx::query_as!(
        KeyEventRow,
        "SELECT id, event, key_id, key_name, key_scope, actor_kind, actor_id, actor_name, created_at
         FROM key_events WHERE app_id = $1 AND (created_at, id) < ($2, $3)
         ORDER BY created_at DESC, id DESC LIMIT $4",
        app,
        before,
        before_id,
        limit
    )
    .fetch_all(readers(database))
    .await?;
    rows.into_iter().map(KeyEventRow::into_record).collect()
}

struct KeyEventRow {
    id: String,
    event: String,
    key_id: String,
    key_name: String,
    key_scope: String,
    actor_kind: String,
    actor_id: String,
    actor_name: String,
    created_at: i64,
}

impl KeyEventRow {
    fn into_record(self) -> sqlx::Result<KeyEventRecord> {
        Ok(KeyEventRecord {
            id: KeyEventId::trusted(self.id),
            event: parse_event(&self.event)?,
            key_id: KeyId::trusted(self.key_id),
            key_name: self.key_name,
            key_scope: Scope::parse(&self.key_scope).map_err(|_| decode_error("scope"))?,
            actor: ActorRecord {
                kind: parse_actor_kind(&self.actor_kind)?,
                id: self.actor_id,
                name: self.actor_name,
            },
            created_at: UnixMillis(self.created_at),
        })
    }
}

fn parse_event(text: &str) -> sqlx::Result<KeyEventKind> {
    [KeyEventKind::Created, KeyEventKind::Deleted]
        .into_iter()
        .find(|event| event.as_str() == text)
        .ok_or_else(|| decode_error("event"))
}
