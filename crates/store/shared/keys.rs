//! API keys.

use async_trait::async_trait;
use hato_domain::{AppId, KeyId, PageRequest, Scope, UnixMillis};
use hato_service::ports::{
    AuthenticatedKey, DeletedKey, KeyEventKind, KeyEventRecord, KeyRecord, KeyStore, NewKeyRecord,
    PepperedHash, StoreError,
};

use crate::Database;
use crate::dialect::{DbConnection, readers, write};
use crate::error::{decode_error, with_context};
use crate::key_events::{self, record_event};

#[async_trait]
impl KeyStore for Database {
    async fn create_key(&self, key: NewKeyRecord) -> Result<bool, StoreError> {
        write(self, "make a key", |c| Box::pin(create(c, key))).await
    }

    async fn key_by_hash(
        &self,
        hash: PepperedHash,
    ) -> Result<Option<AuthenticatedKey>, StoreError> {
        let hash = &hash[..];
        let row = sqlx::query_as!(
            UsedKeyRow,
            "SELECT k.id, k.app_id, k.name, k.scope, k.last_used_at, k.created_at,
                    p.vapid_public_key
             FROM api_keys AS k JOIN apps AS p ON p.id = k.app_id WHERE k.hash = $1",
            hash
        );
        row.fetch_optional(readers(self))
            .await
            .and_then(|row| row.map(UsedKeyRow::into_used).transpose())
            .map_err(with_context("find a key"))
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
            .map_err(with_context("list keys"))
    }

    async fn delete_key(&self, key: DeletedKey) -> Result<bool, StoreError> {
        write(self, "delete a key", |c| Box::pin(delete(c, key))).await
    }

    async fn key_events_of(
        &self,
        app: &AppId,
        page: &PageRequest,
    ) -> Result<Vec<KeyEventRecord>, StoreError> {
        let events = key_events::list(self, app, page).await;
        events.map_err(with_context("list what happened to keys"))
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
            scope: Scope::parse(&self.scope).map_err(|_| decode_error("scope"))?,
            last_used_at: self.last_used_at.map(UnixMillis),
            created_at: UnixMillis(self.created_at),
        })
    }
}

struct UsedKeyRow {
    id: String,
    app_id: String,
    name: String,
    scope: String,
    last_used_at: Option<i64>,
    created_at: i64,
    vapid_public_key: Vec<u8>,
}

impl UsedKeyRow {
    fn into_used(self) -> sqlx::Result<AuthenticatedKey> {
        let row = KeyRow {
            id: self.id,
            app_id: self.app_id,
            name: self.name,
            scope: self.scope,
            last_used_at: self.last_used_at,
            created_at: self.created_at,
        };
        Ok(AuthenticatedKey {
            record: row.into_record()?,
            vapid_public_key: self.vapid_public_key,
        })
    }
}

async fn create(c: &mut DbConnection, key: NewKeyRecord) -> sqlx::Result<bool> {
    let inserted = insert(c, &key).await?;
    if inserted {
        record_event(c, created_event(key)).await?;
    }
    Ok(inserted)
}

async fn insert(c: &mut DbConnection, key: &NewKeyRecord) -> sqlx::Result<bool> {
    let (id, app, scope) = (key.id.as_str(), key.app_id.as_str(), key.scope.as_str());
    let (hash, created_at) = (&key.hash[..], key.created_at.0);
    let inserted = sqlx::query!(
        "INSERT INTO api_keys (id, app_id, name, scope, hash, created_at)
         SELECT $1, id, $3, $4, $5, CAST($6 AS BIGINT) FROM apps
         WHERE id = $2 AND deleted_at IS NULL",
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

/// What is left of a key that was deleted.
struct DeletedRow {
    name: String,
    scope: String,
}

async fn delete(c: &mut DbConnection, key: DeletedKey) -> sqlx::Result<bool> {
    let (id, app) = (key.id.as_str(), key.app_id.as_str());
    let deleted = sqlx::query_as!(
        DeletedRow,
        r#"DELETE FROM api_keys WHERE id = $1 AND app_id = $2
           RETURNING name AS "name!", scope AS "scope!""#,
        id,
        app
    )
    .fetch_optional(&mut *c)
    .await?;
    let Some(DeletedRow { name, scope }) = deleted else {
        return Ok(false);
    };
    record_event(c, deleted_event(key, name, &scope)?).await?;
    Ok(true)
}

fn created_event(key: NewKeyRecord) -> (AppId, KeyEventRecord) {
    let event = KeyEventRecord {
        id: key.event_id,
        event: KeyEventKind::Created,
        key_id: key.id,
        key_name: key.name,
        key_scope: key.scope,
        actor: key.actor,
        created_at: key.created_at,
    };
    (key.app_id, event)
}

fn deleted_event(
    key: DeletedKey,
    name: String,
    scope: &str,
) -> sqlx::Result<(AppId, KeyEventRecord)> {
    let event = KeyEventRecord {
        id: key.event_id,
        event: KeyEventKind::Deleted,
        key_id: key.id,
        key_name: name,
        key_scope: Scope::parse(scope).map_err(|_| decode_error("scope"))?,
        actor: key.actor,
        created_at: key.now,
    };
    Ok((key.app_id, event))
}

async fn record_uses(c: &mut DbConnection, uses: Vec<(KeyId, UnixMillis)>) -> sqlx::Result<()> {
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
