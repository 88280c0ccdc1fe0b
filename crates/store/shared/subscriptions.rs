//! Subscriptions: one record per app and endpoint, active while it has a position.
//!
//! Positions only grow: who comes back gets a new one at the end. So "the active subscriptions up to position n" never gains
//! anybody, and a send that remembers the app's last position reaches the audience of the moment when it was accepted.

use async_trait::async_trait;
use hato_domain::{AppId, Endpoint, Platform, SubscriptionId, UnixMillis};
use hato_service::ports::{
    NewSubscription, RegisterOutcome, StoreError, SubscriptionFilter, SubscriptionPage,
    SubscriptionStore,
};
use sha2::{Digest as _, Sha256};

use crate::Database;
use crate::accounts::parse_plan;
use crate::dialect::{DbConnection, lock_app, transaction};
use crate::error::with_context;
use crate::subscription_list::list;

#[async_trait]
impl SubscriptionStore for Database {
    async fn register_subscription(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError> {
        transaction!(self, "register a subscription", |c| {
            register(c, &subscription, false).await
        })
    }

    async fn register_within_limit(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError> {
        transaction!(self, "register a subscription within the limit", |c| {
            register(c, &subscription, true).await
        })
    }

    async fn unsubscribe(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        let (app, hash) = (app.clone(), endpoint_hash(endpoint));
        transaction!(self, "unsubscribe", |c| {
            lock_app(c, &app).await?;
            let deactivated = sqlx::query!(
                "UPDATE subscriptions
                 SET position = NULL, deactivated_at = $3, deactivation_reason = 'unsubscribed',
                     updated_at = $3
                 WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL",
                app.as_str(),
                &hash[..],
                now.0
            )
            .execute(&mut *c)
            .await?;
            decrement_active(c, &app, deactivated.rows_affected()).await
        })
    }

    async fn subscriptions_of(
        &self,
        app: &AppId,
        filter: &SubscriptionFilter,
        before: Option<i64>,
        limit: i64,
    ) -> Result<SubscriptionPage, StoreError> {
        list(self, app, filter, before, limit)
            .await
            .map_err(with_context("list subscriptions"))
    }

    async fn remove_subscription(
        &self,
        app: &AppId,
        subscription: &SubscriptionId,
    ) -> Result<bool, StoreError> {
        let (app, subscription) = (app.clone(), subscription.clone());
        transaction!(self, "remove a subscription", |c| {
            lock_app(c, &app).await?;
            let was_active = sqlx::query_scalar!(
                r#"DELETE FROM subscriptions WHERE app_id = $1 AND public_id = $2
                   RETURNING position IS NOT NULL AS "was_active!: bool""#,
                app.as_str(),
                subscription.as_str()
            )
            .fetch_optional(&mut *c)
            .await?;
            decrement_active(c, &app, u64::from(was_active == Some(true))).await?;
            Ok(was_active.is_some())
        })
    }
}

/// By which an endpoint of up to 2,048 bytes is indexed.
pub(crate) fn endpoint_hash(endpoint: &Endpoint) -> [u8; 32] {
    Sha256::digest(endpoint.as_str()).into()
}

/// Updates the record, or makes or reactivates it at a new position.
///
/// The position and the app's count are taken together, under the condition of the limit, so that no two browsers take the last
/// place. Only then the record is written; if it had a position by then after all, which a concurrent request gave it, the
/// count goes back and the number that was taken is skipped, as any position may be.
async fn register(
    c: &mut DbConnection,
    subscription: &NewSubscription,
    limited: bool,
) -> sqlx::Result<RegisterOutcome> {
    if let Some(id) = update_active(c, subscription).await? {
        return Ok(RegisterOutcome::Updated(SubscriptionId::trusted(id)));
    }
    lock_app(c, &subscription.app_id).await?;
    let limit = if limited {
        limit_for(c, subscription).await?
    } else {
        i64::MAX
    };
    let Some(position) = take_position(c, &subscription.app_id, limit).await? else {
        return Ok(refusal(limit));
    };
    let active = activate(c, subscription, position).await?;
    if active.position != position {
        decrement_active(c, &subscription.app_id, 1).await?;
    }
    let id = SubscriptionId::trusted(active.public_id);
    Ok(if id == subscription.id {
        RegisterOutcome::Created(id)
    } else if active.position == position {
        RegisterOutcome::Reactivated(id)
    } else {
        RegisterOutcome::Updated(id)
    })
}

/// No position was to be had below this limit.
fn refusal(limit: i64) -> RegisterOutcome {
    if limit == i64::MAX {
        RegisterOutcome::NoApp
    } else {
        RegisterOutcome::LimitReached
    }
}

/// Below which number of active subscriptions the app takes this one: a known endpoint is always taken (CONTRACT 5).
async fn limit_for(c: &mut DbConnection, new: &NewSubscription) -> sqlx::Result<i64> {
    let row = sqlx::query!(
        r#"SELECT a.plan,
                  EXISTS (SELECT 1 FROM subscriptions AS s
                          WHERE s.app_id = p.id AND s.endpoint_hash = $2) AS "is_known!: bool"
           FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
           WHERE p.id = $1 AND p.deleted_at IS NULL"#,
        new.app_id.as_str(),
        &endpoint_hash(&new.endpoint)[..]
    )
    .fetch_optional(c)
    .await?;
    match row {
        Some(row) if !row.is_known => Ok(parse_plan(&row.plan)?
            .max_subscriptions()
            .unwrap_or(i64::MAX)),
        Some(_) | None => Ok(i64::MAX),
    }
}

/// Updates the record if there is an active one, and returns its public id.
async fn update_active(
    c: &mut DbConnection,
    new: &NewSubscription,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        r#"UPDATE subscriptions
           SET p256dh = $3, auth = $4, platform = COALESCE($5, platform), updated_at = $6
           WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL
             AND EXISTS (SELECT 1 FROM apps WHERE id = $1 AND deleted_at IS NULL)
           RETURNING public_id AS "public_id!""#,
        new.app_id.as_str(),
        &endpoint_hash(&new.endpoint)[..],
        &new.keys.p256dh[..],
        &new.keys.auth[..],
        new.platform.as_ref().map(Platform::as_str),
        new.now.0
    )
    .fetch_optional(c)
    .await
}

/// Counts one more active subscription and returns its position; `None` when the app is gone or has `limit` of them.
async fn take_position(c: &mut DbConnection, app: &AppId, limit: i64) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        r#"UPDATE apps
           SET last_position = last_position + 1, active_subscriptions = active_subscriptions + 1
           WHERE id = $1 AND deleted_at IS NULL AND active_subscriptions < $2
           RETURNING last_position AS "last_position!""#,
        app.as_str(),
        limit
    )
    .fetch_optional(c)
    .await
}

