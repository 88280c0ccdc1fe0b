//! What happened to API keys and VAPID keys. Events outlive their key.

use hato_domain::{AppId, KeyEventId, UnixMillis};
use hato_service::access::ActorRecord;
use hato_service::ports::{
    KEY_EVENT_WINDOW, KeyEventKind, KeyEventRecord, KeyEventScope, MAX_KEY_EVENTS,
};

use crate::dialect::DbConnection;
use crate::error::{decode_error, json};
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
        event.key_id,
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

/// Whether the app has had as many events lately as it may before another key is made. Events from the future were written before the
/// clock was set back, and count while they are less than a window away.
pub(crate) async fn are_too_many(
    c: &mut DbConnection,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    let count = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "events!: i64"
           FROM (SELECT 1 FROM key_events WHERE app_id = $1 AND created_at > $2 AND created_at < $3
                 LIMIT $4) AS lately"#,
        app.as_str(),
        now.minus(KEY_EVENT_WINDOW).0,
        now.plus(KEY_EVENT_WINDOW).0,
        MAX_KEY_EVENTS
    );
    Ok(count.fetch_one(c).await? >= MAX_KEY_EVENTS)
}

/// The kinds of events that this version knows, as a statement takes them.
pub(crate) fn known_events() -> sqlx::Result<String> {
    json(&KeyEventKind::ALL.map(KeyEventKind::as_str))
}

pub(crate) struct KeyEventRow {
    pub(crate) id: String,
    pub(crate) event: String,
    pub(crate) key_id: String,
    pub(crate) key_name: String,
    pub(crate) key_scope: String,
    pub(crate) actor_kind: String,
    pub(crate) actor_id: String,
    pub(crate) actor_name: String,
    pub(crate) created_at: i64,
}

impl KeyEventRow {
    pub(crate) fn into_record(self) -> sqlx::Result<KeyEventRecord> {
        Ok(KeyEventRecord {
            id: KeyEventId::trusted(self.id),
            event: parse_event(&self.event)?,
            key_id: self.key_id,
            key_name: self.key_name,
            key_scope: parse_event_scope(&self.key_scope)?,
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
    KeyEventKind::parse(text).ok_or_else(|| decode_error("event"))
}

fn parse_event_scope(text: &str) -> sqlx::Result<KeyEventScope> {
    KeyEventScope::parse(text).ok_or_else(|| decode_error("scope"))
}
