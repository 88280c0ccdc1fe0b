//! API keys. Whatever happens to one is recorded with it, in the same transaction.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, KeyId, PageRequest, Scope, SendId, UnixMillis};
use hato_service::ports::{
    AuthenticatedKey, CreateKeyOutcome, DeletedKey, KeyEventKind, KeyEventRecord, KeyRecord,
    KeyStore, MAX_KEYS, NewKeyRecord, PepperId, PepperedHash, RehashedKey, StoreError, WaitingKey,
};

use crate::dialect::{DbConnection, lock_app, readers, sql};
use crate::error::{decode_error, with_context};
use crate::key_events::{KeyEventRow, are_too_many, known_events, record_event};
use crate::paging::bound;
use crate::transaction::transaction;
use crate::{Database, app_settings};

#[async_trait]
impl KeyStore for Database {
    async fn create_key(&self, key: NewKeyRecord) -> Result<CreateKeyOutcome, StoreError> {
        transaction!(self, "make a key", |c| {
            let created = insert(c, &key).await?;
            if created == CreateKeyOutcome::Created {
                let event = KeyEventRecord {
                    id: key.event_id,
                    event: KeyEventKind::Created,
                    key_id: key.record.id.to_string(),
                    key_name: key.record.name,
                    key_scope: key.record.scope.into(),
                    actor: key.actor,
                    created_at: key.record.created_at,
                };
                record_event(c, &key.record.app_id, event).await?;
            }
            Ok(created)
        })
    }

