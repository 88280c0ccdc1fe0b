//! How many connections may be open, to all push services together, and how apps and hosts share them.
//!
//! A connection counts for the app that opened it until it closes, whosever requests it carries. An app may hold half of the
//! connections that other apps leave, and half of those that they leave of a host's share, which is half of all. So whatever an app's
//! subscribers lead to, thousands of origins that never answer or many ports of one host, there are connections for the next app. The
//! first app gets 256 of 512, the second 128, and so on: a fixed share would leave most of them unused while one app sends alone.

use std::collections::HashMap;
use std::hash::Hash;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_domain::AppId;
use tokio::sync::Notify;
use url::Host;

/// For whom a connection counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConnectionOwner {
    /// The app that wanted it first.
    pub app: AppId,
    /// The host that it leads to, whatever the port.
    pub host: Arc<Host<String>>,
}

/// The connections that may be open.
pub struct ConnectionPermits {
    capacity: usize,
    shares: Mutex<ConnectionShares>,
    /// How many wait for a permit.
    waiting: AtomicUsize,
    freed: Notify,
    wanted: Notify,
}

#[derive(Default)]
struct ConnectionShares {
    all: Holders,
    hosts: HashMap<Arc<Host<String>>, Holders>,
    /// Who waits, and how many of each.
    waiting: HashMap<ConnectionOwner, usize>,
}

/// How many permits are taken, and by which apps.
#[derive(Default)]
struct Holders {
    taken: usize,
    by_app: HashMap<AppId, usize>,
}

/// The right to have one connection open; given back when dropped.
pub struct ConnectionPermit {
    permits: Arc<ConnectionPermits>,
    owner: Arc<ConnectionOwner>,
}

impl ConnectionPermits {
    /// Permits for `capacity` connections, none of which is taken.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            shares: Mutex::default(),
            waiting: AtomicUsize::new(0),
            freed: Notify::new(),
            wanted: Notify::new(),
        }
    }

    /// A permit, if the owner's app may have another one now.
    pub fn try_acquire(self: &Arc<Self>, owner: &Arc<ConnectionOwner>) -> Option<ConnectionPermit> {
        let mut shares = self.shares();
        if !shares.admits(owner, self.capacity) {
            return None;
        }
        shares.take(owner);
        Some(ConnectionPermit {
            permits: Arc::clone(self),
            owner: Arc::clone(owner),
        })
    }

    /// A permit, as soon as the owner's app may have another one.
    pub async fn acquire(self: &Arc<Self>, owner: &Arc<ConnectionOwner>) -> ConnectionPermit {
        let mut waiting = None;
        loop {
            // Listening begins before looking: a permit that is freed in between is not missed.
            let mut freed = pin!(self.freed.notified());
            freed.as_mut().enable();
            if let Some(permit) = self.try_acquire(owner) {
                return permit;
            }
            waiting.get_or_insert_with(|| PermitWaiter::new(self, owner));
            freed.await;
        }
    }

    /// Resolves when somebody has begun to wait for a permit since the last call; one caller may wait.
    pub async fn wanted(&self) {
        self.wanted.notified().await;
    }

    /// Whether anybody waits for a permit.
    pub fn has_waiters(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Whether a connection that nothing uses should make room: for its own app's others, or for those of an app that holds fewer.
    pub fn is_wanted(&self, owner: &ConnectionOwner) -> bool {
        let shares = self.shares();
        let held = |app: &AppId| shares.all.by_app.get(app).copied().unwrap_or_default();
        let own = held(&owner.app);
        let mut waiting = shares.waiting.keys();
        waiting.any(|it| it.app == owner.app || held(&it.app) < own)
    }

    fn shares(&self) -> MutexGuard<'_, ConnectionShares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionShares {
    fn admits(&self, owner: &ConnectionOwner, capacity: usize) -> bool {
        let host = self.hosts.get(&owner.host);
        self.all.admits(&owner.app, capacity)
            && host.is_none_or(|host| host.admits(&owner.app, capacity.div_ceil(2)))
    }

    fn take(&mut self, owner: &ConnectionOwner) {
        self.all.take(&owner.app);
        let host = self.hosts.entry(Arc::clone(&owner.host)).or_default();
        host.take(&owner.app);
    }

    fn release(&mut self, owner: &ConnectionOwner) {
        self.all.release(&owner.app);
        let Some(host) = self.hosts.get_mut(&owner.host) else {
            return;
        };
        host.release(&owner.app);
        if host.taken == 0 {
            self.hosts.remove(&owner.host);
        }
    }
}

impl Holders {
    /// Whether `app` has less than half of what others leave of `capacity`, rounded up: whatever is left, one may be had.
    fn admits(&self, app: &AppId, capacity: usize) -> bool {
        let own = self.by_app.get(app).copied().unwrap_or_default();
        let left_by_others = capacity.saturating_sub(self.taken - own);
        own < left_by_others.div_ceil(2)
    }

    fn take(&mut self, app: &AppId) {
        self.taken += 1;
        *self.by_app.entry(app.clone()).or_default() += 1;
    }

