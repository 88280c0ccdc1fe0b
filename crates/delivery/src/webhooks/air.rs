//! What of a lane is in flight, and what is launched next.

use hato_service::ports::WebhookEvent;
use tokio::task::JoinSet;

use super::flight::Landing;
use super::width::Width;

/// What is in flight.
pub(super) struct Air {
    pub(super) flights: JoinSet<(i64, Landing)>,
    /// The numbers of the events.
    pub(super) numbers: Vec<i64>,
    width: Width,
    /// Whether the next place is a retry's.
    again_next: bool,
}

impl Air {
    /// Empty, with room for up to `most` events.
    pub(super) fn new(most: usize) -> Self {
        Self {
            flights: JoinSet::new(),
            numbers: Vec::new(),
            width: Width::new(most),
            again_next: false,
        }
    }

    /// How many more may be launched.
    pub(super) fn room(&self) -> usize {
        self.width.get().saturating_sub(self.flights.len())
    }

    /// Takes turns between first attempts and retries, while there is room.
    pub(super) fn take_next(
        &mut self,
        first: &mut impl Iterator<Item = WebhookEvent>,
        again: &mut impl Iterator<Item = WebhookEvent>,
    ) -> Option<WebhookEvent> {
        if self.room() == 0 {
            return None;
        }
        self.again_next = !self.again_next;
        if self.again_next {
            first.next().or_else(|| again.next())
        } else {
            again.next().or_else(|| first.next())
        }
    }

    /// Takes note of how an event's flight ended.
    pub(super) fn land(&mut self, number: i64, landing: Landing) {
        self.numbers.retain(|flying| *flying != number);
        if let Landing::Recorded {
            has_arrived,
            duration,
        } = landing
        {
            self.width.note(has_arrived, duration);
        }
    }
}
