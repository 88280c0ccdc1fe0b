//! Telling the delivery engine and the webhooks' sender that there is work.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_domain::AppId;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// Bells between those who queue and those in the same process who take up what is queued.
#[derive(Clone, Debug, Default)]
pub struct Wake {
    pages: Arc<Notify>,
    events: Arc<EventBells>,
}

#[derive(Debug, Default)]
struct EventBells {
    /// Rings for apps that have no bell of their own.
    common: Arc<Notify>,
    own: Mutex<HashMap<AppId, Arc<Notify>>>,
}

/// The bell of one app's events: as long as there is one, it rings instead of that of all apps.
#[derive(Debug)]
pub struct EventBell {
    app: AppId,
    own: Arc<Notify>,
    bells: Arc<EventBells>,
}

impl Wake {
    /// Tells the engine to look at the queue.
    pub fn ring(&self) {
        self.pages.notify_one();
    }

    /// Resolves at the next ring, or at once if it rang since the last wait. Made before the queue is asked, it misses nothing.
    pub fn heard(&self) -> OwnedNotified {
        Arc::clone(&self.pages).notified_owned()
    }

    /// Tells the webhooks' sender that an event of the app waits.
    pub fn ring_for_event(&self, app: &AppId) {
        let own = self.events.own();
        own.get(app).unwrap_or(&self.events.common).notify_one();
    }

    /// The same as [`Self::heard`] for the webhooks' sender, and the apps that have no [`EventBell`].
    pub fn event_heard(&self) -> OwnedNotified {
        Arc::clone(&self.events.common).notified_owned()
    }

    /// A bell for the app's events, instead of one that the app may have.
    pub fn event_bell(&self, app: &AppId) -> EventBell {
        let own = Arc::new(Notify::new());
        self.events.own().insert(app.clone(), Arc::clone(&own));
        EventBell {
            app: app.clone(),
            own,
            bells: Arc::clone(&self.events),
        }
    }
}

impl EventBells {
    fn own(&self) -> MutexGuard<'_, HashMap<AppId, Arc<Notify>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventBell {
    /// The same as [`Wake::heard`] for the app's events.
    pub async fn heard(&self) {
        self.own.notified().await;
    }
}

/// It may have rung since somebody listened last, so the common bell rings.
impl Drop for EventBell {
    fn drop(&mut self) {
        let mut own = self.bells.own();
        let current = own.get(&self.app);
        if current.is_some_and(|current| Arc::ptr_eq(current, &self.own)) {
            own.remove(&self.app);
        }
        self.bells.common.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use hato_domain::AppId;

    use super::Wake;

    #[test]
    fn an_apps_bell_rings_for_that_app_alone_as_long_as_it_is_there() {
        let [one, other] = ["app_1", "app_2"].map(|id| AppId::trusted(id.into()));
        let wake = Wake::default();
        let bell = wake.event_bell(&one);
        wake.ring_for_event(&one);
        assert!(bell.heard().now_or_never().is_some());
        assert!(wake.event_heard().now_or_never().is_none());
        wake.ring_for_event(&other);
        assert!(bell.heard().now_or_never().is_none());
        assert!(wake.event_heard().now_or_never().is_some());
        wake.ring_for_event(&one);
        drop(bell);
        assert!(wake.event_heard().now_or_never().is_some(), "it had rung");
        wake.ring_for_event(&one);
        assert!(wake.event_heard().now_or_never().is_some());
    }

    #[test]
    fn an_older_bell_takes_no_younger_one_away() {
        let app = AppId::trusted("app_1".into());
        let wake = Wake::default();
        let older = wake.event_bell(&app);
        let younger = wake.event_bell(&app);
        drop(older);
        wake.ring_for_event(&app);
        assert!(younger.heard().now_or_never().is_some());
    }
}
