//! Telling the delivery engine and the webhooks' sender that there is work.

mod outgoing;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_domain::AppId;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

pub use self::outgoing::{AppsWithEvents, WakeUps};

use self::outgoing::Outgoing;

/// Wakes who takes up what is queued, in the same process as those who queue it, and gathers what other processes that share the
/// database are to be told.
#[derive(Clone, Debug, Default)]
pub struct Notifier {
    pages: Arc<Notify>,
    events: Arc<EventNotifiers>,
    outgoing: Arc<Outgoing>,
}

#[derive(Debug, Default)]
struct EventNotifiers {
    /// Notified for apps that have no notifier of their own.
    common: Arc<Notify>,
    own: Mutex<HashMap<AppId, Arc<Notify>>>,
}

/// The notifier of one app's events: as long as there is one, it is notified instead of that of all apps.
#[derive(Debug)]
pub struct AppNotifier {
    app: AppId,
    own: Arc<Notify>,
    all: Arc<EventNotifiers>,
}

impl Notifier {
    /// Tells the engine to look at the queue.
    pub fn notify(&self) {
        self.pages.notify_one();
        self.outgoing.add_pages();
    }

    /// Resolves at the next notification, or at once if there was one since the last wait. Made before the queue is asked, it
    /// misses nothing.
    pub fn notified(&self) -> OwnedNotified {
        Arc::clone(&self.pages).notified_owned()
    }

    /// Tells the webhooks' sender that an event of the app waits.
    pub fn notify_event(&self, app: &AppId) {
        self.events.notify(app);
        self.outgoing.add_events(app);
    }

    /// Waits until other processes are to be told something, and takes it.
    pub async fn outgoing(&self) -> WakeUps {
        self.outgoing.next().await
    }

    /// Passes on in this process what another one has told.
    pub fn wake(&self, wake_ups: &WakeUps) {
        if wake_ups.pages {
            self.pages.notify_one();
        }
        match &wake_ups.apps {
            AppsWithEvents::Some(apps) => apps.iter().for_each(|app| self.events.notify(app)),
            AppsWithEvents::Many => self.events.notify_all(),
        }
    }

    /// The same as [`Self::notified`] for the webhooks' sender, and the apps that have no [`AppNotifier`].
    pub fn event_notified(&self) -> OwnedNotified {
        Arc::clone(&self.events.common).notified_owned()
    }

    /// A notifier for the app's events, instead of one that the app may have.
    pub fn app_notifier(&self, app: &AppId) -> AppNotifier {
        let own = Arc::new(Notify::new());
        self.events.own().insert(app.clone(), Arc::clone(&own));
        AppNotifier {
            app: app.clone(),
            own,
            all: Arc::clone(&self.events),
        }
    }
}

impl EventNotifiers {
    fn notify(&self, app: &AppId) {
        self.own().get(app).unwrap_or(&self.common).notify_one();
    }

    fn notify_all(&self) {
        self.common.notify_one();
        self.own().values().for_each(|own| own.notify_one());
    }

    fn own(&self) -> MutexGuard<'_, HashMap<AppId, Arc<Notify>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AppNotifier {
    /// Waits as [`Notifier::notified`] does, for the app's events.
    pub async fn notified(&self) {
        self.own.notified().await;
    }
}

/// Passes a notification on that may have come since somebody listened last.
impl Drop for AppNotifier {
    fn drop(&mut self) {
        let mut own = self.all.own();
        let current = own.get(&self.app);
        if current.is_some_and(|current| Arc::ptr_eq(current, &self.own)) {
            own.remove(&self.app);
        }
        self.all.common.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use hato_domain::AppId;

    use super::Notifier;

    #[test]
    fn an_apps_notifier_is_notified_for_that_app_alone_as_long_as_it_is_there() {
        let [one, other] = ["app_1", "app_2"].map(|id| AppId::trusted(id.into()));
        let notifier = Notifier::default();
        let of_one = notifier.app_notifier(&one);
        notifier.notify_event(&one);
        assert!(of_one.notified().now_or_never().is_some());
        assert!(notifier.event_notified().now_or_never().is_none());
        notifier.notify_event(&other);
        assert!(of_one.notified().now_or_never().is_none());
        assert!(notifier.event_notified().now_or_never().is_some());
        notifier.notify_event(&one);
        drop(of_one);
        assert!(
            notifier.event_notified().now_or_never().is_some(),
            "it was notified before"
        );
        notifier.notify_event(&one);
        assert!(notifier.event_notified().now_or_never().is_some());
    }

    #[test]
    fn an_older_notifier_takes_no_younger_one_away() {
        let app = AppId::trusted("app_1".into());
        let notifier = Notifier::default();
        let older = notifier.app_notifier(&app);
        let younger = notifier.app_notifier(&app);
        drop(older);
        notifier.notify_event(&app);
        assert!(younger.notified().now_or_never().is_some());
    }
}
