//! Whom an event names: by number in the outbox, and as receivers know them.

use hato_domain::{Endpoint, SubscriptionId};

use crate::ports::{Recipient, RecipientId};

/// Recipients with numbers in a row, as those of a broadcast mostly are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdRange {
    /// The smallest number.
    pub first: RecipientId,
    /// The largest.
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
    /// `sub_…`.
    pub subscription_id: SubscriptionId,
    /// Where it is pushed to.
    pub endpoint: Endpoint,
}

impl From<Recipient> for ReportedRecipient {
    fn from(recipient: Recipient) -> Self {
        Self {
            id: recipient.id,
            subscription_id: recipient.subscription_id,
            endpoint: recipient.endpoint,
        }
    }
}

/// Recipients as receivers know them; whose subscription was removed is missing.
#[derive(Clone, Debug, Default)]
pub struct ReportedRecipients {
    /// In the order of their numbers.
    all: Vec<ReportedRecipient>,
    size: usize,
}

impl ReportedRecipients {
    /// These, in any order.
    pub fn new(mut all: Vec<ReportedRecipient>) -> Self {
        all.sort_unstable_by_key(|recipient| recipient.id);
        // What was made in place of something larger keeps its room.
        all.shrink_to_fit();
        let texts = all
            .iter()
            .map(|one| one.subscription_id.as_str().len() + one.endpoint.as_str().len());
        Self {
            size: texts.sum(),
            all,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Bytes of their texts.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Those in a range.
    pub fn in_range(&self, range: IdRange) -> &[ReportedRecipient] {
        let begin = self.all.partition_point(|one| one.id < range.first);
        let rest = &self.all[begin..];
        let end = rest.partition_point(|one| one.id <= range.last);
        &rest[..end]
    }
}

#[cfg(test)]
mod tests {
    use hato_domain::{Endpoint, SubscriptionId};

    use super::{IdRange, ReportedRecipient, ReportedRecipients};
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

    #[test]
    fn a_range_finds_those_who_are_left() {
        let known = [5, 3, 9].map(|id| ReportedRecipient {
            id: RecipientId(id),
            subscription_id: SubscriptionId::trusted(format!("sub_{id}")),
            endpoint: Endpoint::trusted(format!("https://push.example/{id}")),
        });
        let known = ReportedRecipients::new(known.into());
        let found = |first, last| -> Vec<_> {
            let (first, last) = (RecipientId(first), RecipientId(last));
            let found = known.in_range(IdRange { first, last });
            found.iter().map(|one| one.id.0).collect()
        };
        assert_eq!(found(3, 8), [3, 5]);
        assert_eq!(found(9, 9), [9]);
        assert!(found(6, 8).is_empty());
        let texts = 3 * (5 + 22);
        assert_eq!(known.count(), 3);
        assert_eq!(known.size(), texts);
    }
}