    fn release(&mut self, app: &AppId) {
        self.taken -= 1;
        decrement(&mut self.by_app, app);
    }
}

impl ConnectionPermit {
    /// For whom the connection counts.
    pub fn owner(&self) -> &Arc<ConnectionOwner> {
        &self.owner
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.permits.shares().release(&self.owner);
        self.permits.freed.notify_waiters();
    }
}

/// Counts one as waiting for as long as it lives.
struct PermitWaiter<'a> {
    permits: &'a ConnectionPermits,
    owner: &'a ConnectionOwner,
}

impl<'a> PermitWaiter<'a> {
    fn new(permits: &'a ConnectionPermits, owner: &'a ConnectionOwner) -> Self {
        *permits.shares().waiting.entry(owner.clone()).or_default() += 1;
        permits.waiting.fetch_add(1, Ordering::Relaxed);
        permits.wanted.notify_one();
        Self { permits, owner }
    }
}

impl Drop for PermitWaiter<'_> {
    fn drop(&mut self) {
        decrement(&mut self.permits.shares().waiting, self.owner);
        self.permits.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

fn decrement<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;
    use hato_domain::AppId;
    use url::Host;

    use super::{ConnectionOwner, ConnectionPermit, ConnectionPermits};

    fn owner(app: &str, host: &str) -> Arc<ConnectionOwner> {
        Arc::new(ConnectionOwner {
            app: AppId::trusted(app.into()),
            host: Arc::new(Host::Domain(host.into())),
        })
    }

    /// All that the app may have at these hosts, in turn.
    fn acquire_all(
        permits: &Arc<ConnectionPermits>,
        app: &str,
        hosts: &[&str],
    ) -> Vec<ConnectionPermit> {
        let mut taken = Vec::new();
        loop {
            let before = taken.len();
            for host in hosts {
                taken.extend(permits.try_acquire(&owner(app, host)));
            }
            if taken.len() == before {
                return taken;
            }
        }
    }

    #[test]
    fn an_app_gets_half_of_what_others_leave() {
        let permits = Arc::new(ConnectionPermits::new(512));
        let hosts: Vec<_> = (0..1_000).map(|host| format!("h{host}.example")).collect();
        let hosts: Vec<_> = hosts.iter().map(String::as_str).collect();
        let a = acquire_all(&permits, "a", &hosts);
        let b = acquire_all(&permits, "b", &hosts);
        assert_eq!((a.len(), b.len()), (256, 128));
        drop(a);
        assert_eq!(acquire_all(&permits, "b", &hosts).len(), 128, "half of all");
    }

    #[test]
    fn one_host_gets_half_and_one_app_half_of_that() {
        let permits = Arc::new(ConnectionPermits::new(512));
        let a = acquire_all(&permits, "a", &["slow.example"]);
        let b = acquire_all(&permits, "b", &["slow.example"]);
        assert_eq!((a.len(), b.len()), (128, 64));
        let elsewhere = acquire_all(&permits, "a", &["other.example"]);
        assert_eq!(elsewhere.len(), 96, "224 are half of what b leaves of all");
    }

    #[test]
    fn as_long_as_there_is_one_somebody_else_may_have_it() {
        let permits = Arc::new(ConnectionPermits::new(3));
        let hosts = ["a.example", "b.example", "c.example"];
        let held = ["a", "b", "c", "d"].map(|app| acquire_all(&permits, app, &hosts));
        assert_eq!(held.map(|it| it.len()), [2, 1, 0, 0]);
        let only = Arc::new(ConnectionPermits::new(1));
        assert_eq!(acquire_all(&only, "a", &hosts).len(), 1);
    }

    #[tokio::test]
    async fn who_waits_gets_the_permit_that_is_given_back() {
        let permits = Arc::new(ConnectionPermits::new(1));
        let (a, b) = (owner("a", "a.example"), owner("b", "b.example"));
        let held = permits.acquire(&a).await;
        let waiting = tokio::spawn({
            let (permits, b) = (Arc::clone(&permits), Arc::clone(&b));
            async move { permits.acquire(&b).await }
        });
        permits.wanted().await;
        assert!(permits.is_wanted(&a), "for an app that has none");
        drop(held);
        let held = waiting.await.expect("no panic");
        assert_eq!(held.owner(), &b);
        assert!(permits.wanted().now_or_never().is_none(), "nobody waits");
    }

    #[tokio::test]
    async fn an_app_that_has_its_share_takes_no_idle_connection_of_another() {
        let permits = Arc::new(ConnectionPermits::new(4));
        let (a, b) = (owner("a", "a.example"), owner("b", "b.example"));
        let _held = [permits.acquire(&a).await, permits.acquire(&b).await];
        let second = owner("a", "c.example");
        let _second = permits.acquire(&second).await;
        let mut waiting = Box::pin(permits.acquire(&second));
        assert!((&mut waiting).now_or_never().is_none());
        assert!(permits.is_wanted(&a), "its own make room");
        assert!(!permits.is_wanted(&b));
        drop(waiting);
        assert!(!permits.is_wanted(&a));
    }
}
