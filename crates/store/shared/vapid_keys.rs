//! The VAPID keys of an app: its row has the primary one, and the table `vapid_keys` the others (CONTRACT 16).
//!
//! Subscriptions name their key by its number, which no other key of the app gets. Whoever changes which keys there are locks the app
//! against all who rely on one.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis, VapidPublicKey};
use hato_service::ports::{
    AddVapidKeyOutcome, KeyEventKind, KeyEventRecord, KeyEventScope, MAX_VAPID_KEYS, NewVapidKey,
    RegisterOutcome, StoreError, VapidKeyAct, VapidKeyNumber, VapidKeyOutcome, VapidKeyRecord,
    VapidKeyStore, VapidKeyUse,
};
use sqlx::Executor;

use crate::Database;
use crate::dialect::{DbConnection, Driver, lock_app_alone, readers, sql};
use crate::error::with_context;
use crate::key_events::{are_too_many, record_event};
use crate::transaction::transaction;

#[async_trait]
impl VapidKeyStore for Database {
    async fn vapid_keys_of(&self, app: &AppId) -> Result<Vec<VapidKeyRecord>, StoreError> {
        let keys = keys_of(readers(self), app).await;
        keys.map_err(with_context("list VAPID keys"))
    }

    async fn vapid_key_uses(&self, app: &AppId) -> Result<Vec<VapidKeyUse>, StoreError> {
        let uses = uses_of(readers(self), app).await;
        uses.map_err(with_context("count the subscriptions of VAPID keys"))
    }

    async fn add_vapid_key(
        &self,
        key: NewVapidKey,
        act: VapidKeyAct,
    ) -> Result<AddVapidKeyOutcome, StoreError> {
        transaction!(self, "add a VAPID key", |c| add(c, &key, act).await)
    }

    async fn make_vapid_key_primary(
        &self,
        key: VapidKeyNumber,
        act: VapidKeyAct,
    ) -> Result<VapidKeyOutcome, StoreError> {
        transaction!(self, "make a VAPID key primary", |c| {
            make_primary(c, key, act).await
        })
    }

    async fn delete_vapid_key(
        &self,
        key: VapidKeyNumber,
        act: VapidKeyAct,
    ) -> Result<VapidKeyOutcome, StoreError> {
        transaction!(self, "delete a VAPID key", |c| delete(c, key, act).await)
    }

    async fn record_vapid_export(
        &self,
        key: VapidKeyNumber,
        act: VapidKeyAct,
    ) -> Result<VapidKeyOutcome, StoreError> {
        transaction!(self, "record the export of a VAPID key", |c| {
            if find(c, key, &act).await?.is_none() {
                return Ok(VapidKeyOutcome::NoKey);
            }
            if are_too_many(c, &act.app_id, act.now).await? {
                return Ok(VapidKeyOutcome::OverRateLimit);
            }
            record(c, KeyEventKind::VapidExported, act).await?;
            Ok(VapidKeyOutcome::Done)
        })
    }
}

struct KeyRow {
    number: i64,
    public_key: Vec<u8>,
    is_primary: bool,
    created_at: i64,
    /// The active subscriptions of the app.
    of_app: i64,
    /// Those of the key, if they are counted and it is not the app's first.
    of_key: i64,
}

impl From<KeyRow> for VapidKeyRecord {
    fn from(row: KeyRow) -> Self {
        Self {
            number: VapidKeyNumber(row.number),
            public_key: row.public_key,
            is_primary: row.is_primary,
            created_at: UnixMillis(row.created_at),
        }
    }
}

/// The app's keys in the order of their numbers; none when the app is gone.
async fn keys_of<'e>(
    executor: impl Executor<'e, Database = Driver>,
    app: &AppId,
) -> sqlx::Result<Vec<VapidKeyRecord>> {
    let rows = rows_of(executor, app, false).await?.into_iter();
    Ok(rows.map(VapidKeyRecord::from).collect())
}

/// The same with the active subscriptions of each. Those of an app's first key, which nearly all have, are those that no other has.
async fn uses_of<'e>(
    executor: impl Executor<'e, Database = Driver>,
    app: &AppId,
) -> sqlx::Result<Vec<VapidKeyUse>> {
    let rows = rows_of(executor, app, true).await?;
    let counted: i64 = rows.iter().map(|row| row.of_key).sum();
    let key_use = |row: KeyRow| VapidKeyUse {
        active_subscriptions: match row.number {
            0 => row.of_app - counted,
            _ => row.of_key,
        },
        key: row.into(),
    };
    Ok(rows.into_iter().map(key_use).collect())
}

