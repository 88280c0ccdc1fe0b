//! Recipients of settled pages on their way from the engine to the webhooks' sender, which would have to read them again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_domain::WebhookEventId;
use hato_service::ports::{Recipient, ReportedRecipient, ReportedRecipients};

/// Bytes of recipients that wait at most: some sixty pages of a broadcast.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Events whose recipients wait at most, for each is looked at.
const MAX_EVENTS: usize = 256;

/// Where the recipients of events wait for their first attempt, those of the latest settlements. They are in the store as
/// well, so that nothing is lost with them.
///
/// Cheap to clone: clones share what waits.
#[derive(Clone, Default)]
pub struct RecipientCache(Arc<Mutex<CacheEntries>>);

#[derive(Default)]
struct CacheEntries {
    /// The oldest first.
    events: VecDeque<(WebhookEventId, ReportedRecipients)>,
    bytes: usize,
}

impl RecipientCache {
    /// Keeps those of an event. What has waited longest makes room.
    pub(crate) fn insert(&self, event: WebhookEventId, recipients: Vec<Recipient>) {
        let recipients = recipients.into_iter().map(ReportedRecipient::from);
        let recipients = ReportedRecipients::new(recipients.collect());
        let mut entries = self.entries();
        entries.bytes += bytes(&recipients);
        entries.events.push_back((event, recipients));
        while entries.bytes > MAX_BYTES || entries.events.len() > MAX_EVENTS {
            entries.remove(0);
        }
    }

    /// Those of an event, if they are still here: once.
    pub(crate) fn take(&self, event: &WebhookEventId) -> Option<ReportedRecipients> {
        let mut entries = self.entries();
        let index = entries.events.iter().position(|(it, _)| it == event)?;
        entries.remove(index)
    }

    fn entries(&self) -> MutexGuard<'_, CacheEntries> {
        // Nothing in here panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheEntries {
    fn remove(&mut self, index: usize) -> Option<ReportedRecipients> {
        let (_, recipients) = self.events.remove(index)?;
        self.bytes -= bytes(&recipients);
        Some(recipients)
    }
}

fn bytes(recipients: &ReportedRecipients) -> usize {
    recipients.size() + recipients.count() * size_of::<ReportedRecipient>()
}

#[cfg(test)]
mod tests {
    use hato_domain::{BrowserKeys, Endpoint, SubscriptionId, WebhookEventId};
    use hato_service::ports::{Recipient, RecipientId};

    use super::{MAX_BYTES, MAX_EVENTS, RecipientCache};

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
    fn taken(
        recipient_cache: &RecipientCache,
        events: std::ops::Range<usize>,
    ) -> Vec<Option<usize>> {
        let taken = |number| {
            recipient_cache
                .take(&event(number))
                .map(|them| them.count())
        };
        events.map(taken).collect()
    }

    #[test]
    fn recipients_are_taken_once() {
        let recipient_cache = RecipientCache::default();
        recipient_cache.insert(event(0), page(3, 10));
        recipient_cache.insert(event(1), page(5, 10));
        assert_eq!(taken(&recipient_cache, 1..3), [Some(5), None]);
        assert_eq!(taken(&recipient_cache, 0..2), [Some(3), None]);
    }

    #[test]
    fn what_waits_longest_makes_room() {
        let recipient_cache = RecipientCache::default();
        for number in 0..=MAX_EVENTS {
            recipient_cache.insert(event(number), page(1, 10));
        }
        assert_eq!(taken(&recipient_cache, 0..3), [None, Some(1), Some(1)]);
        recipient_cache.insert(event(MAX_EVENTS + 1), page(1, MAX_BYTES / 2));
        recipient_cache.insert(event(MAX_EVENTS + 2), page(1, MAX_BYTES / 2));
        let last = taken(&recipient_cache, 3..MAX_EVENTS + 3);
        assert_eq!(last.iter().flatten().count(), 1, "the others made room");
        assert_eq!(last.last(), Some(&Some(1)));
        recipient_cache.insert(event(0), page(1, MAX_BYTES));
        assert_eq!(
            taken(&recipient_cache, 0..1),
            [None],
            "it has no room by itself"
        );
    }
}
