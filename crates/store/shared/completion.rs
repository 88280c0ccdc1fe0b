//! The end of a send: when no page of it is left, and the event that tells so.

use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::SendCounts;

use crate::dialect::DbConnection;
use crate::event_readers::EventReaders;
use crate::webhook_events::insert_completed_event;

/// Ends the send, which is locked, when no page of it is left: whoever is not counted by then was no longer subscribed. Returns
/// whether an event for it was written, as it is when somebody reads the app's.
pub(crate) async fn finish(
    c: &mut DbConnection,
    send: (&AppId, &SendId),
    readers: EventReaders,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    let finished = end_if_settled(c, send, now).await?;
    let Some(finished) = finished.filter(|_| readers.any()) else {
        return Ok(false);
    };
    let counted = (finished.recipients, finished.counts());
    insert_completed_event(c, readers, send, counted, now).await?;
    Ok(true)
}

/// A send that has just ended.
struct FinishedRow {
    recipients: i64,
    sent: i64,
    failed_expired: i64,
    failed_other: i64,
    skipped: i64,
    cancelled: i64,
}

impl FinishedRow {
    const fn counts(&self) -> SendCounts {
        SendCounts {
            sent: self.sent,
            failed_expired: self.failed_expired,
            failed_other: self.failed_other,
            skipped: self.skipped,
            cancelled: self.cancelled,
        }
    }
}

async fn end_if_settled(
    c: &mut DbConnection,
    (app, send): (&AppId, &SendId),
    now: UnixMillis,
) -> sqlx::Result<Option<FinishedRow>> {
    sqlx::query_as!(
        FinishedRow,
        r#"UPDATE sends SET status = CASE WHEN cancelled > 0 THEN 'cancelled' ELSE 'done' END,
                            finished_at = $3,
                            skipped = recipients - sent - failed_expired - failed_other - cancelled
           WHERE app_id = $1 AND id = $2 AND finished_at IS NULL
             AND NOT EXISTS (SELECT 1 FROM jobs WHERE send_id = $2)
           RETURNING recipients AS "recipients!", sent AS "sent!",
                     failed_expired AS "failed_expired!", failed_other AS "failed_other!",
                     skipped AS "skipped!", cancelled AS "cancelled!""#,
        app.as_str(),
        send.as_str(),
        now.0
    )
    .fetch_optional(c)
    .await
}