async fn rows_of<'e>(
    executor: impl Executor<'e, Database = Driver>,
    app: &AppId,
    counts_subscriptions: bool,
) -> sqlx::Result<Vec<KeyRow>> {
    let rows = sqlx::query_as!(
        KeyRow,
        r#"SELECT k.number AS "number!", k.public_key AS "public_key!",
                  k.is_primary AS "is_primary!: bool", k.created_at AS "created_at!",
                  k.of_app AS "of_app!",
                  CASE WHEN $2 THEN
                      (SELECT COUNT(*) FROM subscriptions AS s
                       WHERE s.app_id = $1 AND s.vapid_key = k.number
                         AND s.vapid_key > 0 AND s.position IS NOT NULL)
                  ELSE 0 END AS "of_key!: i64"
           FROM (SELECT p.vapid_key AS number, p.vapid_public_key AS public_key, TRUE AS is_primary,
                        COALESCE(p.vapid_key_created_at, p.created_at) AS created_at,
                        p.active_subscriptions AS of_app
                 FROM apps AS p WHERE p.id = $1 AND p.deleted_at IS NULL
                 UNION ALL
                 SELECT o.number, o.public_key, FALSE, o.created_at, p.active_subscriptions
                 FROM apps AS p JOIN vapid_keys AS o ON o.app_id = p.id
                 WHERE p.id = $1 AND p.deleted_at IS NULL) AS k
           ORDER BY k.number"#,
        app.as_str(),
        counts_subscriptions
    );
    rows.fetch_all(executor).await
}

/// The key, whose app is locked.
async fn find(
    c: &mut DbConnection,
    key: VapidKeyNumber,
    act: &VapidKeyAct,
) -> sqlx::Result<Option<VapidKeyRecord>> {
    lock_app_alone(c, act.app_id.as_str()).await?;
    let keys = keys_of(&mut *c, &act.app_id).await?;
    Ok(keys.into_iter().find(|it| it.number == key))
}

async fn add(
    c: &mut DbConnection,
    key: &NewVapidKey,
    act: VapidKeyAct,
) -> sqlx::Result<AddVapidKeyOutcome> {
    lock_app_alone(c, act.app_id.as_str()).await?;
    let keys = keys_of(&mut *c, &act.app_id).await?;
    let count = keys.len();
    if keys.iter().any(|it| it.public_key == key.public_key) {
        return Ok(AddVapidKeyOutcome::Known);
    }
    if count == 0 {
        return Ok(AddVapidKeyOutcome::NoApp);
    }
    if count >= MAX_VAPID_KEYS {
        return Ok(AddVapidKeyOutcome::LimitReached);
    }
    add_new(c, key, act).await
}

async fn add_new(
    c: &mut DbConnection,
    key: &NewVapidKey,
    act: VapidKeyAct,
) -> sqlx::Result<AddVapidKeyOutcome> {
    if are_too_many(c, &act.app_id, act.now).await? {
        return Ok(AddVapidKeyOutcome::OverRateLimit);
    }
    let added = insert(c, key, &act).await?;
    record(c, event_of(key), act).await?;
    Ok(AddVapidKeyOutcome::Added(added))
}

const fn event_of(key: &NewVapidKey) -> KeyEventKind {
    if key.is_imported {
        KeyEventKind::VapidImported
    } else {
        KeyEventKind::VapidCreated
    }
}

async fn insert(
    c: &mut DbConnection,
    key: &NewVapidKey,
    act: &VapidKeyAct,
) -> sqlx::Result<VapidKeyRecord> {
    let number = next_number(c, &act.app_id).await?;
    let inserted = sqlx::query!(
        "INSERT INTO vapid_keys (app_id, number, public_key, sealed_private_key, created_at)
         VALUES ($1, $2, $3, $4, $5)",
        act.app_id.as_str(),
        number,
        key.public_key,
        key.sealed_private_key,
        act.now.0
    );
    inserted.execute(c).await?;
    Ok(VapidKeyRecord {
        number: VapidKeyNumber(number),
        public_key: key.public_key.clone(),
        is_primary: false,
        created_at: act.now,
    })
}

async fn next_number(c: &mut DbConnection, app: &AppId) -> sqlx::Result<i64> {
    let number = sqlx::query_scalar!(
        r#"UPDATE apps SET last_vapid_key = last_vapid_key + 1 WHERE id = $1
           RETURNING last_vapid_key AS "number!""#,
        app.as_str()
    );
    number.fetch_one(c).await
}

