//! Registering a browser: an update of what is active, or an activation, which takes the app's next position.

use hato_domain::{AppId, LanguageTag, Platform, SubscriptionId, Tags, TimeZoneName, UserId};
use hato_service::ports::{DeactivationReason, NewSubscription, RegisterOutcome};

use crate::apps::is_live;
use crate::deactivation::deactivate;
use crate::dialect::{DbConnection, lock_app};
use crate::origins::{new_origin, remember_origin};
use crate::profiles::{ProfileRow, SubscriptionScope, find_for_update, retag};
use crate::registered_profile::{Registration, WrittenProfile};
use crate::subscription_counts::{change_counts, count_growth};
use crate::values::{endpoint_hash, parse_plan, parse_tags};

/// Registers the browser, remembers its site, and deactivates what the new endpoint replaces.
pub(crate) async fn register(
    c: &mut DbConnection,
    subscription: &NewSubscription,
    limited: bool,
) -> sqlx::Result<RegisterOutcome> {
    let registration = match Registration::begin(c, subscription).await? {
        Ok(registration) => registration,
        Err(refusal) => return Ok(refusal),
    };
    let new_origin = new_origin(c, subscription).await?;
    let outcome = update_or_activate(c, &registration, limited).await?;
    if !is_registered(&outcome) {
        return Ok(outcome);
    }
    if let Some(origin) = new_origin {
        remember_origin(c, &subscription.app_id, origin).await?;
    }
    if let Some(replaced) = registration.replaced() {
        let (app, reason) = (&subscription.app_id, DeactivationReason::Replaced);
        deactivate(c, app, replaced.endpoint, reason, subscription.now).await?;
        replaced.give_up(c).await?;
    }
    Ok(outcome)
}

const fn is_registered(outcome: &RegisterOutcome) -> bool {
    !matches!(
        outcome,
        RegisterOutcome::LimitReached | RegisterOutcome::TooManyTags | RegisterOutcome::NoApp
    )
}

/// Updates the record, or makes or reactivates it at a new position.
///
/// The position and the app's count are taken together, under the condition of the limit, so that no two browsers take the last
/// place. Only then the record is written; if it had a position by then after all, which a concurrent request gave it, the
/// count goes back and the number that was taken is skipped, as any position may be.
async fn update_or_activate(
    c: &mut DbConnection,
    registration: &Registration<'_>,
    limited: bool,
) -> sqlx::Result<RegisterOutcome> {
    if let Some(outcome) = update_active(c, registration).await? {
        return Ok(outcome);
    }
    let new = registration.new;
    lock_app(c, &new.app_id).await?;
    let stored = find_stored(c, registration, SubscriptionScope::All).await?;
    let Some(profile) = registration.profile_over(stored.as_ref())? else {
        return Ok(RegisterOutcome::TooManyTags);
    };
    let limit = limit(c, registration, limited).await?;
    let Some(position) = take_position(c, &new.app_id, limit).await? else {
        return update_or_refuse(c, registration).await;
    };
    let active = activate(c, registration, &profile, position).await?;
    let outcome = settle_count(c, new, &active, position).await?;
    tag_activated(c, &new.app_id, stored.as_ref(), &active, position).await?;
    Ok(outcome)
}

/// What is stored of the endpoint, if the registration has to know it.
async fn find_stored(
    c: &mut DbConnection,
    registration: &Registration<'_>,
    among: SubscriptionScope,
) -> sqlx::Result<Option<ProfileRow>> {
    if !registration.asks_for_stored() {
        return Ok(None);
    }
    let new = registration.new;
    find_for_update(c, &new.app_id, &new.endpoint, among).await
}

/// Says what became of the registration, and corrects the app's counts where it made no new subscription.
async fn settle_count(
    c: &mut DbConnection,
    new: &NewSubscription,
    active: &ActivatedRow,
    position: i64,
) -> sqlx::Result<RegisterOutcome> {
    let app = new.app_id.as_str();
    let id = SubscriptionId::trusted(active.public_id.clone());
    Ok(if id == new.id {
        count_growth(c, app, new.now, (1, 0)).await?;
        RegisterOutcome::Created(id)
    } else if active.position == position {
        change_counts(c, app, (0, -1)).await?;
        count_growth(c, app, new.now, (1, 0)).await?;
        RegisterOutcome::Reactivated(id)
    } else {
        change_counts(c, app, (-1, 0)).await?;
        RegisterOutcome::Updated(id)
    })
}

/// Records the tags of a subscription that has just got its position, or those that it has got at the one that it had after all.
async fn tag_activated(
    c: &mut DbConnection,
    app: &AppId,
    stored: Option<&ProfileRow>,
    active: &ActivatedRow,
    position: i64,
) -> sqlx::Result<()> {
    let tags = parse_tags(active.tags.as_deref())?;
    let before = match stored {
        _ if active.position == position => Tags::default(),
        Some(stored) => stored.profile()?.tags,
        None => tags.clone(),
    };
    retag(c, app, active.position, &before, &tags).await
}

/// What becomes of who gets no position: an update, if an equal request has activated the record before the app was locked.
async fn update_or_refuse(
    c: &mut DbConnection,
    registration: &Registration<'_>,
) -> sqlx::Result<RegisterOutcome> {
    if let Some(outcome) = update_active(c, registration).await? {
        return Ok(outcome);
    }
    Ok(if is_live(c, &registration.new.app_id).await? {
        RegisterOutcome::LimitReached
    } else {
        RegisterOutcome::NoApp
    })
}

