//! New jobs of the queue.

use hato_domain::UnixMillis;
use hato_service::ports::RecipientId;

use crate::dialect::DbConnection;
use crate::selection::SelectedRange;
use crate::values::recipient_list;

/// Queues the first attempt for the subscriptions with `after < position <= up_to`.
pub(crate) async fn queue_positions(
    c: &mut DbConnection,
    send: &str,
    app: &str,
    (after, up_to): (i64, i64),
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO jobs (send_id, app_id, after_position, up_to_position, attempt, due_at)
         VALUES ($1, $2, $3, $4, 0, $5)",
        send,
        app,
        after,
        up_to,
        due_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Queues the first attempt for the recipients of a send to a part of the audience who stand in the range.
pub(crate) async fn queue_range(
    c: &mut DbConnection,
    send: &str,
    app: &str,
    range: SelectedRange,
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO jobs (send_id, app_id, recipients, attempt, due_at) VALUES ($1, $2, $3, 0, $4)",
        send,
        app,
        range.to_json()?,
        due_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Queues an attempt for the subscriptions of a list; it is held while the app is under review, which may have begun since the page
/// was claimed that is tried again.
pub(crate) async fn queue_list(
    c: &mut DbConnection,
    send: &str,
    app: &str,
    recipients: &[RecipientId],
    attempt: u8,
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO jobs (send_id, app_id, recipients, attempt, due_at, held)
         VALUES ($1, $2, $3, $4, $5,
                 (SELECT CASE WHEN review_since IS NULL THEN 0 ELSE 1 END FROM apps WHERE id = $2))",
        send,
        app,
        recipient_list(recipients)?,
        i64::from(attempt),
        due_at.0
    )
    .execute(c)
    .await
    .map(drop)
}
