//! What other processes that share the database are to be told, gathered until somebody carries it there.

use std::collections::BTreeSet;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hato_domain::AppId;
use tokio::sync::Notify;

/// Most apps that are told one by one; more are told as all.
const MAX_APPS: usize = 100;

/// Work that was queued: pages of sends, and events of apps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WakeUps {
    /// Whether the delivery engine has something to look at.
    pub pages: bool,
    /// The apps whose events wait.
    pub apps: AppsWithEvents,
}

/// The apps whose events wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppsWithEvents {
    /// These, at most 100.
    Some(BTreeSet<AppId>),
    /// More than are counted.
    Many,
}

impl Default for AppsWithEvents {
    fn default() -> Self {
        Self::Some(BTreeSet::new())
    }
}

impl AppsWithEvents {
    fn add(&mut self, app: &AppId) {
        if let Self::Some(apps) = self {
            apps.insert(app.clone());
            if apps.len() > MAX_APPS {
                *self = Self::Many;
            }
        }
    }
}

/// Gathers wake-ups from the first time on that somebody asks for them.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    is_carried: AtomicBool,
    gathered: Mutex<WakeUps>,
    changed: Notify,
}

impl Outgoing {
    pub(super) fn add_pages(&self) {
        self.change(|wake_ups| wake_ups.pages = true);
    }

    pub(super) fn add_events(&self, app: &AppId) {
        self.change(|wake_ups| wake_ups.apps.add(app));
    }

    /// Waits until there is something to tell, and takes it.
    pub(super) async fn next(&self) -> WakeUps {
        self.is_carried.store(true, Ordering::Relaxed);
        loop {
            let changed = self.changed.notified();
            let gathered = mem::take(&mut *self.gathered());
            if gathered != WakeUps::default() {
                return gathered;
            }
            changed.await;
        }
    }

    fn change(&self, change: impl FnOnce(&mut WakeUps)) {
        if self.is_carried.load(Ordering::Relaxed) {
            change(&mut self.gathered());
            self.changed.notify_one();
        }
    }

    fn gathered(&self) -> MutexGuard<'_, WakeUps> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use hato_domain::AppId;

    use super::{AppsWithEvents, MAX_APPS, Outgoing};

    #[test]
    fn what_is_queued_is_told_once_and_many_apps_as_many() {
        let outgoing = Outgoing::default();
        outgoing.add_pages();
        assert!(outgoing.next().now_or_never().is_none(), "nobody had asked");
        outgoing.add_pages();
        outgoing.add_events(&AppId::trusted("app_1".into()));
        let wake_ups = outgoing.next().now_or_never().expect("two things");
        let AppsWithEvents::Some(apps) = wake_ups.apps else {
            panic!("one app is not many");
        };
        assert_eq!((wake_ups.pages, apps.len()), (true, 1));
        for number in 0..=MAX_APPS {
            outgoing.add_events(&AppId::trusted(format!("app_{number}")));
        }
        let wake_ups = outgoing.next().now_or_never().expect("many apps");
        assert_eq!(
            (wake_ups.pages, wake_ups.apps),
            (false, AppsWithEvents::Many)
        );
    }
}
