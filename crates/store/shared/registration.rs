//! Registering a browser: an update of what is active, or an activation, which takes the app's next position.

use hato_domain::{AppId, Endpoint, Platform, SubscriptionId};
use hato_service::ports::{DeactivationReason, NewSubscription, RegisterOutcome};

use crate::accounts::parse_plan;
use crate::apps::is_live;
use crate::dialect::{DbConnection, lock_app};
use crate::subscriptions::{change_counts, deactivate, endpoint_hash};

/// Registers the browser, and deactivates what the new endpoint replaces.
pub(crate) async fn register(
    c: &mut DbConnection,
    subscription: &NewSubscription,
    limited: bool,
) -> sqlx::Result<RegisterOutcome> {
    let outcome = update_or_activate(c, subscription, limited).await?;
    let is_registered = !matches!(
        outcome,
        RegisterOutcome::LimitReached | RegisterOutcome::NoApp
    );
    if let Some(replaced) = replaced(subscription).filter(|_| is_registered) {
        let (app, reason) = (&subscription.app_id, DeactivationReason::Replaced);
        deactivate(c, app, replaced, reason, subscription.now).await?;
    }
    Ok(outcome)
}

/// The other endpoint that this one replaces.
fn replaced(new: &NewSubscription) -> Option<&Endpoint> {
    let replaced = new.replaces.as_ref();
    replaced.filter(|replaced| **replaced != new.endpoint)
}

/// Updates the record, or makes or reactivates it at a new position.
///
/// The position and the app's count are taken together, under the condition of the limit, so that no two browsers take the last
/// place. Only then the record is written; if it had a position by then after all, which a concurrent request gave it, the
/// count goes back and the number that was taken is skipped, as any position may be.
async fn update_or_activate(
    c: &mut DbConnection,
    subscription: &NewSubscription,
    limited: bool,
) -> sqlx::Result<RegisterOutcome> {
    if let Some(id) = update_active(c, subscription).await? {
        return Ok(RegisterOutcome::Updated(SubscriptionId::trusted(id)));
    }
    lock_app(c, &subscription.app_id).await?;
    let limit = limit(c, subscription, limited).await?;
    let Some(position) = take_position(c, &subscription.app_id, limit).await? else {
        return update_or_refuse(c, subscription).await;
    };
    let active = activate(c, subscription, position).await?;
    let (app, id) = (
        subscription.app_id.as_str(),
        SubscriptionId::trusted(active.public_id),
    );
    Ok(if id == subscription.id {
        RegisterOutcome::Created(id)
    } else if active.position == position {
        change_counts(c, app, (0, -1)).await?;
        RegisterOutcome::Reactivated(id)
    } else {
        change_counts(c, app, (-1, 0)).await?;
        RegisterOutcome::Updated(id)
    })
}

/// What becomes of who gets no position: an update, if an equal request has activated the record before the app was locked.
async fn update_or_refuse(
    c: &mut DbConnection,
    subscription: &NewSubscription,
) -> sqlx::Result<RegisterOutcome> {
    if let Some(id) = update_active(c, subscription).await? {
        return Ok(RegisterOutcome::Updated(SubscriptionId::trusted(id)));
    }
    Ok(if is_live(c, &subscription.app_id).await? {
        RegisterOutcome::LimitReached
    } else {
        RegisterOutcome::NoApp
    })
}

/// Below which number of active subscriptions the app takes this one. One that takes the place of an active one leaves the number
/// as it is, so no limit keeps it out (CONTRACT 5, CONTRACT 18).
async fn limit(c: &mut DbConnection, new: &NewSubscription, limited: bool) -> sqlx::Result<i64> {
    if let Some(replaced) = replaced(new)
        && is_active(c, &new.app_id, replaced).await?
    {
        return Ok(i64::MAX);
    }
    let limit = new.max_active.unwrap_or(i64::MAX);
    Ok(if limited {
        limit.min(plan_limit(c, new).await?)
    } else {
        limit
    })
}

async fn is_active(c: &mut DbConnection, app: &AppId, endpoint: &Endpoint) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM subscriptions
                          WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL)
           AS "is_active!: bool""#,
        app.as_str(),
        &endpoint_hash(endpoint)[..]
    )
    .fetch_one(c)
    .await
}

/// Below which number of active subscriptions the plan lets the app take this one: a known endpoint always (CONTRACT 5).
async fn plan_limit(c: &mut DbConnection, new: &NewSubscription) -> sqlx::Result<i64> {
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
           SET p256dh = $3, auth = $4, platform = COALESCE($5, platform)
           WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL
             AND EXISTS (SELECT 1 FROM apps WHERE id = $1 AND deleted_at IS NULL)
           RETURNING public_id AS "public_id!""#,
        new.app_id.as_str(),
        &endpoint_hash(&new.endpoint)[..],
        &new.keys.p256dh[..],
        &new.keys.auth[..],
        new.platform.as_ref().map(Platform::as_str)
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
                                      platform, position, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT (app_id, endpoint_hash) DO UPDATE
           SET p256dh = excluded.p256dh, auth = excluded.auth,
               platform = COALESCE(excluded.platform, subscriptions.platform),
               position = COALESCE(subscriptions.position, excluded.position),
               deactivated_at = NULL, deactivation_reason = NULL
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
