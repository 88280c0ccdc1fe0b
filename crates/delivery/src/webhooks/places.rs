//! Places for requests in flight. A request that is not answered promptly moves to places of its own kind, and the next ones
//! of its app begin there: however many receivers are known to be slow, the others' events find a place, and room for their bodies.
//! Receivers that have just begun to hang, and find no place aside, hold theirs until their time is out.

use std::sync::{Arc, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::room::{Room, Rooms};
use super::settings::WebhookSettings;

/// The places of a process.
pub struct Places {
    prompt: Kind,
    slow: Kind,
}

struct Kind {
    requests: Arc<Semaphore>,
    most: usize,
    rooms: Rooms,
}

impl Kind {
    fn new(requests: usize, bytes: usize) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(requests)),
            most: requests,
            rooms: Rooms::new(bytes),
        }
    }
}

/// The right to have a request in flight.
pub struct Place {
    is_slow: bool,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    /// As many as the settings say.
    pub fn new(settings: &WebhookSettings) -> Self {
        Self {
            prompt: Kind::new(settings.at_once, settings.body_bytes),
            slow: Kind::new(settings.slow_at_once, settings.body_bytes),
        }
    }

    fn kind(&self, is_slow: bool) -> &Kind {
        if is_slow { &self.slow } else { &self.prompt }
    }

    /// A place among the prompt, once one is free; whoever waits here comes before [`Self::free`].
    pub async fn prompt(&self) -> Place {
        let permit = Arc::clone(&self.prompt.requests).acquire_owned().await;
        Place {
            is_slow: false,
            _permit: permit.expect("it is never closed"),
        }
    }

    /// A place of this kind, if one is free.
    pub fn free(&self, is_slow: bool) -> Option<Place> {
        let requests = Arc::clone(&self.kind(is_slow).requests);
        let permit = requests.try_acquire_owned().ok()?;
        Some(Place {
            is_slow,
            _permit: permit,
        })
    }

    /// Whether a place of this kind is free, so that nobody waits for one.
    pub fn has_free(&self, is_slow: bool) -> bool {
        self.count_free(is_slow) > 0
    }

    /// How many places of this kind are free.
    pub fn count_free(&self, is_slow: bool) -> usize {
        self.kind(is_slow).requests.available_permits()
    }

    /// Whether half of the places among the prompt are free, so that whoever keeps one for later is in nobody's way.
    pub fn has_plenty(&self) -> bool {
        self.count_free(false) >= (self.prompt.most / 2).max(1)
    }

    /// Room for so many bytes of the body of a request on this place, once there is.
    pub async fn room(&self, place: &Place, bytes: usize) -> Arc<Room> {
        self.kind(place.is_slow).rooms.room(bytes).await
    }

    /// Moves to a place among the slow, if one is free, with what is left of the body.
    pub fn step_aside(&self, place: &mut Place, room: &Weak<Room>) {
        if place.is_slow {
            return;
        }
        if let Some(slow) = self.free(true) {
            *place = slow;
        }
        if let Some(room) = room.upgrade() {
            self.slow.rooms.take_over(&room);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use super::Places;
    use crate::webhooks::WebhookSettings;

    #[tokio::test]
    async fn who_steps_aside_leaves_room_as_long_as_there_is_some_aside() {
        let places = Places::new(&WebhookSettings {
            at_once: 1,
            slow_at_once: 1,
            ..WebhookSettings::default()
        });
        let mut first = places.prompt().await;
        assert!(places.free(false).is_none());
        places.step_aside(&mut first, &Weak::new());
        let mut second = places.free(false).expect("the first stepped aside");
        places.step_aside(&mut second, &Weak::new());
        assert!(places.free(false).is_none(), "nothing is left aside");
        drop(first);
        assert!(places.free(false).is_none());
        assert!(places.free(true).is_some());
    }
}
