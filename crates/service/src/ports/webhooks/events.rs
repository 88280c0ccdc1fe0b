//! Events of the outbox, which name recipients by number, and those recipients as receivers know them.

use hato_domain::{
    Endpoint, EventType, ResultStatus, SendId, SubscriptionId, UnixMillis, WebhookEventId,
};

use crate::ports::{EngagementCounts, RecipientId, SendCounts};

/// An event of the outbox.
#[derive(Clone, Debug)]
pub struct WebhookEvent {
    /// The event's number, in the order of settlement.
    pub number: i64,
    /// The id that receivers see, `msg_…`.
    pub id: WebhookEventId,
    /// What the event tells, with the recipients or the send that it tells of.
    pub content: EventContent,
    /// When the event was made, in Unix milliseconds.
    pub created_at: UnixMillis,
    /// Attempts that were made, resends aside.
    pub attempts: u32,
    /// Resends that were made.
    pub resends: u32,
    /// When its owner asked for a resend that was not made yet.
    pub resend: Option<UnixMillis>,
}

/// What an event tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventContent {
    /// What became of a page's recipients.
    Results(SendId, Vec<ResultGroup>),
    /// Every recipient of a send is settled: how many there were, and by outcome.
    Completed(SendId, i64, SendCounts),
    /// A scheduled send was refused when it was due, with this code.
    Refused(SendId, String),
    /// What recipients of a send have done so far.
    Engagement(SendId, EngagementCounts),
    /// Nothing happened: the owner wants to see an event.
    Test,
}

impl EventContent {
    /// The kind of the event, which is its `type` in JSON.
    pub const fn kind(&self) -> EventType {
        match self {
            Self::Results(..) => EventType::DeliveryResults,
            Self::Completed(..) | Self::Refused(..) => EventType::SendCompleted,
            Self::Engagement(..) => EventType::SendEngagement,
            Self::Test => EventType::Test,
        }
    }

    /// The recipients that it names.
    pub fn recipients(&self) -> Vec<IdRange> {
        match self {
            Self::Results(_, groups) => {
                let recipients = groups.iter().flat_map(|group| &group.recipients);
                recipients.copied().collect()
            }
            Self::Completed(..) | Self::Refused(..) | Self::Engagement(..) | Self::Test => {
                Vec::new()
            }
        }
    }

    /// The send that it tells of.
    pub const fn send(&self) -> Option<&SendId> {
        match self {
            Self::Results(send, _)
            | Self::Completed(send, ..)
            | Self::Refused(send, _)
            | Self::Engagement(send, _) => Some(send),
            Self::Test => None,
        }
    }
}

/// Recipients with the same outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultGroup {
    /// What became of each of them.
    pub status: ResultStatus,
    /// The last response's status, if there was one.
    pub http_status: Option<u16>,
    /// Attempts that were made.
    pub attempts: u8,
    /// Their numbers in the store, in ranges.
    pub recipients: Vec<IdRange>,
}

/// Recipients with numbers in a row, as those of a broadcast mostly are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdRange {
    /// The smallest number of the range.
    pub first: RecipientId,
    /// The largest number, which belongs to the range.
    pub last: RecipientId,
}

impl IdRange {
    /// These recipients in as few ranges as there can be.
    pub fn from_ids(mut recipients: Vec<RecipientId>) -> Vec<Self> {
        recipients.sort_unstable();
        let mut ranges: Vec<Self> = Vec::new();
        for recipient in recipients {
            match ranges.last_mut() {
                Some(range) if recipient.0 - range.last.0 <= 1 => range.last = recipient,
                _ => ranges.push(Self {
                    first: recipient,
                    last: recipient,
                }),
            }
        }
        ranges
    }

    /// How many recipients these are.
    pub fn count(self) -> usize {
        usize::try_from(self.last.0 - self.first.0 + 1).unwrap_or(0)
    }
}

/// A recipient as receivers know it.
#[derive(Clone, Debug)]
pub struct ReportedRecipient {
    /// Its number in the store.
    pub id: RecipientId,
    /// The id of the subscription, `sub_…`.
    pub subscription_id: SubscriptionId,
    /// The address that it is pushed to, of up to 2,048 bytes.
    pub endpoint: Endpoint,
}

#[cfg(test)]
mod tests {
    use super::IdRange;
    use crate::ports::RecipientId;

    fn ranges(numbers: &[i64]) -> Vec<(i64, i64)> {
        let recipients = numbers.iter().copied().map(RecipientId).collect();
        let ranges = IdRange::from_ids(recipients);
        ranges
            .iter()
            .map(|range| (range.first.0, range.last.0))
            .collect()
    }

    #[test]
    fn numbers_in_a_row_are_a_range() {
        assert_eq!(ranges(&[]), []);
        assert_eq!(ranges(&[7]), [(7, 7)]);
        assert_eq!(ranges(&[9, 1, 3, 2, 8, 5]), [(1, 3), (5, 5), (8, 9)]);
    }
}
