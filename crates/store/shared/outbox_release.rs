//! Giving an outbox back: when it is due again.

use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::OutboxLease;

use crate::dialect::{DbConnection, lock_webhook, sql};
use crate::stored_event::known_types;

/// How long an outbox rests in which only events are due whose types this version does not know.
const UNKNOWN_TYPE_REST: Duration = Duration::from_secs(5);

/// A new token, so that the released lease records nothing any more. An event of a type that this version does not know is due for those
/// that know it: the outbox rests a little, so that one of them comes to it first.
pub(crate) async fn release(
    c: &mut DbConnection,
    outbox: &OutboxLease,
    not_before: i64,
) -> sqlx::Result<()> {
    lock_webhook(c, &outbox.app_id).await?;
    let app = outbox.app_id.as_str();
    let due_at = due_again(c, app, not_before).await?;
    sqlx::query!(
        "UPDATE webhooks SET due_at = $3, lease_token = lease_token + 1, claimed = 0
         WHERE app_id = $1 AND lease_token = $2",
        app,
        outbox.token,
        due_at
    )
    .execute(c)
    .await
    .map(drop)
}

/// When the outbox is due again, if it has any event that waits.
async fn due_again(c: &mut DbConnection, app: &str, not_before: i64) -> sqlx::Result<Option<i64>> {
    let known = next_event(c, app, false).await?;
    let any = next_event(c, app, true).await?;
    let later = UnixMillis(not_before).plus(UNKNOWN_TYPE_REST).0;
    let known = known.map(|due_at| due_at.max(not_before));
    let any = any.map(|due_at| due_at.max(later));
    Ok(known.into_iter().chain(any).min())
}

/// When the first of the app's events is due, of any type or of those that this version knows. A resend is due at once.
async fn next_event(
    c: &mut DbConnection,
    app: &str,
    of_any_type: bool,
) -> sqlx::Result<Option<i64>> {
    sql!(query_scalar [
        r#"SELECT CASE WHEN EXISTS (SELECT 1 FROM webhook_events
                                    WHERE app_id = $2 AND resend_at IS NOT NULL
                                      AND ($3 OR type IN ("# TEXTS r#")))
                       THEN 0
                       ELSE (SELECT MIN(due_at) FROM webhook_events
                             WHERE app_id = $2 AND due_at IS NOT NULL
                               AND ($3 OR type IN ("# TEXTS r#")))
                  END AS "due_at?: i64""#
    ] known_types()?, app, of_any_type)
    .fetch_one(c)
    .await
}
