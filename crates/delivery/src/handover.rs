//! Recipients of settled pages on their way from the engine to the webhooks' sender, which would have to read them again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_domain::WebhookEventId;
use hato_service::ports::{KnownRecipient, KnownRecipients, Recipient};

/// Bytes of recipients that wait at most: some sixty pages of a broadcast.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Events whose recipients wait at most, for each is looked at.
const MOST_EVENTS: usize = 256;

/// Where the recipients of events wait for their first attempt, those of the latest settlements. They are in the store as
/// well, so that nothing is lost with them.
///
/// Cheap to clone: clones share what waits.
#[derive(Clone, Default)]
pub struct Handover(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    /// The oldest first.
    events: VecDeque<(WebhookEventId, KnownRecipients)>,
    bytes: usize,
}

impl Handover {
    /// Leaves those of an event. What has waited longest makes room.
    pub(crate) fn leave(&self, event: WebhookEventId, recipients: Vec<Recipient>) {
        let recipients = recipients.into_iter().map(KnownRecipient::from);
        let recipients = KnownRecipients::new(recipients.collect());
        let mut waiting = self.waiting();
        waiting.bytes += bytes(&recipients);
        waiting.events.push_back((event, recipients));
        while waiting.bytes > MOST_BYTES || waiting.events.len() > MOST_EVENTS {
            waiting.remove(0);
        }
    }

    /// Those of an event, if they are still here: once.
    pub(crate) fn take(&self, event: &WebhookEventId) -> Option<KnownRecipients> {
        let mut waiting = self.waiting();
        let place = waiting.events.iter().position(|(it, _)| it == event)?;
        waiting.remove(place)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing in here panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn remove(&mut self, place: usize) -> Option<KnownRecipients> {
        let (_, recipients) = self.events.remove(place)?;
        self.bytes -= bytes(&recipients);
        Some(recipients)
    }
}

fn bytes(recipients: &KnownRecipients) -> usize {
    recipients.size() + recipients.count() * size_of::<KnownRecipient>()
}

#[cfg(test)]
mod tests {
    use hato_domain::{BrowserKeys, Endpoint, SubscriptionId, WebhookEventId};
    use hato_service::ports::{Recipient, RecipientId};

    use super::{Handover, MOST_BYTES, MOST_EVENTS};

    fn event(number: usize) -> WebhookEventId {
        WebhookEventId::trusted(format!("msg_{number}"))
    }

    fn page(recipients: usize, endpoint_bytes: usize) -> Vec<Recipient> {
        let recipient = Recipient {
            id: RecipientId(1),
            subscription_id: SubscriptionId::trusted("sub_1".into()),
            endpoint: Endpoint::trusted("e".repeat(endpoint_bytes)),
            keys: BrowserKeys {
                p256dh: [4; 65],
                auth: [0; 16],
            },
        };
        vec![recipient; recipients]
    }

    /// How many recipients of each event are taken.
    fn taken(handover: &Handover, events: std::ops::Range<usize>) -> Vec<Option<usize>> {
        let taken = |number| handover.take(&event(number)).map(|them| them.count());
        events.map(taken).collect()
    }

    #[test]
    fn recipients_are_taken_once() {
        let handover = Handover::default();
        handover.leave(event(0), page(3, 10));
        handover.leave(event(1), page(5, 10));
        assert_eq!(taken(&handover, 1..3), [Some(5), None]);
        assert_eq!(taken(&handover, 0..2), [Some(3), None]);
    }

    #[test]
    fn what_waits_longest_makes_room() {
        let handover = Handover::default();
        for number in 0..=MOST_EVENTS {
            handover.leave(event(number), page(1, 10));
        }
        assert_eq!(taken(&handover, 0..3), [None, Some(1), Some(1)]);
        handover.leave(event(MOST_EVENTS + 1), page(1, MOST_BYTES / 2));
        handover.leave(event(MOST_EVENTS + 2), page(1, MOST_BYTES / 2));
        let last = taken(&handover, 3..MOST_EVENTS + 3);
        assert_eq!(last.iter().flatten().count(), 1, "the others made room");
        assert_eq!(last.last(), Some(&Some(1)));
        handover.leave(event(0), page(1, MOST_BYTES));
        assert_eq!(taken(&handover, 0..1), [None], "it has no room by itself");
    }
}
