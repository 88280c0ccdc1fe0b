//! Subscriptions: one record per app and endpoint, active while it has a position.
//!
//! Positions only grow: who comes back gets a new one at the end. So "the active subscriptions up to position n" never gains
//! anybody, and a send that remembers the app's last position reaches the audience of the moment when it was accepted.

use async_trait::async_trait;
use hato_domain::{AppId, Endpoint, SubscriptionId, UnixMillis};
use hato_service::ports::{
    DeactivationReason, NewSubscription, RecipientId, RegisterOutcome, StoreError,
    SubscriptionFilter, SubscriptionPage, SubscriptionStore,
};
use sha2::{Digest as _, Sha256};

use crate::Database;
use crate::dialect::{DbConnection, lock_app, readers, transaction};
use crate::error::with_context;
use crate::refusals::end_refusals;
use crate::registration::register;
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

    async fn knows_endpoint(&self, app: &AppId, endpoint: &Endpoint) -> Result<bool, StoreError> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM subscriptions
                              WHERE app_id = $1 AND endpoint_hash = $2) AS "is_known!: bool""#,
            app.as_str(),
            &endpoint_hash(endpoint)[..]
        )
        .fetch_one(readers(self))
        .await
        .map_err(with_context("look for an endpoint"))
    }

    async fn unsubscribe(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        let (app, endpoint) = (app.clone(), endpoint.clone());
        transaction!(self, "unsubscribe", |c| {
            deactivate(c, &app, &endpoint, DeactivationReason::Unsubscribed, now).await
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

/// Deactivates the app's subscription with this endpoint, if it is there and active.
pub(crate) async fn deactivate(
    c: &mut DbConnection,
    app: &AppId,
    endpoint: &Endpoint,
    reason: DeactivationReason,
    now: UnixMillis,
) -> sqlx::Result<()> {
    lock_app(c, app).await?;
    let deactivated = sqlx::query_scalar!(
        r#"UPDATE subscriptions
           SET position = NULL, deactivated_at = $3, deactivation_reason = $4, updated_at = $3
           WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL
           RETURNING id AS "id!""#,
        app.as_str(),
        &endpoint_hash(endpoint)[..],
        now.0,
        reason.as_str()
    )
    .fetch_optional(&mut *c)
    .await?;
    let Some(number) = deactivated else {
        return Ok(());
    };
    end_refusals(c, &[RecipientId(number)]).await?;
    decrement_active(c, app, 1).await
}

/// By which an endpoint of up to 2,048 bytes is indexed.
pub(crate) fn endpoint_hash(endpoint: &Endpoint) -> [u8; 32] {
    Sha256::digest(endpoint.as_str()).into()
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