/// Exchanges the key with the primary one.
async fn make_primary(
    c: &mut DbConnection,
    key: VapidKeyNumber,
    act: VapidKeyAct,
) -> sqlx::Result<VapidKeyOutcome> {
    match find(c, key, &act).await? {
        None => return Ok(VapidKeyOutcome::NoKey),
        Some(found) if found.is_primary => return Ok(VapidKeyOutcome::Unchanged),
        Some(_) => {}
    }
    if are_too_many(c, &act.app_id, act.now).await? {
        return Ok(VapidKeyOutcome::OverRateLimit);
    }
    let app = act.app_id.as_str();
    keep_primary(c, app).await?;
    put_first(c, app, key).await?;
    remove(c, app, key).await?;
    record(c, KeyEventKind::VapidPrimary, act).await?;
    Ok(VapidKeyOutcome::Done)
}

/// Writes the primary key down among the others.
async fn keep_primary(c: &mut DbConnection, app: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO vapid_keys (app_id, number, public_key, sealed_private_key, created_at)
         SELECT id, vapid_key, vapid_public_key, sealed_private_key,
                COALESCE(vapid_key_created_at, created_at)
         FROM apps WHERE id = $1",
        app
    )
    .execute(c)
    .await
    .map(drop)
}

/// Writes one of the others into the app's row.
async fn put_first(c: &mut DbConnection, app: &str, key: VapidKeyNumber) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE apps
         SET vapid_key = k.number, vapid_public_key = k.public_key,
             sealed_private_key = k.sealed_private_key, vapid_key_created_at = k.created_at
         FROM vapid_keys AS k WHERE apps.id = $1 AND k.app_id = $1 AND k.number = $2",
        app,
        key.0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn delete(
    c: &mut DbConnection,
    key: VapidKeyNumber,
    act: VapidKeyAct,
) -> sqlx::Result<VapidKeyOutcome> {
    let Some(found) = find(c, key, &act).await? else {
        return Ok(VapidKeyOutcome::NoKey);
    };
    if found.is_primary || is_used(c, &act.app_id, key).await? {
        return Ok(VapidKeyOutcome::InUse);
    }
    remove(c, act.app_id.as_str(), key).await?;
    record(c, KeyEventKind::VapidDeleted, act).await?;
    Ok(VapidKeyOutcome::Done)
}

/// Whether an active subscription has the key. For the app's first key, which no index knows, those of all others are counted.
async fn is_used(c: &mut DbConnection, app: &AppId, key: VapidKeyNumber) -> sqlx::Result<bool> {
    if key.0 == 0 {
        let uses = uses_of(&mut *c, app).await?;
        let first = uses.iter().find(|it| it.key.number == key);
        return Ok(first.is_some_and(|it| it.active_subscriptions > 0));
    }
    let first = sqlx::query_scalar!(
        r#"SELECT id AS "id!" FROM subscriptions
           WHERE app_id = $1 AND vapid_key = $2 AND vapid_key > 0 AND position IS NOT NULL LIMIT 1"#,
        app.as_str(),
        key.0
    );
    Ok(first.fetch_optional(c).await?.is_some())
}

async fn remove(c: &mut DbConnection, app: &str, key: VapidKeyNumber) -> sqlx::Result<()> {
    let removed = sqlx::query!(
        "DELETE FROM vapid_keys WHERE app_id = $1 AND number = $2",
        app,
        key.0
    );
    removed.execute(c).await.map(drop)
}

async fn record(c: &mut DbConnection, event: KeyEventKind, act: VapidKeyAct) -> sqlx::Result<()> {
    let event = KeyEventRecord {
        id: act.event_id,
        event,
        key_id: act.key_id.to_string(),
        key_name: act.key_name,
        key_scope: KeyEventScope::Vapid,
        actor: act.actor,
        created_at: act.now,
    };
    record_event(c, &act.app_id, event).await
}

/// The number of the app's key that a registration names. The app keeps it until the end of the transaction.
pub(crate) async fn named_key(
    c: &mut DbConnection,
    app: &AppId,
    key: &VapidPublicKey,
) -> sqlx::Result<Result<i64, RegisterOutcome>> {
    let primary = sql!(query [
        "SELECT p.vapid_key, p.vapid_public_key FROM apps AS p
         WHERE p.id = $1 AND p.deleted_at IS NULL" KEEP_APP
    ] app.as_str());
    let Some(primary) = primary.fetch_optional(&mut *c).await? else {
        return Ok(Err(RegisterOutcome::NoApp));
    };
    if primary.vapid_public_key == key.as_bytes() {
        return Ok(Ok(primary.vapid_key));
    }
    let number = number_of(c, app, key).await?;
    Ok(number.ok_or(RegisterOutcome::UnknownVapidKey))
}

async fn number_of(
    c: &mut DbConnection,
    app: &AppId,
    key: &VapidPublicKey,
) -> sqlx::Result<Option<i64>> {
    let number = sqlx::query_scalar!(
        "SELECT number FROM vapid_keys WHERE app_id = $1 AND public_key = $2",
        app.as_str(),
        key.as_bytes()
    );
    number.fetch_optional(c).await
}
