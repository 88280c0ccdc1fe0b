//! An app's events as long as somebody looks after them: first attempts in the order of settlement, retries beside them.

use std::time::Duration;

use hato_service::ports::{Agenda, LaneLease, WebhookEvent, WebhookQueue};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::WebhookSender;
use super::air::Air;
use super::flight::{Flight, Landing, Signals};
use super::places::Place;
use crate::shutdown::Shutdown;

/// Events discarded at a time.
const DISCARDED_AT_ONCE: u32 = 500;
/// The lead of a request that has left over the next one, unless it is answered sooner; more for a large body.
const LEAD: Duration = Duration::from_millis(2);
/// Bytes of a body for which it gets another millisecond.
const PER_MILLISECOND: u64 = 32 * 1_024;
/// The wait after the store has failed.
const PAUSE: Duration = Duration::from_secs(5);
/// The wait before a lane is looked after again whose secrets cannot be opened: an operator has to act.
const LOCKED_WAIT: Duration = Duration::from_mins(1);

/// A claimed lane.
pub(super) struct Lane<Q: ?Sized> {
    pub(super) sender: WebhookSender<Q>,
    pub(super) lease: LaneLease,
    pub(super) shutdown: Shutdown,
}

/// How looking after a lane goes on.
enum Next {
    /// Something may be due later.
    Wait,
    /// Nothing can be done for so long.
    Rest(Duration),
    /// The lane is somebody else's.
    Lost,
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> Lane<Q> {
    /// Posts what is due until nothing is or the lane's turn is over, renewing the lease all the while.
    pub(super) async fn look_after(&self, place: Place) {
        tokio::select! {
            rest = self.work(place) => if let Some(rest) = rest { self.release(rest).await },
            () = self.keep_lease() => {
                tracing::warn!(app = %self.lease.app_id, "a lane's lease was lost");
            }
        }
    }

    /// How long the lane may rest; None when it is somebody else's. What is still in flight then is given up.
    async fn work(&self, place: Place) -> Option<Duration> {
        let shared = &self.sender.shared;
        let mut air = Air::new(&shared.settings, self.lease.is_slow, place);
        loop {
            let news = shared.news.notified();
            let next = self.launch(&mut air).await;
            match next {
                Next::Lost => return None,
                Next::Rest(rest) if air.flights.is_empty() => return Some(rest),
                Next::Wait if air.flights.is_empty() => return Some(Duration::ZERO),
                Next::Wait | Next::Rest(_) => {}
            }
            tokio::select! {
                Some(landed) = air.flights.join_next() => match landed {
                    Ok((number, landing, place)) => {
                        air.land(number, landing, place);
                        match landing {
                            Landing::Recorded { .. } | Landing::Unknown => {}
                            Landing::StoreFails => return Some(PAUSE),
                            Landing::Locked => return Some(LOCKED_WAIT),
                            Landing::LeaseLost => return None,
                        }
                    }
                    Err(_) => return Some(PAUSE),
                },
                () = news => {}
                () = tokio::time::sleep(shared.settings.poll_interval) => {}
            }
        }
    }

    /// Launches what is due, as far as there is room.
    async fn launch(&self, air: &mut Air) -> Next {
        let room = air.room(&self.sender.shared.places);
        if room == 0 || self.shutdown.is_draining() {
            return Next::Wait;
        }
        let now = self.sender.shared.clock.now();
        let limit = u32::try_from(room).unwrap_or(u32::MAX);
        let agenda = self
            .sender
            .queue
            .agenda(&self.lease, &air.numbers, now, limit);
        match agenda.await {
            Ok(Agenda::Post { url, first, again }) => {
                self.launch_all(air, &url, first, again).await;
                Next::Wait
            }
            Ok(Agenda::Discard) => self.discard().await,
            Ok(Agenda::LeaseLost) => Next::Lost,
            Err(error) => {
                tracing::error!(app = %self.lease.app_id, %error, "a lane cannot be read");
                Next::Rest(PAUSE)
            }
        }
    }

    async fn launch_all(
        &self,
        air: &mut Air,
        url: &str,
        first: Vec<WebhookEvent>,
        again: Vec<WebhookEvent>,
    ) {
        let places = &self.sender.shared.places;
        let (mut first, mut again) = (first.into_iter(), again.into_iter());
        while let Some(event) = air.take_next(&mut first, &mut again, places) {
            let Some(place) = air.take_place(places) else {
                break;
            };
            self.launch_one(air, place, url, event).await;
            if self.shutdown.is_draining() {
                break;
            }
        }
    }

    /// Launches an event; a first attempt has left then.
    async fn launch_one(&self, air: &mut Air, mut place: Place, url: &str, event: WebhookEvent) {
        let (leaves, left) = oneshot::channel();
        let (answered, answer) = oneshot::channel();
        let (number, is_first) = (event.number, event.attempts == 0);
        let flight = Flight {
            sender: self.sender.clone(),
            lane: self.lease.clone(),
            event,
            url: url.to_owned(),
            shutdown: self.shutdown.clone(),
        };
        air.lift(number);
        let signals = Signals { leaves, answered };
        air.flights.spawn(async move {
            let landing = flight.fly(&mut place, signals).await;
            (number, landing, place)
        });
        if is_first {
            tokio::select! {
                () = let_leave(left, answer) => {}
                () = self.shutdown.draining() => {}
            }
        }
    }

    async fn discard(&self) -> Next {
        loop {
            let discarded = self
                .sender
                .queue
                .discard_events(&self.lease, DISCARDED_AT_ONCE);
            match discarded.await {
                Ok(true) => {}
                Ok(false) => return Next::Rest(Duration::ZERO),
                Err(error) => {
                    tracing::error!(app = %self.lease.app_id, %error, "events cannot be discarded");
                    return Next::Rest(PAUSE);
                }
            }
        }
    }

    /// Returns when the lease was lost.
    async fn keep_lease(&self) {
        let shared = &self.sender.shared;
        let lease = shared.settings.lease;
        loop {
            tokio::time::sleep(lease / 3).await;
            let until = shared.clock.now().plus(lease);
            match self.sender.queue.renew_lane(&self.lease, until).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(app = %self.lease.app_id, %error, "a lane's lease cannot be renewed");
                }
            }
        }
    }

    /// A lane that cannot be given back is due again when its lease ends.
    async fn release(&self, rest: Duration) {
        let not_before = self.sender.shared.clock.now().plus(rest);
        let released = self.sender.queue.release_lane(&self.lease, not_before);
        if let Err(error) = released.await {
            tracing::warn!(app = %self.lease.app_id, %error, "a lane cannot be given back");
        }
    }
}

/// Resolves when the next request cannot overtake this one any more: it is on its connection, or failed before.
async fn let_leave(left: oneshot::Receiver<usize>, answer: oneshot::Receiver<()>) {
    if let Ok(size) = left.await {
        // Either an answer, or the lead is enough.
        let _ = timeout(lead(size), answer).await;
    }
}

fn lead(size: usize) -> Duration {
    LEAD + Duration::from_millis(size as u64 / PER_MILLISECOND)
}
