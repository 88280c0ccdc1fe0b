//! An app's events as long as somebody looks after them: first attempts in the order of settlement, retries beside them.

use std::pin::pin;
use std::time::Duration;

use hato_service::ports::{Agenda, LaneLease, WebhookEvent, WebhookQueue};

use super::WebhookSender;
use super::air::{Air, Trouble};
use super::departure::departure;
use super::flight::Flight;
use super::places::Place;
use crate::shutdown::Shutdown;

/// Events discarded at a time.
const DISCARDED_AT_ONCE: u32 = 500;
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
            let mut rest = Duration::ZERO;
            if air.trouble.is_none() {
                match self.launch(&mut air).await {
                    Next::Lost => return None,
                    Next::Rest(launch_rest) => rest = launch_rest,
                    Next::Wait => {}
                }
            }
            match air.trouble {
                Some(Trouble::LeaseLost) => return None,
                Some(Trouble::Store) => rest = PAUSE,
                Some(Trouble::Locked) => rest = LOCKED_WAIT,
                None => {}
            }
            if air.is_empty() {
                return Some(rest);
            }
            tokio::select! {
                () = air.next_landing() => {}
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
            let may_go_on = self.launch_one(air, place, url, event).await;
            if !may_go_on || air.trouble.is_some() || self.shutdown.is_draining() {
                break;
            }
        }
    }

    /// Launches an event and waits until a first attempt has left, while others land. Says whether the next may be launched:
    /// not when this one could not be attempted, for it comes first.
    async fn launch_one(
        &self,
        air: &mut Air,
        mut place: Place,
        url: &str,
        event: WebhookEvent,
    ) -> bool {
        let (signals, departure) = departure();
        let (number, is_first) = (event.number, event.attempts == 0);
        let flight = Flight {
            sender: self.sender.clone(),
            lane: self.lease.clone(),
            event,
            url: url.to_owned(),
            shutdown: self.shutdown.clone(),
        };
        air.lift(number, async move {
            let landing = flight.fly(&mut place, signals).await;
            (landing, place)
        });
        if !is_first {
            return true;
        }
        let mut leaving = pin!(departure.has_left());
        loop {
            tokio::select! {
                has_left = &mut leaving => if has_left { return true } else { break },
                () = air.next_landing(), if !air.is_empty() => {}
                () = self.shutdown.draining() => return false,
            }
        }
        while air.numbers.contains(&number) && air.trouble.is_none() {
            air.next_landing().await;
        }
        false
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
