//! Events of what recipients of a send did: once a day at most, while there is something new (CONTRACT 15).

use hato_domain::{AppId, EventType, SendId, UnixMillis};
use hato_service::ports::EngagementCounts;

use crate::Database;
use crate::dialect::{DbConnection, readers};
use crate::error::json;
use crate::event_readers::EventReaders;
use crate::stored_event::{NewEvent, StoredCounts};
use crate::values::parse_clicks;
use crate::webhook_events::insert_event;

/// Sends whose webhook is to be told, those first that wait longest.
pub(crate) async fn due_sends(
    database: &Database,
    now: UnixMillis,
    limit: i64,
) -> sqlx::Result<Vec<SendId>> {
    let due = sqlx::query_scalar!(
        "SELECT id FROM sends WHERE engagement_due_at <= $1 ORDER BY engagement_due_at, id LIMIT $2",
        now.0,
        limit
    );
    let due = due.fetch_all(readers(database)).await?;
    Ok(due.into_iter().map(SendId::trusted).collect())
}

struct DueEngagementRow {
    app_id: String,
    displayed: i64,
    clicked: i64,
    dismissed: i64,
    clicks_by_action: Option<String>,
    is_deleted: bool,
}

/// Writes the event, if somebody reads the app's: who comes later is told nothing of what was before.
pub(crate) async fn queue_engagement_events(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<()> {
    let due = take_due(c, send, now).await?;
    let Some(due) = due.filter(|row| !row.is_deleted) else {
        return Ok(());
    };
    let app = AppId::trusted(due.app_id.clone());
    let readers = EventReaders::find(c, &app, now).await?;
    if !readers.any() {
        return Ok(());
    }
    let event = NewEvent {
        app: &app,
        kind: EventType::SendEngagement,
        send: Some(send),
        content: &json(&StoredCounts::from(due.into_counts()?))?,
        now,
    };
    insert_event(c, readers, &event).await
}

/// What is to be told of the send, if it still is; it counts as told then.
async fn take_due(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<Option<DueEngagementRow>> {
    sqlx::query_as!(
        DueEngagementRow,
        r#"UPDATE sends SET engagement_due_at = NULL, engagement_told_at = $2
           WHERE id = $1 AND engagement_due_at <= $2
           RETURNING app_id AS "app_id!", displayed AS "displayed!", clicked AS "clicked!",
                     dismissed AS "dismissed!", clicks_by_action AS "clicks_by_action?",
                     EXISTS (SELECT 1 FROM apps AS own
                             WHERE own.id = sends.app_id AND own.deleted_at IS NOT NULL)
                     AS "is_deleted!: bool""#,
        send.as_str(),
        now.0
    )
    .fetch_optional(c)
    .await
}

impl DueEngagementRow {
    fn into_counts(self) -> sqlx::Result<EngagementCounts> {
        Ok(EngagementCounts {
            displayed: self.displayed,
            clicked: self.clicked,
            dismissed: self.dismissed,
            clicks_by_action: parse_clicks(self.clicks_by_action.as_deref())?,
        })
    }
}
