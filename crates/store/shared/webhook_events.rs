//! Events of the outbox as they are read.

use hato_domain::{
    AppId, Endpoint, EventType, ResultStatus, SendId, SubscriptionId, UnixMillis, WebhookEventId,
};
use hato_service::ports::{
    EventContent, IdRange, RecipientId, ReportedRecipient, ReportedRecipients, ResultGroup,
    SendCounts, WebhookEvent,
};
use serde::{Deserialize, Serialize};

use crate::Database;
use crate::dialect::{readers, sql};
use crate::error::decode_error;

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
    /// The event.
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
            let (recipients, counts) = parse_counts(text)?;
            EventContent::Completed(send()?, recipients, counts)
        }
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

/// Recipients as three texts: row by row they cost several times as much.
struct ReportedRecipientsRow {
    numbers: Option<String>,
    subscriptions: Option<String>,
    endpoints: Option<String>,
}

/// The recipients with ids in these ranges.
pub(crate) async fn reported_recipients(
    database: &Database,
    ranges: &[IdRange],
) -> sqlx::Result<ReportedRecipients> {
    let ranges = range_list(ranges)?;
    let row = sql!(query_as ReportedRecipientsRow [
        r#"SELECT numbers AS "numbers?: String", subscriptions AS "subscriptions?: String",
                  endpoints AS "endpoints?: String"
           FROM ("# REPORTED_RECIPIENTS r#") AS known"#
    ] ranges)
    .fetch_one(readers(database))
    .await?;
    parse_recipients(
        row.numbers.as_deref(),
        row.subscriptions.as_deref(),
        row.endpoints.as_deref(),
    )
}

/// Runs as the statements take them.
pub(crate) fn range_list(ranges: &[IdRange]) -> sqlx::Result<String> {
    let pairs: Vec<[i64; 2]> = ranges
        .iter()
        .map(|range| [range.first.0, range.last.0])
        .collect();
    serde_json::to_string(&pairs).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// The recipients of three texts of as many words, which are missing when there are none.
pub(crate) fn parse_recipients(
    numbers: Option<&str>,
    subscriptions: Option<&str>,
    endpoints: Option<&str>,
) -> sqlx::Result<ReportedRecipients> {
    let (mut subscriptions, mut endpoints) = (words(subscriptions), words(endpoints));
    let known = words(numbers).map(|number| {
        Some(ReportedRecipient {
            id: RecipientId(number.parse().ok()?),
            subscription_id: SubscriptionId::trusted(subscriptions.next()?.to_owned()),
            endpoint: Endpoint::trusted(endpoints.next()?.to_owned()),
        })
    });
    let known: Option<Vec<_>> = known.collect();
    let is_all = subscriptions.next().is_none() && endpoints.next().is_none();
    let known = known.filter(|_| is_all);
    let known = known.ok_or_else(|| decode_error("list of subscriptions"))?;
    Ok(ReportedRecipients::new(known))
}

fn words(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().split_terminator(' ')
}

#[cfg(test)]
mod tests {
    use super::{parse_groups, parse_recipients};

    #[test]
    fn three_texts_have_as_many_words() {
        let all = parse_recipients(Some("2 1"), Some("a b"), Some("e f")).expect("two of each");
        assert_eq!(all.count(), 2);
        assert_eq!(parse_recipients(None, None, None).expect("none").count(), 0);
        for (ids, endpoints) in [
            ("a", "e f"),
            ("a b", "e"),
            ("a b c", "e f"),
            ("a b", "e f g"),
        ] {
            let read = parse_recipients(Some("2 1"), Some(ids), Some(endpoints));
            assert!(read.is_err(), "{ids}; {endpoints}");
        }
    }

    #[test]
    fn recipients_are_read_by_number_and_by_range() {
        let groups = parse_groups(r#"[["sent", 201, 1, [1, [3, 5], 9]], ["failed", null, 0, []]]"#);
        let groups = groups.expect("two groups");
        let ranges = groups[0].recipients.iter();
        let ranges: Vec<_> = ranges.map(|range| (range.first.0, range.last.0)).collect();
        assert_eq!(ranges, [(1, 1), (3, 5), (9, 9)]);
        assert_eq!((groups[0].count(), groups[1].count()), (5, 0));
    }
}