struct ActivatedRow {
    public_id: String,
    position: i64,
}

/// Makes the record, or gives the one that is there a position. A concurrent request may have done so first: then the
/// position that is there stays.
async fn activate(
    c: &mut DbConnection,
    new: &NewSubscription,
    position: i64,
) -> sqlx::Result<ActivatedRow> {
    sqlx::query_as!(
        ActivatedRow,
        r#"INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                      platform, position, created_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
           ON CONFLICT (app_id, endpoint_hash) DO UPDATE
           SET p256dh = excluded.p256dh, auth = excluded.auth,
               platform = COALESCE(excluded.platform, subscriptions.platform),
               position = COALESCE(subscriptions.position, excluded.position),
               deactivated_at = NULL, deactivation_reason = NULL,
               updated_at = excluded.updated_at
           RETURNING public_id AS "public_id!", position AS "position!""#,
        new.id.as_str(),
        new.app_id.as_str(),
        new.endpoint.as_str(),
        &endpoint_hash(&new.endpoint)[..],
        &new.keys.p256dh[..],
        &new.keys.auth[..],
        new.platform.as_ref().map(Platform::as_str),
        position,
        new.now.0
    )
    .fetch_one(c)
    .await
}

/// Lowers the number of active subscriptions.
pub(crate) async fn decrement_active(
    c: &mut DbConnection,
    app: &AppId,
    less: u64,
) -> sqlx::Result<()> {
    if less == 0 {
        return Ok(());
    }
    sqlx::query!(
        "UPDATE apps SET active_subscriptions = active_subscriptions - $2 WHERE id = $1",
        app.as_str(),
        i64::try_from(less).unwrap_or(i64::MAX)
    )
    .execute(c)
    .await
    .map(drop)
}
