//! An app's events as long as somebody looks after them: first attempts in the order of settlement, retries beside them.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hato_service::EventBell;
use hato_service::ports::{Agenda, LaneLease, WebhookEvent, WebhookQueue};
use tokio::time::{Instant, MissedTickBehavior};

use super::WebhookSender;
use super::air::{Air, Trouble};
use super::departure::departure;
use super::flight::Flight;
use super::places::Place;
use super::seen::SeenWebhook;
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
    pub(super) bell: EventBell,
    /// How long it is held on to when nothing is due.
    pub(super) linger: Duration,
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

impl From<Trouble> for Next {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Store => Self::Rest(PAUSE),
            Trouble::Locked => Self::Rest(LOCKED_WAIT),
            Trouble::LeaseLost => Self::Lost,
        }
    }
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
        let interval = shared.settings.poll_interval;
        let mut poll = tokio::time::interval_at(Instant::now() + interval, interval);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let mut next = Next::Wait;
            if air.has_news && air.trouble.is_none() {
                next = self.launch(&mut air).await;
            }
            let rest = match air.trouble.map_or(next, Next::from) {
                Next::Lost => return None,
                Next::Rest(rest) => Some(rest),
                Next::Wait => None,
            };
            if air.is_empty() {
                if rest.is_some() || !self.linger(&air).await {
                    return Some(rest.unwrap_or_default());
                }
                air.has_news = true;
                continue;
            }
            let looked_at = air.looked_at;
            tokio::select! {
                () = air.next_landing() => {}
                () = self.next_bell(looked_at) => air.has_news = true,
                _ = poll.tick() => air.has_news = true,
            }
        }
    }

    /// Holds on to a lane of which nothing is due, for claiming it again costs more than an event; whether there is another one
    /// by now. A lane that is in somebody's way is given back.
    async fn linger(&self, air: &Air) -> bool {
        if air.has_news || self.lease.is_slow || !self.sender.shared.places.has_plenty() {
            return false;
        }
        tokio::select! {
            () = self.next_bell(air.looked_at) => true,
            () = self.shutdown.draining() => false,
            () = tokio::time::sleep(self.linger) => false,
        }
    }

    /// Resolves when the bell has rung. Of many events each look costs as much as a small event, so that those of a broadcast
    /// are let gather.
    async fn next_bell(&self, looked_at: Instant) {
        tokio::time::sleep_until(looked_at + self.sender.shared.settings.pace).await;
        self.bell.heard().await;
    }

    /// Launches what is due, as far as there is room.
    async fn launch(&self, air: &mut Air) -> Next {
        let room = air.room(&self.sender.shared.places);
        if room == 0 || self.shutdown.is_draining() {
            return Next::Wait;
        }
        air.looked_at = Instant::now();
        let now = self.sender.shared.clock.now();
        let limit = u32::try_from(room).unwrap_or(u32::MAX);
        let agenda = self
            .sender
            .queue
            .agenda(&self.lease, &air.numbers, now, limit);
        match agenda.await {
            Ok(Agenda::Post {
                webhook,
                first,
                again,
            }) => {
                let seen = SeenWebhook::new(webhook, now, air.looked_at);
                air.has_news = first.len() >= room || again.len() >= room;
                self.launch_all(air, &Arc::new(seen), first, again).await;
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
        webhook: &Arc<SeenWebhook>,
        first: Vec<WebhookEvent>,
        again: Vec<WebhookEvent>,
    ) {
        let places = &self.sender.shared.places;
        let (mut first, mut again) = (first.into_iter(), again.into_iter());
        while let Some(event) = air.take_next(&mut first, &mut again, places) {
            let Some(place) = air.take_place(places) else {
                air.has_news = true;
                return;
            };
            let may_go_on = self.launch_one(air, place, webhook, event).await;
            if !may_go_on || air.trouble.is_some() || self.shutdown.is_draining() {
                air.has_news = true;
                return;
            }
        }
        air.has_news |= first.len() + again.len() > 0;
    }

    /// Launches an event and waits until a first attempt has left, while others land. Says whether the next may be launched:
    /// not when this one could not be attempted, for it comes first.
    async fn launch_one(
        &self,
        air: &mut Air,
        mut place: Place,
        webhook: &Arc<SeenWebhook>,
        event: WebhookEvent,
    ) -> bool {
        let (signals, departure) = departure();
        let (number, is_first) = (event.number, event.attempts == 0);
        let flight = Flight {
            sender: self.sender.clone(),
            lane: self.lease.clone(),
            event,
            webhook: Arc::clone(webhook),
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
