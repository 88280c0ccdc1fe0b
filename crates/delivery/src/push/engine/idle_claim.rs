//! The memory of a claim that found nothing, so that it is not made again as long as it would find nothing.

use std::time::Duration;

use hato_domain::AppId;
use tokio::time::Instant;

/// The latest claim that found nothing to be claimed, of apps other than those that it excluded.
///
/// While one app's broadcast fills its share of the slots, each page that leaves one makes room for the next, after which the others
/// would be looked for again: one of three transactions of a page, and the dearest, for it goes from app to app.
#[derive(Default)]
pub struct IdleClaim {
    excluded_apps: Vec<AppId>,
    until: Option<Instant>,
}

impl IdleClaim {
    /// Remembers that nothing is due for so long, of apps other than these.
    pub fn remember(&mut self, excluded_apps: Vec<AppId>, idle: Duration) {
        self.excluded_apps = excluded_apps;
        self.until = Some(Instant::now() + idle);
    }

    /// For how long another claim, which excludes these apps, would find nothing, unless something is queued meanwhile.
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

    use super::IdleClaim;

    fn apps(names: &[&str]) -> Vec<AppId> {
        let apps = names.iter().map(|name| AppId::trusted((*name).into()));
        apps.collect()
    }

    fn idle_claim(excluded_apps: &[&str]) -> IdleClaim {
        let mut claim = IdleClaim::default();
        claim.remember(apps(excluded_apps), Duration::from_secs(1));
        claim
    }

    #[tokio::test(start_paused = true)]
    async fn it_holds_for_its_time() {
        let claim = idle_claim(&["a"]);
        assert_eq!(claim.lasts(&apps(&["a"])), Some(Duration::from_secs(1)));
        advance(Duration::from_millis(999)).await;
        assert_eq!(claim.lasts(&apps(&["a"])), Some(Duration::from_millis(1)));
        advance(Duration::from_millis(1)).await;
        assert_eq!(claim.lasts(&apps(&["a"])), None);
    }

    #[tokio::test(start_paused = true)]
    async fn it_holds_for_claims_that_exclude_as_much() {
        let claim = idle_claim(&["a", "b"]);
        assert!(claim.lasts(&apps(&["b", "c", "a"])).is_some());
        assert!(claim.lasts(&apps(&["a"])).is_none());
        assert!(claim.lasts(&[]).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn it_holds_until_one_of_the_others_has_a_page() {
        let mut claim = idle_claim(&["a"]);
        claim.claimed(&apps(&["a"])[0]);
        assert!(claim.lasts(&apps(&["a"])).is_some());
        claim.claimed(&apps(&["b"])[0]);
        assert!(claim.lasts(&apps(&["a"])).is_none());
    }

    #[test]
    fn before_a_claim_nothing_is_known() {
        assert!(IdleClaim::default().lasts(&apps(&["a"])).is_none());
    }
}
