//! API keys and the events that record their making.

use async_trait::async_trait;
use hato_domain::{AppId, KeyId, Scope, UnixMillis};
use hato_service::ports::{KeyRecord, KeyStore, NewKeyRecord, PepperedHash, StoreError};

use crate::Database;
use crate::dialect::{Connection, readers, write};
use crate::failure::{during, unreadable};

#[async_trait]
impl KeyStore for Database {
    async fn create_key(&self, key: NewKeyRecord) -> Result<bool, StoreError> {
        write(self, "make a key", |c| Box::pin(create(c, key))).await
    }

    async fn key_by_hash(&self, hash: PepperedHash) -> Result<Option<KeyRecord>, StoreError> {
        let hash = &hash[..];
        let row = sqlx::query_as!(
            KeyRow,
            "SELECT id, app_id, name, scope, last_used_at, created_at FROM api_keys WHERE hash = $1",
            hash
        );
        row.fetch_optional(readers(self))
            .await
            .and_then(|row| row.map(KeyRow::into_record).transpose())
            .map_err(during("find a key"))
    }

    async fn keys_of(&self, app: &AppId) -> Result<Vec<KeyRecord>, StoreError> {
        let app = app.as_str();
        let rows = sqlx::query_as!(
            KeyRow,
            "SELECT id, app_id, name, scope, last_used_at, created_at FROM api_keys
             WHERE app_id = $1 ORDER BY created_at, id",
            app
        );
        rows.fetch_all(readers(self))
            .await
            .and_then(|rows| rows.into_iter().map(KeyRow::into_record).collect())
            .map_err(during("list keys"))
    }

    async fn record_key_uses(&self, uses: Vec<(KeyId, UnixMillis)>) -> Result<(), StoreError> {
        if uses.is_empty() {
            return Ok(());
        }
        write(self, "record uses of keys", |c| {
            Box::pin(record_uses(c, uses))
        })
        .await
    }
}

struct KeyRow {
    id: String,
    app_id: String,
    name: String,
    scope: String,
    last_used_at: Option<i64>,
    created_at: i64,
}

impl KeyRow {
    fn into_record(self) -> sqlx::Result<KeyRecord> {
        Ok(KeyRecord {
            id: KeyId::trusted(self.id),
            app_id: AppId::trusted(self.app_id),
            name: self.name,
            scope: Scope::parse(&self.scope).map_err(|_| unreadable("scope"))?,
            last_used_at: self.last_used_at.map(UnixMillis),
            created_at: UnixMillis(self.created_at),
        })
    }
}

async fn create(c: &mut Connection, key: NewKeyRecord) -> sqlx::Result<bool> {
    let inserted = insert(c, &key).await?;
    if inserted {
        record_creation(c, &key).await?;
    }
    Ok(inserted)
}

async fn insert(c: &mut Connection, key: &NewKeyRecord) -> sqlx::Result<bool> {
    let (id, app, scope) = (key.id.as_str(), key.app_id.as_str(), key.scope.as_str());
    let (hash, created_at) = (&key.hash[..], key.created_at.0);
    let inserted = sqlx::query!(
        "INSERT INTO api_keys (id, app_id, name, scope, hash, created_at)
         SELECT $1, id, $3, $4, $5, CAST($6 AS BIGINT) FROM apps WHERE id = $2",
        id,
        app,
        key.name,
        scope,
        hash,
        created_at
    )
    .execute(c)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

async fn record_creation(c: &mut Connection, key: &NewKeyRecord) -> sqlx::Result<()> {
    let (event, app, id) = (key.event_id.as_str(), key.app_id.as_str(), key.id.as_str());
    let (scope, kind, created_at) = (
        key.scope.as_str(),
        key.actor.kind.as_str(),
        key.created_at.0,
    );
    sqlx::query!(
        "INSERT INTO key_events (id, app_id, event, key_id, key_name, key_scope,
                                 actor_kind, actor_id, actor_name, created_at)
         VALUES ($1, $2, 'created', $3, $4, $5, $6, $7, $8, $9)",
        event,
        app,
        id,
        key.name,
        scope,
        kind,
        key.actor.id,
        key.actor.name,
        created_at
    )
    .execute(c)
    .await
    .map(drop)
}

async fn record_uses(c: &mut Connection, uses: Vec<(KeyId, UnixMillis)>) -> sqlx::Result<()> {
    for (key, at) in uses {
        let (key, at) = (key.as_str(), at.0);
        sqlx::query!(
            "UPDATE api_keys SET last_used_at = $2
             WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
            key,
            at
        )
        .execute(&mut *c)
        .await?;
    }
    Ok(())
}
