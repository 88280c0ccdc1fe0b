//! Who may be worked on: a slot for each page, shared fairly among apps.
//!
//! A page whose recipients are all on their way only waits for its push services. A small one steps aside at once and a large
//! one when that takes long, so that a push service which is far away or hangs does not keep other pages from being claimed.
//! What stands aside is bounded in recipients, for these are what is in memory. An app gets at most three quarters of the
//! slots that others leave, and half of the room aside, so that there is some of both for another app.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_domain::AppId;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// A page aside whose recipients are nearly all answered still holds them all: that counts as this share of them.
const HELD_PER_UNANSWERED: usize = 8;

/// The slots of an engine.
pub struct Slots {
    count: usize,
    room_aside: usize,
    free: Arc<Semaphore>,
    shares: Mutex<Shares>,
    changed: Notify,
}

#[derive(Default)]
struct Shares {
    /// Pages in slots, by app.
    pages: HashMap<AppId, usize>,
    /// Recipients aside, by app.
    aside: HashMap<AppId, usize>,
}

/// The right to claim a page.
pub struct Permit(OwnedSemaphorePermit);

/// A page's place: a slot, or one aside.
pub struct Slot {
    slots: Arc<Slots>,
    app: AppId,
    permit: Option<OwnedSemaphorePermit>,
    aside: usize,
}

impl Slots {
    /// `count` slots, and room for `room_aside` recipients of pages that step aside.
    pub fn new(count: usize, room_aside: usize) -> Self {
        let count = count.max(1);
        Self {
            count,
            room_aside,
            free: Arc::new(Semaphore::new(count)),
            shares: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// A free slot, when there is one.
    pub async fn permit(&self) -> Option<Permit> {
        Arc::clone(&self.free)
            .acquire_owned()
            .await
            .ok()
            .map(Permit)
    }

    /// Gives the slot to a page of `app`.
    pub fn fill(self: &Arc<Self>, permit: Permit, app: &AppId) -> Slot {
        *self.shares().pages.entry(app.clone()).or_default() += 1;
        Slot {
            slots: Arc::clone(self),
            app: app.clone(),
            permit: Some(permit.0),
            aside: 0,
        }
    }

    /// The apps that have their share of the slots: pages of others are to be claimed first.
    pub fn sated(&self) -> Vec<AppId> {
        let shares = self.shares();
        let taken: usize = shares.pages.values().sum();
        let is_sated = |pages: usize| pages >= share_of(self.count - (taken - pages));
        let sated = shares.pages.iter().filter(|(_, pages)| is_sated(**pages));
        sated.map(|(app, _)| app.clone()).collect()
    }

    /// Resolves when a page has left its slot since the last call.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Three quarters of the slots, rounded down so that one is left, but at least one.
fn share_of(slots: usize) -> usize {
    (slots * 3 / 4).max(1)
}

impl Slot {
    /// Makes room for other pages, if there is room aside for a page of `recipients` of whom `unanswered` are not answered;
    /// says whether the page stands aside.
    pub fn step_aside(&mut self, recipients: usize, unanswered: usize) -> bool {
        if self.permit.is_none() {
            return true;
        }
        let recipients = unanswered.max(recipients / HELD_PER_UNANSWERED);
        let mut shares = self.slots.shares();
        let taken: usize = shares.aside.values().sum();
        let own = shares.aside.get(&self.app).copied().unwrap_or_default();
        let left_by_others = self.slots.room_aside.saturating_sub(taken - own);
        if own + recipients > left_by_others / 2 {
            return false;
        }
        *shares.aside.entry(self.app.clone()).or_default() += recipients;
        take_off(&mut shares.pages, &self.app, 1);
        drop(shares);
        self.aside = recipients;
        self.permit = None;
        self.slots.changed.notify_one();
        true
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut shares = self.slots.shares();
        if self.permit.is_some() {
            take_off(&mut shares.pages, &self.app, 1);
        } else {
            take_off(&mut shares.aside, &self.app, self.aside);
        }
        drop(shares);
        self.permit = None;
        self.slots.changed.notify_one();
    }
}

fn take_off(counts: &mut HashMap<AppId, usize>, app: &AppId, count: usize) {
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
        assert_eq!(slots.sated(), []);
        let more = fill(&slots, "a", 1).await;
        assert_eq!(slots.sated(), [app("a")]);
        let b = fill(&slots, "b", 1).await;
        let mut sated = slots.sated();
        sated.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        assert_eq!(sated, [app("a"), app("b")], "one of two is left to a third");
        let _c = fill(&slots, "c", 1).await;
        drop((a, more, b));
        assert_eq!(slots.sated(), []);
    }

    #[tokio::test]
    async fn the_only_slot_is_anybodys() {
        let slots = Arc::new(Slots::new(1, 100));
        assert_eq!(slots.sated(), []);
        let _a = fill(&slots, "a", 1).await;
        assert!(slots.permit().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_page_that_steps_aside_makes_room() {
        let slots = Arc::new(Slots::new(1, 100));
        let mut a = fill(&slots, "a", 1).await.remove(0);
        assert!(a.step_aside(40, 40));
        let mut b = fill(&slots, "a", 1).await.remove(0);
        assert!(!b.step_aside(11, 11), "half of the room is the app's");
        assert!(!b.step_aside(88, 1), "who is answered is held as well");
        assert!(b.step_aside(80, 10));
        let mut c = fill(&slots, "c", 1).await.remove(0);
        assert!(!c.step_aside(26, 26), "and half of what is left another's");
        assert!(c.step_aside(25, 25));
        drop((a, b, c));
        assert!(slots.shares().aside.is_empty() && slots.shares().pages.is_empty());
    }
}