    async fn key_by_hash(
        &self,
        hash: PepperedHash,
    ) -> Result<Option<AuthenticatedKey>, StoreError> {
        sqlx::query_as!(
            AuthenticatedRow,
            r#"SELECT k.id, k.app_id, k.name, k.scope, k.last_used_at, k.created_at,
                    p.account_id, p.vapid_public_key,
                    p.site_url, p.declarative <> 0 AS "declarative!: bool", p.tracking
             FROM api_keys AS k JOIN apps AS p ON p.id = k.app_id
             WHERE k.hash = $1 AND p.deleted_at IS NULL AND p.review_since IS NULL"#,
            &hash[..]
        )
        .try_map(AuthenticatedRow::into_key)
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("find a key"))
    }

    async fn keys_of(&self, app: &AppId) -> Result<Vec<KeyRecord>, StoreError> {
        sqlx::query!(
            "SELECT id, app_id, name, scope, last_used_at, created_at FROM api_keys
             WHERE app_id = $1 ORDER BY created_at, id",
            app.as_str()
        )
        .try_map(|row| {
            Ok(KeyRecord {
                id: KeyId::trusted(row.id),
                app_id: AppId::trusted(row.app_id),
                name: row.name,
                scope: parse_scope(&row.scope)?,
                last_used_at: row.last_used_at.map(UnixMillis),
                created_at: UnixMillis(row.created_at),
            })
        })
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list keys"))
    }

    async fn delete_key(&self, key: DeletedKey) -> Result<bool, StoreError> {
        transaction!(self, "delete a key", |c| delete(c, key).await)
    }

    async fn open_sends_of_key(&self, app: &AppId, key: &KeyId) -> Result<Vec<SendId>, StoreError> {
        // Those that wait and those in the queue have short lists of their own; the app's other sends are not looked at.
        sqlx::query!(
            r#"SELECT j.send_id AS "id!" FROM jobs AS j JOIN sends AS s ON s.id = j.send_id
               WHERE j.app_id = $1 AND s.cancelled_at IS NULL
                 AND s.actor_kind = 'api_key' AND s.actor_id = $2
               UNION
               SELECT id FROM sends
               WHERE app_id = $1 AND waits_until IS NOT NULL
                 AND actor_kind = 'api_key' AND actor_id = $2"#,
            app.as_str(),
            key.as_str()
        )
        .map(|row| SendId::trusted(row.id))
        .fetch_all(readers(self))
        .await
        .map_err(with_context("find the sends of a key"))
    }

    async fn key_events_of(
        &self,
        app: &AppId,
        page: &PageRequest,
    ) -> Result<Vec<KeyEventRecord>, StoreError> {
        const CONTEXT: &str = "list what happened to keys";
        let (before, before_id) = bound(page.cursor.as_ref());
        // What a later version has written beside this one, that one shows.
        sql!(query_as KeyEventRow [
            "SELECT id, event, key_id, key_name, key_scope, actor_kind, actor_id, actor_name, created_at
             FROM key_events
             WHERE app_id = $2 AND (created_at, id) < ($3, $4) AND event IN (" TEXTS ")
             ORDER BY created_at DESC, id DESC LIMIT $5"
        ] known_events().map_err(with_context(CONTEXT))?, app.as_str(), before, before_id, page.limit.get() + 1)
        .try_map(KeyEventRow::into_record)
        .fetch_all(readers(self))
        .await
        .map_err(with_context(CONTEXT))
    }

    async fn record_key_uses(&self, mut uses: Vec<(KeyId, UnixMillis)>) -> Result<(), StoreError> {
        if uses.is_empty() {
            return Ok(());
        }
        // In one order, so that two processes with the same keys never wait for each other.
        uses.sort_unstable_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        transaction!(self, "record uses of keys", |c| {
            for (key, at) in uses {
                // Another process may have recorded a later use.
                sqlx::query!(
                    "UPDATE api_keys SET last_used_at = $2
                     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
                    key.as_str(),
                    at.0
                )
                .execute(&mut *c)
                .await?;
            }
            Ok(())
        })
    }

    async fn rehash_key(&self, key: RehashedKey) -> Result<(), StoreError> {
        transaction!(self, "hash a key anew", |c| {
            sqlx::query!(
                "UPDATE api_keys SET hash = $3, pepper_id = $4 WHERE id = $1 AND hash = $2",
                key.id.as_str(),
                &key.before[..],
                &key.after[..],
                &key.pepper[..]
            )
            .execute(c)
            .await
            .map(drop)
        })
    }

    async fn keys_without_pepper(
        &self,
        pepper: PepperId,
        after: Option<KeyId>,
        limit: i64,
    ) -> Result<Vec<WaitingKey>, StoreError> {
        sqlx::query_as!(
            WaitingRow,
            "SELECT k.id, k.app_id, k.name, k.scope, k.last_used_at, k.created_at, k.pepper_id
             FROM api_keys AS k JOIN apps AS p ON p.id = k.app_id
             WHERE k.id > $2 AND p.deleted_at IS NULL
               AND (k.pepper_id IS NULL OR k.pepper_id <> $1)
             ORDER BY k.id LIMIT $3",
            &pepper[..],
            after.as_ref().map_or("", KeyId::as_str),
            limit
        )
        .try_map(WaitingRow::into_key)
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list keys of another pepper"))
    }
}

/// A key, and what its app says of every request.
struct AuthenticatedRow {
    id: String,
    app_id: String,
    name: String,
    scope: String,
    last_used_at: Option<i64>,
    created_at: i64,
    account_id: String,
    vapid_public_key: Vec<u8>,
    site_url: Option<String>,
    declarative: bool,
    tracking: String,
}

impl AuthenticatedRow {
    fn into_key(self) -> sqlx::Result<AuthenticatedKey> {
        let record = KeyRecord {
            id: KeyId::trusted(self.id),
            app_id: AppId::trusted(self.app_id),
            name: self.name,
            scope: parse_scope(&self.scope)?,
            last_used_at: self.last_used_at.map(UnixMillis),
            created_at: UnixMillis(self.created_at),
        };
        Ok(AuthenticatedKey {
            record,
            account_id: AccountId::trusted(self.account_id),
            vapid_public_key: self.vapid_public_key,
            messages: app_settings::read(self.site_url, self.declarative, &self.tracking)?,
        })
    }
}

