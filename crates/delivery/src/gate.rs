//! An app's way into a push-service origin: how many requests it may have in flight there, learnt from the answers.
//!
//! Nobody tells a sender how much a push service takes, so the gate begins wide open and listens ([`pace`]). An origin that
//! throttles an app slows that app's subscribers there and nobody else: each app has a gate of its own to each origin.
//! Whoever finds the way closed is told how long to stay away, which is no attempt, or shares the fate of those that were
//! just let in and got no answer.

mod pace;

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use pace::Pace;

/// Most places that a gate can have.
const MOST_PLACES: usize = Semaphore::MAX_PERMITS >> 1;

/// Why somebody was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Closed {
    /// The push service asked to be left alone, or too many wait: worth another look after this time.
    #[error("the push service is to be left alone for {0:?}")]
    Busy(Duration),
    /// Those let in lately got no answer.
    #[error("the push service answers nobody")]
    Silent,
}

/// What somebody who was let in met with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// An answer.
    Answered,
    /// 429 or 503, with what `Retry-After` asks for.
    Throttled(Option<Duration>),
    /// No answer in time, or no connection.
    Unanswered,
    /// Something that says nothing about the origin's capacity.
    Unclear,
}

/// The gate of one app to one origin.
pub struct Gate {
    places: Arc<Semaphore>,
    pace: Mutex<Pace>,
    closed: Notify,
    patience: Duration,
}

impl Gate {
    /// A gate that lets in at most `ceiling` at a time, and lets nobody wait longer than `patience`.
    pub fn new(ceiling: usize, patience: Duration) -> Self {
        let ceiling = ceiling.clamp(1, MOST_PLACES);
        Self {
            places: Arc::new(Semaphore::new(ceiling)),
            pace: Mutex::new(Pace::new(ceiling, Instant::now())),
            closed: Notify::new(),
            patience,
        }
    }

    /// Whether it is worth preparing to enter; it is when there is a place, or one to wait for.
    pub fn look(&self) -> Result<(), Closed> {
        let free = self.places.available_permits() > 0;
        self.pace().admit(free, Instant::now())
    }

    /// A place, at once or within the gate's patience.
    pub async fn enter(self: &Arc<Self>) -> Result<Place, Closed> {
        self.look()?;
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(self.place(permit));
        }
        let _waiting = Waiting::new(self);
        let entered = timeout(self.patience, self.wait()).await;
        entered.unwrap_or_else(|_| Err(self.pace().put_off(Instant::now())))
    }

    /// Lets in at most `ceiling` at a time from now on.
    pub fn set_ceiling(&self, ceiling: usize) {
        let mut pace = self.pace();
        let before = pace.limit();
        pace.set_ceiling(ceiling.clamp(1, MOST_PLACES));
        self.resize(&mut pace, before);
    }

    /// Whether nobody is inside or waits, and nothing is remembered that a new gate would not do the same.
    pub fn is_forgettable(&self) -> bool {
        self.pace().is_forgettable(Instant::now())
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait(self: &Arc<Self>) -> Result<Place, Closed> {
        let mut permit = pin!(Arc::clone(&self.places).acquire_owned());
        let silences = self.pace().silences();
        loop {
            let closed = self.closed.notified();
            self.pace().check_open(silences, Instant::now())?;
            tokio::select! {
                Ok(permit) = &mut permit => {
                    let place = self.place(permit);
                    self.pace().check_open(silences, Instant::now())?;
                    return Ok(place);
                }
                () = closed => {}
            }
        }
    }

    fn place(self: &Arc<Self>, permit: OwnedSemaphorePermit) -> Place {
        let generation = self.pace().let_in();
        Place {
            gate: Arc::clone(self),
            permit: Some(permit),
            generation,
        }
    }

    fn take_note(&self, report: Report, generation: u64) {
        let mut pace = self.pace();
        let before = pace.limit();
        let has_closed = pace.take_note(report, generation, Instant::now());
        self.resize(&mut pace, before);
        drop(pace);
        if has_closed {
            self.closed.notify_waiters();
        }
    }

    /// Adds places, or takes them away: the free ones at once, the others when they are left.
    fn resize(&self, pace: &mut Pace, before: usize) {
        let limit = pace.limit();
        if limit > before {
            self.places.add_permits(pace.pay_back(limit - before));
        } else if limit < before {
            let taken = self.places.forget_permits(before - limit);
            pace.owe(before - limit - taken);
        }
    }
}

