//! Places for requests in flight. A request that is not answered promptly moves to places of its own kind, and the next ones
//! of its app begin there: however many receivers are slow, the others' events find a place.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of a process.
pub struct Places {
    prompt: Arc<Semaphore>,
    slow: Arc<Semaphore>,
}

/// The right to have a request in flight.
pub struct Place {
    is_slow: bool,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    /// So many of each kind.
    pub fn new(prompt: usize, slow: usize) -> Self {
        Self {
            prompt: Arc::new(Semaphore::new(prompt)),
            slow: Arc::new(Semaphore::new(slow)),
        }
    }

    /// A place among the prompt, once one is free; whoever waits here comes before [`Self::free`].
    pub async fn prompt(&self) -> Place {
        let permit = Arc::clone(&self.prompt).acquire_owned().await;
        Place {
            is_slow: false,
            _permit: permit.expect("it is never closed"),
        }
    }

    /// A place of this kind, if one is free.
    pub fn free(&self, is_slow: bool) -> Option<Place> {
        let places = if is_slow { &self.slow } else { &self.prompt };
        let permit = Arc::clone(places).try_acquire_owned().ok()?;
        Some(Place {
            is_slow,
            _permit: permit,
        })
    }

    /// Moves to a place among the slow, if one is free.
    pub fn step_aside(&self, place: &mut Place) {
        if !place.is_slow
            && let Some(slow) = self.free(true)
        {
            *place = slow;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[tokio::test]
    async fn who_steps_aside_leaves_room_as_long_as_there_is_some_aside() {
        let places = Places::new(1, 1);
        let mut first = places.prompt().await;
        assert!(places.free(false).is_none());
        places.step_aside(&mut first);
        let mut second = places.free(false).expect("the first stepped aside");
        places.step_aside(&mut second);
        assert!(places.free(false).is_none(), "nothing is left aside");
        drop(first);
        assert!(places.free(false).is_none());
        assert!(places.free(true).is_some());
    }
}
