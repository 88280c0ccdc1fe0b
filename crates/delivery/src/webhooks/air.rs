//! What of a lane is in flight, and what is launched next.

use std::time::Duration;

use hato_service::ports::WebhookEvent;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::flight::Landing;
use super::places::{Place, Places};
use super::settings::WebhookSettings;
use super::width::Width;

/// What is in flight.
pub(super) struct Air {
    flights: JoinSet<(i64, Landing, Place)>,
    /// The numbers of the events.
    pub(super) numbers: Vec<i64>,
    /// Whether the lane may have something to launch that was not seen yet.
    pub(super) has_news: bool,
    /// When that was looked at.
    pub(super) looked_at: Instant,
    /// What stands in the way of more.
    pub(super) trouble: Option<Trouble>,
    /// The lane's place while nothing is in flight.
    spare: Option<Place>,
    is_slow: bool,
    width: Width,
    /// Whether the next place is a retry's.
    again_next: bool,
    turn: Turn,
}

/// What stands in the way of more events.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trouble {
    /// The store fails.
    Store,
    /// Nothing can be signed.
    Locked,
    /// The lane is somebody else's.
    LeaseLost,
}

/// What is left of a lane's turn, after which the next lane has one.
struct Turn {
    events: usize,
    until: Instant,
    whole: (usize, Duration),
}

impl Turn {
    fn new(whole: (usize, Duration)) -> Self {
        let (events, span) = whole;
        Self {
            events,
            until: Instant::now() + span,
            whole,
        }
    }

    fn is_over(&self) -> bool {
        self.events == 0 || Instant::now() >= self.until
    }
}

impl Air {
    /// Empty, with a place for the first event.
    pub(super) fn new(settings: &WebhookSettings, is_slow: bool, place: Place) -> Self {
        Self {
            flights: JoinSet::new(),
            numbers: Vec::new(),
            has_news: true,
            looked_at: Instant::now(),
            trouble: None,
            spare: Some(place),
            is_slow,
            width: Width::new(settings.per_app, is_slow),
            again_next: false,
            turn: Turn::new((settings.turn_events, settings.turn)),
        }
    }

    /// How many more may be launched. A turn begins again while there are places for everybody.
    pub(super) fn room(&mut self, places: &Places) -> usize {
        if self.turn.is_over() {
            if !places.has_free(self.is_slow) {
                return 0;
            }
            self.turn = Turn::new(self.turn.whole);
        }
        let own = usize::from(self.spare.is_some());
        let room = self.width.get().saturating_sub(self.flights.len());
        room.min(self.turn.events)
            .min(own + places.count_free(self.is_slow))
    }

    /// Takes turns between first attempts and retries, while there is room.
    pub(super) fn take_next(
        &mut self,
        first: &mut impl Iterator<Item = WebhookEvent>,
        again: &mut impl Iterator<Item = WebhookEvent>,
        places: &Places,
    ) -> Option<WebhookEvent> {
        if self.room(places) == 0 {
            return None;
        }
        self.again_next = !self.again_next;
        if self.again_next {
            first.next().or_else(|| again.next())
        } else {
            again.next().or_else(|| first.next())
        }
    }

    /// A place for the next event: the lane's own, or another that is free.
    pub(super) fn take_place(&mut self, places: &Places) -> Option<Place> {
        let own = self.spare.take();
        own.or_else(|| places.free(self.is_slow))
    }

    /// Launches an event.
    pub(super) fn lift(
        &mut self,
        number: i64,
        flight: impl Future<Output = (Landing, Place)> + Send + 'static,
    ) {
        self.numbers.push(number);
        self.turn.events -= 1;
        self.flights.spawn(async move {
            let (landing, place) = flight.await;
            (number, landing, place)
        });
    }

    /// Whether nothing is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    /// Waits until the flight of an event ends and takes note of how; at once when none is in flight. What is dropped waiting
    /// misses nothing.
    pub(super) async fn next_landing(&mut self) {
        match self.flights.join_next().await {
            Some(Ok((number, landing, place))) => self.land(number, landing, place),
            Some(Err(_)) => self.trouble = Some(Trouble::Store),
            None => {}
        }
    }

    /// The lane keeps one place.
    fn land(&mut self, number: i64, landing: Landing, place: Place) {
        self.numbers.retain(|flying| *flying != number);
        if self.flights.is_empty() {
            self.spare = Some(place);
        }
        match landing {
            Landing::Recorded {
                is_prompt,
                is_first,
            } => {
                self.width.note(is_prompt);
                // Its owner may have asked for a resend meanwhile.
                self.has_news |= !is_prompt || !is_first;
            }
            Landing::Unknown => self.has_news = true,
            Landing::StoreFails => self.trouble = Some(Trouble::Store),
            Landing::Locked => self.trouble = Some(Trouble::Locked),
            Landing::LeaseLost => self.trouble = Some(Trouble::LeaseLost),
        }
    }
}
