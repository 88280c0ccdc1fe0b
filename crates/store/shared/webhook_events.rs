//! Events: written in the transaction that counts what they tell of, for apps whose webhook is active or that somebody listens to; read
//! to be posted.
//! An event is small: its content names recipients by number, and the body is made of it for each attempt.

use std::collections::BTreeMap;

use hato_domain::{AppId, EventType, ResultStatus, SendId, UnixMillis, WebhookEventId};
use hato_service::ports::{
    EventContent, IdRange, MAX_WAITING_TESTS, RecipientId, ResultGroup, SendCounts, Settlement,
    WebhookEvent,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::dialect::{DbConnection, lock_webhook};
use crate::error::{decode_error, json};
use crate::event_readers::EventReaders;
use crate::listeners::insert_heard_event;
use crate::settlement::SettledPage;
use crate::untold_engagement::parse_engagement;
use crate::webhooks::mark_due;

/// Writes the event that tells what became of a page's recipients; `false` and none when nothing is final yet.
pub(crate) async fn insert_results_event(
    c: &mut DbConnection,
    readers: EventReaders,
    page: &SettledPage,
    settlement: &Settlement,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    let groups = groups(page.attempt, settlement);
    if groups.is_empty() {
        return Ok(false);
    }
    let event = NewEvent {
        app: &page.app_id,
        kind: EventType::DeliveryResults,
        send: Some(&page.send_id),
        content: &json(&groups)?,
        now,
    };
    insert_event(c, readers, &event).await?;
    Ok(true)
}

/// Writes the event that tells that every recipient of a send is settled.
pub(crate) async fn insert_completed_event(
    c: &mut DbConnection,
    readers: EventReaders,
    (app, send): (&AppId, &SendId),
    (recipients, counts): (i64, SendCounts),
    now: UnixMillis,
) -> sqlx::Result<()> {
    let numbers = [
        recipients,
        counts.sent,
        counts.failed_expired,
        counts.failed_other,
        counts.skipped,
        counts.cancelled,
    ];
    let event = NewEvent {
        app,
        kind: EventType::SendCompleted,
        send: Some(send),
        content: &json(&numbers)?,
        now,
    };
    insert_event(c, readers, &event).await
}

/// Writes an event that tells nothing; `false` and none when as many of them wait as may.
pub(crate) async fn insert_test_event(
    c: &mut DbConnection,
    readers: EventReaders,
    app: &AppId,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    lock_webhook(c, app).await?;
    if waiting_tests(c, app).await? >= MAX_WAITING_TESTS {
        return Ok(false);
    }
    let event = NewEvent {
        app,
        kind: EventType::Test,
        send: None,
        content: "[]",
        now,
    };
    insert_event(c, readers, &event).await?;
    Ok(true)
}

/// How many test events wait, of the newest events alone: how many others wait, nobody bounds, and whoever makes them has to send.
async fn waiting_tests(c: &mut DbConnection, app: &AppId) -> sqlx::Result<i64> {
    let app = app.as_str();
    sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "waiting!: i64"
           FROM (SELECT type, due_at FROM webhook_events WHERE app_id = $1
                 ORDER BY id DESC LIMIT 1000) AS newest
           WHERE type = 'webhook.test' AND due_at IS NOT NULL"#,
        app
    )
    .fetch_one(c)
    .await
}

/// An event that is to be written; `content` is what [`parse_content`] reads.
pub(crate) struct NewEvent<'a> {
    pub(crate) app: &'a AppId,
    pub(crate) kind: EventType,
    pub(crate) send: Option<&'a SendId>,
    pub(crate) content: &'a str,
    pub(crate) now: UnixMillis,
}

/// Writes an event for those who read the app's, under one id; first for the webhook, so that everybody takes the locks in one order.
pub(crate) async fn insert_event(
    c: &mut DbConnection,
    readers: EventReaders,
    event: &NewEvent<'_>,
) -> sqlx::Result<()> {
    let id = WebhookEventId::from_uuid(Uuid::now_v7());
    if readers.has_active_webhook {
        queue_event(c, id.as_str(), event).await?;
    }
    if readers.has_listeners {
        insert_heard_event(c, id.as_str(), event).await?;
    }
    Ok(())
}

/// Writes an event into the app's outbox.
async fn queue_event(c: &mut DbConnection, id: &str, event: &NewEvent<'_>) -> sqlx::Result<()> {
    let (app, kind) = (event.app.as_str(), event.kind.as_str());
    let send = event.send.map(SendId::as_str);
    sqlx::query!(
        "INSERT INTO webhook_events (public_id, app_id, type, send_id, content, created_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
        id,
        app,
        kind,
        send,
        event.content,
        event.now.0
    )
    .execute(&mut *c)
    .await?;
    mark_due(c, event.app, event.now).await
}