/// A key, and the pepper that its hash was made with.
struct WaitingRow {
    id: String,
    app_id: String,
    name: String,
    scope: String,
    last_used_at: Option<i64>,
    created_at: i64,
    pepper_id: Option<Vec<u8>>,
}

impl WaitingRow {
    fn into_key(self) -> sqlx::Result<WaitingKey> {
        Ok(WaitingKey {
            record: KeyRecord {
                id: KeyId::trusted(self.id),
                app_id: AppId::trusted(self.app_id),
                name: self.name,
                scope: parse_scope(&self.scope)?,
                last_used_at: self.last_used_at.map(UnixMillis),
                created_at: UnixMillis(self.created_at),
            },
            pepper: self.pepper_id,
        })
    }
}

fn parse_scope(text: &str) -> sqlx::Result<Scope> {
    Scope::parse(text).map_err(|_| decode_error("scope"))
}

/// Deletes the key and records that; `false` when the app has no such key.
pub(crate) async fn delete(c: &mut DbConnection, key: DeletedKey) -> sqlx::Result<bool> {
    let deleted = sqlx::query!(
        r#"DELETE FROM api_keys WHERE id = $1 AND app_id = $2
           RETURNING name AS "name!", scope AS "scope!""#,
        key.id.as_str(),
        key.app_id.as_str()
    );
    let Some(deleted) = deleted.fetch_optional(&mut *c).await? else {
        return Ok(false);
    };
    record_deletion(c, key, deleted.name, parse_scope(&deleted.scope)?).await?;
    Ok(true)
}

async fn record_deletion(
    c: &mut DbConnection,
    key: DeletedKey,
    name: String,
    scope: Scope,
) -> sqlx::Result<()> {
    let event = KeyEventRecord {
        id: key.event_id,
        event: KeyEventKind::Deleted,
        key_id: key.id.to_string(),
        key_name: name,
        key_scope: scope.into(),
        actor: key.actor,
        created_at: key.now,
    };
    record_event(c, &key.app_id, event).await
}

/// Adds the key, as long as its app is there and has fewer than it may have, and not too many were made lately.
async fn insert(c: &mut DbConnection, new: &NewKeyRecord) -> sqlx::Result<CreateKeyOutcome> {
    let key = &new.record;
    lock_app(c, &key.app_id).await?;
    Ok(if are_too_many(c, &key.app_id, key.created_at).await? {
        CreateKeyOutcome::OverRateLimit
    } else if add(c, new).await? {
        CreateKeyOutcome::Created
    } else if takes_keys(c, &key.app_id).await? {
        CreateKeyOutcome::LimitReached
    } else {
        CreateKeyOutcome::NoApp
    })
}

/// Writes the key down; `false` when its app takes none, or has as many as it may have.
async fn add(c: &mut DbConnection, new: &NewKeyRecord) -> sqlx::Result<bool> {
    let key = &new.record;
    let inserted = sqlx::query!(
        "INSERT INTO api_keys (id, app_id, name, scope, hash, pepper_id, created_at)
         SELECT $1, id, $3, $4, $5, $8, CAST($6 AS BIGINT) FROM apps
         WHERE id = $2 AND deleted_at IS NULL AND review_since IS NULL
           AND (SELECT COUNT(*) FROM api_keys WHERE app_id = $2) < $7",
        key.id.as_str(),
        key.app_id.as_str(),
        key.name,
        key.scope.as_str(),
        &new.hash[..],
        key.created_at.0,
        MAX_KEYS,
        &new.pepper[..]
    );
    Ok(inserted.execute(c).await?.rows_affected() == 1)
}

/// Whether keys can be made for the app: it is there, and not under review.
async fn takes_keys(c: &mut DbConnection, app: &AppId) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM apps
                          WHERE id = $1 AND deleted_at IS NULL AND review_since IS NULL)
           AS "takes_keys!: bool""#,
        app.as_str()
    )
    .fetch_one(c)
    .await
}
