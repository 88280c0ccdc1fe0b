//! Whom an event names: by number in the outbox, and as receivers know them.

use std::ops::Range;

use crate::ports::RecipientId;

/// Recipients with numbers in a row, as those of a broadcast mostly are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecipientRun {
    /// The smallest number.
    pub first: RecipientId,
    /// The largest.
    pub last: RecipientId,
}

impl RecipientRun {
    /// These recipients in as few runs as there can be.
    pub fn of(mut recipients: Vec<RecipientId>) -> Vec<Self> {
        recipients.sort_unstable();
        let mut runs: Vec<Self> = Vec::new();
        for recipient in recipients {
            match runs.last_mut() {
                Some(run) if recipient.0 - run.last.0 <= 1 => run.last = recipient,
                _ => runs.push(Self {
                    first: recipient,
                    last: recipient,
                }),
            }
        }
        runs
    }

    /// How many recipients these are.
    pub fn count(self) -> usize {
        usize::try_from(self.last.0 - self.first.0 + 1).unwrap_or(0)
    }
}

/// Recipients as receivers know them; whose subscription was removed is missing.
#[derive(Clone, Debug, Default)]
pub struct KnownRecipients {
    /// In the order of their numbers.
    places: Vec<Place>,
    subscriptions: String,
    endpoints: String,
}

/// Where a recipient stands in the two texts.
#[derive(Clone, Debug)]
struct Place {
    id: RecipientId,
    subscription: Range<usize>,
    endpoint: Range<usize>,
}

impl KnownRecipients {
    /// From numbers, `sub_…`s and endpoints, each as one text with a space between two; `None` when they are not as many.
    pub fn parse(numbers: &str, subscriptions: String, endpoints: String) -> Option<Self> {
        let mut places = places(numbers, &subscriptions, &endpoints)?;
        places.sort_unstable_by_key(|place| place.id);
        Some(Self {
            places,
            subscriptions,
            endpoints,
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Bytes of their texts.
    pub fn size(&self) -> usize {
        self.subscriptions.len() + self.endpoints.len()
    }

    /// The subscription ids and endpoints of those in a run.
    pub fn of(&self, run: RecipientRun) -> impl Iterator<Item = (&str, &str)> {
        let begin = self.places.partition_point(|place| place.id < run.first);
        let rest = &self.places[begin..];
        let end = rest.partition_point(|place| place.id <= run.last);
        rest[..end].iter().map(|place| {
            (
                &self.subscriptions[place.subscription.clone()],
                &self.endpoints[place.endpoint.clone()],
            )
        })
    }
}

fn places(numbers: &str, subscriptions: &str, endpoints: &str) -> Option<Vec<Place>> {
    let mut subscriptions = words(subscriptions);
    let mut endpoints = words(endpoints);
    let mut places = Vec::new();
    for number in numbers.split_terminator(' ') {
        places.push(Place {
            id: RecipientId(number.parse().ok()?),
            subscription: subscriptions.next()?,
            endpoint: endpoints.next()?,
        });
    }
    let is_all = subscriptions.next().is_none() && endpoints.next().is_none();
    is_all.then_some(places)
}

/// Where the words of a text stand.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0;
    text.split_terminator(' ').map(move |word| {
        let place = begin..begin + word.len();
        begin = place.end + 1;
        place
    })
}

#[cfg(test)]
mod tests {
    use super::{KnownRecipients, RecipientRun};
    use crate::ports::RecipientId;

    fn runs(numbers: &[i64]) -> Vec<(i64, i64)> {
        let recipients = numbers.iter().copied().map(RecipientId).collect();
        let runs = RecipientRun::of(recipients);
        runs.iter().map(|run| (run.first.0, run.last.0)).collect()
    }

    #[test]
    fn numbers_in_a_row_are_a_run() {
        assert_eq!(runs(&[]), []);
        assert_eq!(runs(&[7]), [(7, 7)]);
        assert_eq!(runs(&[9, 1, 3, 2, 8, 5]), [(1, 3), (5, 5), (8, 9)]);
    }

    #[test]
    fn a_run_finds_those_who_are_left() {
        let (ids, endpoints) = ("sub_5 sub_3 sub_9".to_owned(), "e5 e3 e9".to_owned());
        let known = KnownRecipients::parse("5 3 9", ids, endpoints).expect("as many");
        let found = |first, last| -> Vec<_> {
            let (first, last) = (RecipientId(first), RecipientId(last));
            known.of(RecipientRun { first, last }).collect()
        };
        assert_eq!(found(3, 8), [("sub_3", "e3"), ("sub_5", "e5")]);
        assert_eq!(found(9, 9), [("sub_9", "e9")]);
        assert_eq!(found(6, 8), []);
        let none = KnownRecipients::parse("", String::new(), String::new());
        assert_eq!(none.expect("as many").count(), 0);
        for (ids, endpoints) in [("a", "e"), ("a b c", "e f"), ("a b", "e f g")] {
            let parsed = KnownRecipients::parse("1 2", ids.into(), endpoints.into());
            assert!(parsed.is_none(), "{ids}; {endpoints}");
        }
    }
}
