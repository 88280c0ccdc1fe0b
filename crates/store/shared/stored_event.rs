//! Events as they are stored: a type, and contents in JSON that name recipients by number.

use std::collections::BTreeMap;

use hato_domain::{AppId, EventType, ResultStatus, SendId, UnixMillis, WebhookEventId};
use hato_service::ports::{
    EngagementCounts, EventContent, IdRange, RecipientId, ResultGroup, SendCounts, WebhookEvent,
};
use serde::{Deserialize, Serialize};

use crate::error::{decode_error, json};

/// An event that is to be written; `content` is what [`parse_content`] reads.
pub(crate) struct NewEvent<'a> {
    pub(crate) app: &'a AppId,
    pub(crate) kind: EventType,
    pub(crate) send: Option<&'a SendId>,
    pub(crate) content: &'a str,
    pub(crate) now: UnixMillis,
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
    pub(crate) resends: i64,
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
            resends: parse_attempts(self.resends)?,
            resend: self.resend_at.map(UnixMillis),
        })
    }
}

/// Reads a counter of attempts, which is never negative.
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

/// Counts as an event holds them.
#[derive(Deserialize, Serialize)]
pub(crate) struct StoredCounts(i64, i64, i64, BTreeMap<String, i64>);

impl From<EngagementCounts> for StoredCounts {
    fn from(counts: EngagementCounts) -> Self {
        Self(
            counts.displayed,
            counts.clicked,
            counts.dismissed,
            counts.clicks_by_action,
        )
    }
}

/// The counts of an event.
pub(crate) fn parse_engagement(content: &str) -> sqlx::Result<EngagementCounts> {
    let stored = serde_json::from_str(content).map_err(|_| decode_error("event"))?;
    let StoredCounts(displayed, clicked, dismissed, clicks_by_action) = stored;
    Ok(EngagementCounts {
        displayed,
        clicked,
        dismissed,
        clicks_by_action,
    })
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
