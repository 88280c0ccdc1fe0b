//! Which pages are in work: a slot for each, shared fairly among apps.
//!
//! A page whose recipients are all on their way only waits for its push services. A small one is parked at once and a large
//! one when that takes long, so that a push service which is far away or hangs does not keep other pages from being claimed.
//! What is parked is bounded in recipients, for these are what is in memory. An app gets at most three quarters of the
//! slots that others leave, and half of the room for parked ones, so that there is some of both for another app.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_domain::AppId;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// A parked page whose recipients are nearly all answered still holds them all: that counts as this share of them.
const PARKED_SHARE_DIVISOR: usize = 8;

/// The slots of an engine, and how they are shared among apps.
pub struct Slots {
    count: usize,
    parked_capacity: usize,
    free: Arc<Semaphore>,
    shares: Mutex<SlotShares>,
    changed: Notify,
}

#[derive(Default)]
struct SlotShares {
    /// Pages in slots, by app.
    pages: HashMap<AppId, usize>,
    /// Recipients of parked pages, by app.
    parked: HashMap<AppId, usize>,
}

/// What a page occupies: a slot, or room among the parked.
pub struct Slot {
    slots: Arc<Slots>,
    app: AppId,
    permit: Option<OwnedSemaphorePermit>,
    parked: usize,
}

impl Slots {
    /// `count` slots, and room for `parked_capacity` recipients of parked pages.
    pub fn new(count: usize, parked_capacity: usize) -> Self {
        let count = count.max(1);
        Self {
            count,
            parked_capacity,
            free: Arc::new(Semaphore::new(count)),
            shares: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Waits for a free slot.
    pub async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).acquire_owned().await.ok()
    }

    /// Gives the slot to a page of `app`.
    pub fn fill(self: &Arc<Self>, permit: OwnedSemaphorePermit, app: &AppId) -> Slot {
        *self.shares().pages.entry(app.clone()).or_default() += 1;
        Slot {
            slots: Arc::clone(self),
            app: app.clone(),
            permit: Some(permit),
            parked: 0,
        }
    }

    /// The apps that have their share of the slots: pages of others are to be claimed first.
    pub fn at_quota(&self) -> Vec<AppId> {
        let shares = self.shares();
        let taken: usize = shares.pages.values().sum();
        let is_at_quota = |pages: usize| pages >= quota_of(self.count - (taken - pages));
        let at_quota = shares
            .pages
            .iter()
            .filter(|(_, pages)| is_at_quota(**pages));
        at_quota.map(|(app, _)| app.clone()).collect()
    }

    /// Resolves when a page has left its slot since the last call; one caller may wait.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    fn shares(&self) -> MutexGuard<'_, SlotShares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Three quarters of the slots, rounded down so that one is left, but at least one. A fixed share would leave slots empty while
/// one app sends alone, or leave nothing for a second; a share of what others leave does neither.
fn quota_of(slots: usize) -> usize {
    (slots * 3 / 4).max(1)
}

impl Slot {
    /// Gives up the slot, if there is room to park a page of `recipients` of whom `unanswered` are not answered, and tells whether
    /// the page is parked.
    pub fn park(&mut self, recipients: usize, unanswered: usize) -> bool {
        if self.permit.is_none() {
            return true;
        }
        let recipients = unanswered.max(recipients / PARKED_SHARE_DIVISOR);
        let mut shares = self.slots.shares();
        let taken: usize = shares.parked.values().sum();
        let own = shares.parked.get(&self.app).copied().unwrap_or_default();
        let left_by_others = self.slots.parked_capacity.saturating_sub(taken - own);
        if own + recipients > left_by_others / 2 {
            return false;
        }
        *shares.parked.entry(self.app.clone()).or_default() += recipients;
        subtract(&mut shares.pages, &self.app, 1);
        drop(shares);
        self.parked = recipients;
        self.permit = None;
        self.slots.changed.notify_one();
        true
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut shares = self.slots.shares();
        if self.permit.is_some() {
            subtract(&mut shares.pages, &self.app, 1);
        } else {
            subtract(&mut shares.parked, &self.app, self.parked);
        }
        drop(shares);
        self.permit = None;
        self.slots.changed.notify_one();
    }
}

fn subtract(counts: &mut HashMap<AppId, usize>, app: &AppId, count: usize) {
    if let Some(left) = counts.get_mut(app) {
        *left -= count;
        if *left == 0 {
            counts.remove(app);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;
    use hato_domain::AppId;

    use super::{Slot, Slots};

    fn app(name: &str) -> AppId {
        AppId::trusted(name.into())
    }

    async fn fill(slots: &Arc<Slots>, name: &str, count: usize) -> Vec<Slot> {
        let mut filled = Vec::new();
        for _ in 0..count {
            let permit = slots.permit().await.expect("a slot");
            filled.push(slots.fill(permit, &app(name)));
        }
        filled
    }

    #[tokio::test]
    async fn an_app_gets_three_quarters_of_what_others_leave() {
        let slots = Arc::new(Slots::new(8, 100));
        let a = fill(&slots, "a", 5).await;
        assert_eq!(slots.at_quota(), []);
        let more = fill(&slots, "a", 1).await;
        assert_eq!(slots.at_quota(), [app("a")]);
        let b = fill(&slots, "b", 1).await;
        let mut at_quota = slots.at_quota();
        at_quota.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        assert_eq!(
            at_quota,
            [app("a"), app("b")],
            "one of two is left to a third"
        );
        let _c = fill(&slots, "c", 1).await;
        drop((a, more, b));
        assert_eq!(slots.at_quota(), []);
    }

    #[tokio::test]
    async fn the_only_slot_is_anybodys() {
        let slots = Arc::new(Slots::new(1, 100));
        assert_eq!(slots.at_quota(), []);
        let _a = fill(&slots, "a", 1).await;
        assert!(slots.permit().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_parked_page_makes_room() {
        let slots = Arc::new(Slots::new(1, 100));
        let mut a = fill(&slots, "a", 1).await.remove(0);
        assert!(a.park(40, 40));
        let mut b = fill(&slots, "a", 1).await.remove(0);
        assert!(!b.park(11, 11), "half of the room is the app's");
        assert!(!b.park(88, 1), "who is answered is held as well");
        assert!(b.park(80, 10));
        let mut c = fill(&slots, "c", 1).await.remove(0);
        assert!(!c.park(26, 26), "and half of what is left another's");
        assert!(c.park(25, 25));
        drop((a, b, c));
        assert!(slots.shares().parked.is_empty() && slots.shares().pages.is_empty());
    }
}
