//! The memory of a look at the queue that found nothing, so that it is not made again as long as it would find nothing.

use std::time::Duration;

use hato_domain::AppId;
use tokio::time::Instant;

/// The latest look that found nothing to be claimed, of apps other than those that it excluded.
///
/// While one app's broadcast fills its share of the slots, each page that leaves one makes room for the next, after which the others
/// would be looked for again: one of three transactions of a page, and the dearest, for it goes from app to app.
#[derive(Default)]
pub struct EmptyLook {
    excluded_apps: Vec<AppId>,
    until: Option<Instant>,
}

impl EmptyLook {
    /// Remembers that nothing is due for so long, of apps other than these.
    pub fn remember(&mut self, excluded_apps: Vec<AppId>, idle: Duration) {
        self.excluded_apps = excluded_apps;
        self.until = Some(Instant::now() + idle);
    }

    /// For how long another look, which excludes these apps, would find nothing, unless something is queued meanwhile.
    pub fn lasts(&self, excluded_apps: &[AppId]) -> Option<Duration> {
        let is_wider = |app| !excluded_apps.contains(app);
        if self.excluded_apps.iter().any(is_wider) {
            return None;
        }
        let left = self.until?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// A page of `app` was claimed: of an app that was looked for there may be more.
    pub fn claimed(&mut self, app: &AppId) {
        if !self.excluded_apps.contains(app) {
            self.forget();
        }
    }

    /// Something may have been queued.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hato_domain::AppId;
    use tokio::time::advance;

    use super::EmptyLook;

    fn apps(names: &[&str]) -> Vec<AppId> {
        let apps = names.iter().map(|name| AppId::trusted((*name).into()));
        apps.collect()
    }

    fn look(excluded_apps: &[&str]) -> EmptyLook {
        let mut look = EmptyLook::default();
        look.remember(apps(excluded_apps), Duration::from_secs(1));
        look
    }

    #[tokio::test(start_paused = true)]
    async fn it_holds_for_its_time() {
        let look = look(&["a"]);
        assert_eq!(look.lasts(&apps(&["a"])), Some(Duration::from_secs(1)));
        advance(Duration::from_millis(999)).await;
        assert_eq!(look.lasts(&apps(&["a"])), Some(Duration::from_millis(1)));
        advance(Duration::from_millis(1)).await;
        assert_eq!(look.lasts(&apps(&["a"])), None);
    }

    #[tokio::test(start_paused = true)]
    async fn it_holds_for_looks_that_exclude_as_much() {
        let look = look(&["a", "b"]);
        assert!(look.lasts(&apps(&["b", "c", "a"])).is_some());
        assert!(look.lasts(&apps(&["a"])).is_none());
        assert!(look.lasts(&[]).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn it_holds_until_one_of_the_others_has_a_page() {
        let mut look = look(&["a"]);
        look.claimed(&apps(&["a"])[0]);
        assert!(look.lasts(&apps(&["a"])).is_some());
        look.claimed(&apps(&["b"])[0]);
        assert!(look.lasts(&apps(&["a"])).is_none());
    }

    #[test]
    fn before_a_look_nothing_is_known() {
        assert!(EmptyLook::default().lasts(&apps(&["a"])).is_none());
    }
}