/// Below which number of active subscriptions the app takes this one. One that takes the place of an active one leaves the number
/// as it is, so no limit keeps it out (CONTRACT 5, CONTRACT 18).
async fn limit(
    c: &mut DbConnection,
    registration: &Registration<'_>,
    limited: bool,
) -> sqlx::Result<i64> {
    if registration.replaced().is_some_and(|it| it.is_active) {
        return Ok(i64::MAX);
    }
    let new = registration.new;
    let limit = new.max_active.unwrap_or(i64::MAX);
    Ok(if limited {
        limit.min(plan_limit(c, new).await?)
    } else {
        limit
    })
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

/// Updates the record if there is an active one; `None` when there is none.
async fn update_active(
    c: &mut DbConnection,
    registration: &Registration<'_>,
) -> sqlx::Result<Option<RegisterOutcome>> {
    let new = registration.new;
    let stored = find_stored(c, registration, SubscriptionScope::Active).await?;
    if stored.is_none() && registration.asks_for_stored() {
        return Ok(None);
    }
    let Some(profile) = registration.profile_over(stored.as_ref())? else {
        return Ok(Some(RegisterOutcome::TooManyTags));
    };
    let Some(id) = write_active(c, registration, &profile).await? else {
        return Ok(None);
    };
    if let Some((stored, position)) = stored.and_then(|it| it.position.map(|at| (it, at))) {
        let (before, tags) = (stored.profile()?.tags, parse_tags(profile.tags.as_deref())?);
        retag(c, &new.app_id, position, &before, &tags).await?;
    }
    Ok(Some(RegisterOutcome::Updated(SubscriptionId::trusted(id))))
}

/// Writes the active record, and returns its public id.
async fn write_active(
    c: &mut DbConnection,
    registration: &Registration<'_>,
    profile: &WrittenProfile,
) -> sqlx::Result<Option<String>> {
    let new = registration.new;
    sqlx::query_scalar!(
        r#"UPDATE subscriptions
           SET p256dh = $3, auth = $4, platform = COALESCE($5, platform),
               user_id = COALESCE($6, user_id), tags = NULLIF(COALESCE($7, tags), '[]'),
               lang = COALESCE($8, lang), time_zone = COALESCE($9, time_zone),
               vapid_key = COALESCE($10, vapid_key)
           WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL
             AND EXISTS (SELECT 1 FROM apps WHERE id = $1 AND deleted_at IS NULL)
           RETURNING public_id AS "public_id!""#,
        new.app_id.as_str(),
        &endpoint_hash(&new.endpoint)[..],
        &new.keys.p256dh[..],
        &new.keys.auth[..],
        new.platform.as_ref().map(Platform::as_str),
        profile.user_id.as_ref().map(UserId::as_str),
        profile.tags,
        profile.lang.as_ref().map(LanguageTag::as_str),
        profile.time_zone.as_ref().map(TimeZoneName::as_str),
        registration.vapid_key
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

pub(crate) struct ActivatedRow {
    public_id: String,
    position: i64,
    tags: Option<String>,
}

/// Makes the record, or gives the one that is there a position. A concurrent request may have done so first: then the
/// position that is there stays. A record keeps its VAPID key while the app has that, unless the client names one (CONTRACT 16), and its
/// user unless another subscription has taken that over (CONTRACT 12).
pub(crate) async fn activate(
    c: &mut DbConnection,
    registration: &Registration<'_>,
    profile: &WrittenProfile,
    position: i64,
) -> sqlx::Result<ActivatedRow> {
    let new = registration.new;
    sqlx::query_as!(
        ActivatedRow,
        r#"INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                      platform, position, created_at, user_id, tags, lang, time_zone,
                                      vapid_key)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULLIF($11, '[]'), $12, $13,
                   COALESCE(CAST($14 AS BIGINT), (SELECT vapid_key FROM apps WHERE id = $2)))
           ON CONFLICT (app_id, endpoint_hash) DO UPDATE
           SET p256dh = excluded.p256dh, auth = excluded.auth,
               platform = COALESCE(excluded.platform, subscriptions.platform),
               position = COALESCE(subscriptions.position, excluded.position),
               deactivated_at = NULL, deactivation_reason = NULL, handed_on = NULL,
               user_id = CASE WHEN excluded.user_id IS NULL
                                   AND subscriptions.handed_on IS NULL
                                   AND COALESCE(subscriptions.deactivation_reason, '') <> 'replaced'
                              THEN subscriptions.user_id ELSE excluded.user_id END,
               tags = NULLIF(COALESCE($11, subscriptions.tags), '[]'),
               lang = COALESCE(excluded.lang, subscriptions.lang),
               time_zone = COALESCE(excluded.time_zone, subscriptions.time_zone),
               vapid_key = CASE WHEN CAST($14 AS BIGINT) IS NULL AND EXISTS
                                     (SELECT 1 FROM vapid_keys AS k
                                      WHERE k.app_id = $2 AND k.number = subscriptions.vapid_key)
                                THEN subscriptions.vapid_key ELSE excluded.vapid_key END
           RETURNING public_id AS "public_id!", position AS "position!", tags AS "tags?""#,
        new.id.as_str(),
        new.app_id.as_str(),
        new.endpoint.as_str(),
        &endpoint_hash(&new.endpoint)[..],
        &new.keys.p256dh[..],
        &new.keys.auth[..],
        new.platform.as_ref().map(Platform::as_str),
        position,
        new.created_at.0,
        profile.user_id.as_ref().map(UserId::as_str),
        profile.tags,
        profile.lang.as_ref().map(LanguageTag::as_str),
        profile.time_zone.as_ref().map(TimeZoneName::as_str),
        registration.vapid_key
    )
    .fetch_one(c)
    .await
}