/// A place inside; left when dropped.
pub struct Place {
    gate: Arc<Gate>,
    permit: Option<OwnedSemaphorePermit>,
    generation: u64,
}

impl Place {
    /// Leaves, telling what there was to meet with.
    pub fn leave(self, report: Report) {
        self.gate.take_note(report, self.generation);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let is_owed = self.gate.pace().let_out();
        if let Some(permit) = self.permit.take()
            && is_owed
        {
            permit.forget();
        }
    }
}

/// Somebody in front of the gate.
struct Waiting<'a>(&'a Gate);

impl<'a> Waiting<'a> {
    fn new(gate: &'a Gate) -> Self {
        gate.pace().waiting += 1;
        Self(gate)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.pace().waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Closed, Gate, Report};

    const PATIENCE: Duration = Duration::from_millis(10);

    async fn fill(gate: &Arc<Gate>, count: usize) -> Vec<super::Place> {
        let mut inside = Vec::new();
        for _ in 0..count {
            inside.push(gate.enter().await.expect("a place"));
        }
        inside
    }

    #[tokio::test]
    async fn whoever_waits_too_long_is_put_off() {
        let gate = Arc::new(Gate::new(1, PATIENCE));
        let inside = fill(&gate, 1).await;
        assert!(matches!(gate.enter().await, Err(Closed::Busy(_))));
        drop(inside);
        assert!(gate.enter().await.is_ok(), "the place is free again");
    }

    #[tokio::test]
    async fn a_throttled_gate_lets_in_half_as_many() {
        let gate = Arc::new(Gate::new(8, PATIENCE));
        for place in fill(&gate, 8).await {
            place.leave(Report::Throttled(None));
        }
        let inside = fill(&gate, 4).await;
        assert!(gate.enter().await.is_err());
        for place in inside {
            place.leave(Report::Answered);
        }
        assert!(gate.places.available_permits() > 4, "and more again");
    }

    #[tokio::test]
    async fn nobody_is_let_in_while_the_origin_is_to_be_left_alone() {
        let gate = Arc::new(Gate::new(2, PATIENCE));
        for place in fill(&gate, 2).await {
            place.leave(Report::Throttled(Some(Duration::from_mins(1))));
        }
        let Err(Closed::Busy(wait)) = gate.enter().await else {
            panic!("let in");
        };
        assert!(wait >= Duration::from_mins(1), "{wait:?}");
    }

    #[tokio::test]
    async fn who_waits_shares_the_fate_of_those_who_get_no_answer() {
        let gate = Arc::new(Gate::new(1, Duration::from_hours(1)));
        let inside = fill(&gate, 1).await.remove(0);
        let waiting = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.enter().await.err() }
        });
        tokio::task::yield_now().await;
        inside.leave(Report::Unanswered);
        assert_eq!(waiting.await.expect("no panic"), Some(Closed::Silent));
        let probe = gate.enter().await.expect("one may find out");
        assert_eq!(gate.look(), Err(Closed::Silent));
        probe.leave(Report::Answered);
        assert!(gate.look().is_ok());
    }

    #[tokio::test]
    async fn a_lowered_ceiling_takes_the_places_that_are_left() {
        let gate = Arc::new(Gate::new(4, PATIENCE));
        let inside = fill(&gate, 4).await;
        gate.set_ceiling(1);
        drop(inside);
        let _inside = fill(&gate, 1).await;
        assert!(gate.enter().await.is_err());
    }
}
