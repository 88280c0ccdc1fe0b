//! Events of the outbox as they are read.

use hato_domain::{AppId, EventType, ResultStatus, SendId, UnixMillis, WebhookEventId};
use hato_service::ports::{
    EventContent, KnownRecipient, RecipientId, ResultGroup, SendCounts, WebhookEvent,
};

use crate::Database;
use crate::dialect::{readers, sql};
use crate::failure::unreadable;
use crate::queue::number_list;

struct EventRow {
    id: i64,
    public_id: String,
    kind: String,
    send_id: Option<String>,
    content: String,
    created_at: i64,
    attempts: i64,
    resend_at: Option<i64>,
}

impl EventRow {
    fn into_event(self) -> sqlx::Result<WebhookEvent> {
        Ok(WebhookEvent {
            number: self.id,
            id: WebhookEventId::trusted(self.public_id),
            content: content(&self.kind, self.send_id, &self.content)?,
            created_at: UnixMillis(self.created_at),
            attempts: count(self.attempts)?,
            resend: self.resend_at.map(UnixMillis),
        })
    }
}

/// A number of attempts.
pub(crate) fn count(number: i64) -> sqlx::Result<u32> {
    u32::try_from(number).map_err(|_| unreadable("number of attempts"))
}

/// The kind of an event as it is stored.
pub(crate) fn kind(text: &str) -> sqlx::Result<EventType> {
    EventType::parse(text).ok_or_else(|| unreadable("kind of event"))
}

fn content(kind_text: &str, send: Option<String>, text: &str) -> sqlx::Result<EventContent> {
    let send = || send.map(SendId::trusted).ok_or_else(|| unreadable("event"));
    Ok(match kind(kind_text)? {
        EventType::DeliveryResults => EventContent::Results(send()?, groups(text)?),
        EventType::SendCompleted => {
            let (recipients, counts) = counts(text)?;
            EventContent::Completed(send()?, recipients, counts)
        }
        EventType::Test => EventContent::Test,
    })
}

fn groups(text: &str) -> sqlx::Result<Vec<ResultGroup>> {
    let groups: Vec<(String, Option<u16>, u8, Vec<i64>)> =
        serde_json::from_str(text).map_err(|_| unreadable("event"))?;
    let group = |(status, http_status, attempts, recipients): (String, _, _, Vec<i64>)| {
        Ok(ResultGroup {
            status: ResultStatus::parse(&status).ok_or_else(|| unreadable("status"))?,
            http_status,
            attempts,
            recipients: recipients.into_iter().map(RecipientId).collect(),
        })
    };
    groups.into_iter().map(group).collect()
}

fn counts(text: &str) -> sqlx::Result<(i64, SendCounts)> {
    let numbers: [i64; 6] = serde_json::from_str(text).map_err(|_| unreadable("event"))?;
    let [
        recipients,
        sent,
        failed_expired,
        failed_other,
        skipped,
        cancelled,
    ] = numbers;
    let counts = SendCounts {
        sent,
        failed_expired,
        failed_other,
        skipped,
        cancelled,
    };
    Ok((recipients, counts))
}

/// Which event of an app has this id.
pub(crate) async fn find(
    database: &Database,
    app: &AppId,
    event: &WebhookEventId,
) -> sqlx::Result<Option<WebhookEvent>> {
    let (app, event) = (app.as_str(), event.as_str());
    let row = sqlx::query_as!(
        EventRow,
        "SELECT id, public_id, type AS kind, send_id, content, created_at, attempts, resend_at
         FROM webhook_events WHERE public_id = $1 AND app_id = $2",
        event,
        app
    )
    .fetch_optional(readers(database))
    .await?;
    row.map(EventRow::into_event).transpose()
}

/// Events of the app that were never posted, in the order of settlement, those in flight aside.
pub(crate) async fn first(
    database: &Database,
    app: &AppId,
    in_flight: &str,
    limit: i64,
) -> sqlx::Result<Vec<WebhookEvent>> {
    let app = app.as_str();
    let rows = sql!(query_as EventRow [
        "SELECT id, public_id, type AS kind, send_id, content, created_at, attempts, resend_at
         FROM webhook_events
         WHERE app_id = $2 AND due_at IS NOT NULL AND attempts = 0 AND id NOT IN (" NUMBERS ")
         ORDER BY id LIMIT $3"
    ] in_flight, app, limit)
    .fetch_all(readers(database))
    .await?;
    rows.into_iter().map(EventRow::into_event).collect()
}

/// Events of the app whose owner asked for an attempt, those in flight aside.
pub(crate) async fn resends(
    database: &Database,
    app: &AppId,
    in_flight: &str,
    limit: i64,
) -> sqlx::Result<Vec<WebhookEvent>> {
    let app = app.as_str();
    let rows = sql!(query_as EventRow [
        "SELECT id, public_id, type AS kind, send_id, content, created_at, attempts, resend_at
         FROM webhook_events
         WHERE app_id = $2 AND resend_at IS NOT NULL AND id NOT IN (" NUMBERS ")
         ORDER BY resend_at, id LIMIT $3"
    ] in_flight, app, limit)
    .fetch_all(readers(database))
    .await?;
    rows.into_iter().map(EventRow::into_event).collect()
}

/// Events of the app that are due to be posted again by themselves, those in flight aside.
pub(crate) async fn again(
    database: &Database,
    app: &AppId,
    in_flight: &str,
    now: UnixMillis,
    limit: i64,
) -> sqlx::Result<Vec<WebhookEvent>> {
    let app = app.as_str();
    let rows = sql!(query_as EventRow [
        "SELECT id, public_id, type AS kind, send_id, content, created_at, attempts, resend_at
         FROM webhook_events
         WHERE app_id = $2 AND due_at IS NOT NULL AND due_at <= $3 AND attempts > 0
           AND resend_at IS NULL AND id NOT IN (" NUMBERS ")
         ORDER BY due_at, id LIMIT $4"
    ] in_flight, app, now.0, limit)
    .fetch_all(readers(database))
    .await?;
    rows.into_iter().map(EventRow::into_event).collect()
}

/// The recipients with these numbers, in their order. They come as one text: row by row costs several times as much.
pub(crate) async fn known_recipients(
    database: &Database,
    recipients: &[RecipientId],
) -> sqlx::Result<Vec<KnownRecipient>> {
    let numbers: Vec<i64> = recipients.iter().map(|it| it.0).collect();
    let numbers = number_list(&numbers)?;
    let text = sql!(query_scalar [
        "SELECT " SUBSCRIPTION_LIST r#" AS "list!: String"
         FROM (SELECT id, public_id, endpoint FROM subscriptions
               WHERE id IN ("# NUMBERS r#") ORDER BY id) AS s"#
    ] numbers)
    .fetch_one(readers(database))
    .await?;
    let known: Vec<(i64, String, String)> =
        serde_json::from_str(&text).map_err(|_| unreadable("list of subscriptions"))?;
    let known = known
        .into_iter()
        .map(|(id, subscription_id, endpoint)| KnownRecipient {
            id: RecipientId(id),
            subscription_id,
            endpoint,
        });
    let mut known: Vec<_> = known.collect();
    known.sort_unstable_by_key(|one| one.id);
    Ok(known)
}