/// Status, the push service's answer, attempts, and the recipients with these three.
type StoredResultGroup = (&'static str, Option<u16>, u8, Vec<IdRangeJson>);

fn groups(earlier_attempts: u8, settlement: &Settlement) -> Vec<StoredResultGroup> {
    let attempts = earlier_attempts + 1;
    let sent = settlement.sent.iter().map(|one| {
        let key = (ResultStatus::Sent, Some(one.http_status), attempts);
        (key, one.recipient)
    });
    let expired = settlement.expired.iter().map(|one| {
        let key = (ResultStatus::Expired, Some(one.http_status), attempts);
        (key, one.recipient)
    });
    let failed = settlement.dead_letters.iter().map(|one| {
        let key = (ResultStatus::Failed, one.http_status, one.attempts);
        (key, one.recipient)
    });
    let mut groups: BTreeMap<_, Vec<RecipientId>> = BTreeMap::new();
    for ((status, http_status, attempts), recipient) in sent.chain(expired).chain(failed) {
        let key = (status.as_str(), http_status, attempts);
        groups.entry(key).or_default().push(recipient);
    }
    let group = |((status, http_status, attempts), recipients)| {
        let ranges = IdRange::from_ids(recipients).into_iter();
        let recipients = ranges.map(IdRangeJson::from).collect();
        (status, http_status, attempts, recipients)
    };
    groups.into_iter().map(group).collect()
}

/// An event as it is stored.
pub(crate) struct EventRow {
    pub(crate) id: i64,
    pub(crate) public_id: String,
    pub(crate) kind: String,
    pub(crate) send_id: Option<String>,
    pub(crate) content: String,
    pub(crate) created_at: i64,
    pub(crate) attempts: i64,
    pub(crate) resend_at: Option<i64>,
}

impl EventRow {
    /// Whether this version knows the type of event. A later one, which may run beside it, writes others.
    pub(crate) fn is_known(&self) -> bool {
        EventType::parse(&self.kind).is_some()
    }

    /// Reads the row's columns; fails on contents that this version does not know.
    pub(crate) fn into_event(self) -> sqlx::Result<WebhookEvent> {
        Ok(WebhookEvent {
            number: self.id,
            id: WebhookEventId::trusted(self.public_id),
            content: parse_content(&self.kind, self.send_id, &self.content)?,
            created_at: UnixMillis(self.created_at),
            attempts: parse_attempts(self.attempts)?,
            resend: self.resend_at.map(UnixMillis),
        })
    }
}

/// A number of attempts.
pub(crate) fn parse_attempts(number: i64) -> sqlx::Result<u32> {
    u32::try_from(number).map_err(|_| decode_error("number of attempts"))
}

/// The types of events that this version knows, as a statement takes them. Later versions, which may run beside it, write others.
pub(crate) fn known_types() -> sqlx::Result<String> {
    json(&EventType::ALL.map(EventType::as_str))
}

/// The kind of an event as it is stored.
pub(crate) fn parse_event_type(text: &str) -> sqlx::Result<EventType> {
    EventType::parse(text).ok_or_else(|| decode_error("kind of event"))
}

fn parse_content(kind_text: &str, send: Option<String>, text: &str) -> sqlx::Result<EventContent> {
    let send = || {
        send.map(SendId::trusted)
            .ok_or_else(|| decode_error("event"))
    };
    Ok(match parse_event_type(kind_text)? {
        EventType::DeliveryResults => EventContent::Results(send()?, parse_groups(text)?),
        EventType::SendCompleted => {
            if let Ok(reason) = serde_json::from_str(text) {
                return Ok(EventContent::Refused(send()?, reason));
            }
            let (recipients, counts) = parse_counts(text)?;
            EventContent::Completed(send()?, recipients, counts)
        }
        EventType::SendEngagement => EventContent::Engagement(send()?, parse_engagement(text)?),
        EventType::Test => EventContent::Test,
    })
}

fn parse_groups(text: &str) -> sqlx::Result<Vec<ResultGroup>> {
    let groups: Vec<(String, Option<u16>, u8, Vec<IdRangeJson>)> =
        serde_json::from_str(text).map_err(|_| decode_error("event"))?;
    let group = |(status, http_status, attempts, recipients): (String, _, _, Vec<IdRangeJson>)| {
        Ok(ResultGroup {
            status: ResultStatus::parse(&status).ok_or_else(|| decode_error("status"))?,
            http_status,
            attempts,
            recipients: to_ranges(&recipients),
        })
    };
    groups.into_iter().map(group).collect()
}

/// In a list of their own: many outboxes hold many events, and one made of the other would keep its capacity.
fn to_ranges(ranges: &[IdRangeJson]) -> Vec<IdRange> {
    ranges.iter().map(|range| range.to_range()).collect()
}

/// Recipients as a group is stored: one by its number, or those from one number to another.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum IdRangeJson {
    Single(i64),
    Range(i64, i64),
}

impl IdRangeJson {
    fn to_range(self) -> IdRange {
        let (first, last) = match self {
            Self::Single(number) => (number, number),
            Self::Range(first, last) => (first, last),
        };
        IdRange {
            first: RecipientId(first),
            last: RecipientId(last),
        }
    }
}

impl From<IdRange> for IdRangeJson {
    fn from(range: IdRange) -> Self {
        if range.first == range.last {
            Self::Single(range.first.0)
        } else {
            Self::Range(range.first.0, range.last.0)
        }
    }
}

fn parse_counts(text: &str) -> sqlx::Result<(i64, SendCounts)> {
    let numbers: [i64; 6] = serde_json::from_str(text).map_err(|_| decode_error("event"))?;
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

#[cfg(test)]
mod tests {
    use super::parse_groups;

    #[test]
    fn recipients_are_read_by_number_and_by_range() {
        let groups = parse_groups(r#"[["sent", 201, 1, [1, [3, 5], 9]], ["failed", null, 0, []]]"#);
        let groups = groups.expect("two groups");
        let ranges = groups[0].recipients.iter();
        let ranges: Vec<_> = ranges.map(|range| (range.first.0, range.last.0)).collect();
        assert_eq!(ranges, [(1, 1), (3, 5), (9, 9)]);
        assert!(groups[1].recipients.is_empty());
    }
}
