//! What happened to API keys. Events outlive their key.

use hato_domain::AppId;
use hato_service::ports::{KeyEventKind, KeyEventRecord};

use crate::dialect::DbConnection;
use crate::error::decode_error;

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

pub(crate) fn parse_event(text: &str) -> sqlx::Result<KeyEventKind> {
    [KeyEventKind::Created, KeyEventKind::Deleted]
        .into_iter()
        .find(|event| event.as_str() == text)
        .ok_or_else(|| decode_error("event"))
}
