//! The end of one subscription that was active.

use hato_domain::{AppId, Endpoint, UnixMillis};
use hato_service::ports::{DeactivationReason, RecipientId};

use crate::dialect::{DbConnection, lock_app, sql};
use crate::refusals::end_refusals;
use crate::subscription_counts::count_deactivated;
use crate::tag_positions::{TaggedPosition, clear_tags};
use crate::values::endpoint_hash;

async fn end(
    c: &mut DbConnection,
    app: &AppId,
    subscription: RecipientId,
    reason: DeactivationReason,
    now: UnixMillis,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE subscriptions
         SET position = NULL, deactivated_at = $3, deactivation_reason = $4
         WHERE app_id = $1 AND id = $2",
        app.as_str(),
        subscription.0,
        now.0,
        reason.as_str()
    )
    .execute(c)
    .await
    .map(drop)
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
    let active = sql!(query [
        r#"SELECT id AS "id!", position AS "position!", tags FROM subscriptions
           WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL"# FOR_UPDATE
    ] app.as_str(), &endpoint_hash(endpoint)[..]);
    let Some(active) = active.fetch_optional(&mut *c).await? else {
        return Ok(());
    };
    let recipient = RecipientId(active.id);
    end(c, app, recipient, reason, now).await?;
    end_refusals(c, &[recipient]).await?;
    count_deactivated(c, app, 1, now).await?;
    clear_tags_of(c, app, active.position, active.tags).await
}

/// Takes a position that nobody has any more away from the tags that its subscription had.
pub(crate) async fn clear_tags_of(
    c: &mut DbConnection,
    app: &AppId,
    position: i64,
    tags: Option<String>,
) -> sqlx::Result<()> {
    let tagged = tags.map(|tags| TaggedPosition { position, tags });
    clear_tags(c, app.as_str(), tagged.as_slice()).await
}
