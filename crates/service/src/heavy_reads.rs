//! Reads whose cost grows with what a tenant has stored: an account, or an app, makes one at a time, so that none takes all the
//! connections that the store has for them. How much one looks at, and for how long, the store bounds itself.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::timeout;

/// How long a tenant's read waits for its other ones.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Held while a read of a tenant is under way.
pub type HeavyReadPermit = OwnedMutexGuard<()>;

/// A lock for each tenant that reads or waits, by its id: it is held by the read whose turn it is.
pub struct HeavyReads<K> {
    locks: Mutex<HashMap<K, Arc<AsyncMutex<()>>>>,
}

impl<K> Default for HeavyReads<K> {
    fn default() -> Self {
        Self {
            locks: Mutex::default(),
        }
    }
}

impl<K: Clone + Eq + Hash> HeavyReads<K> {
    /// Waits until no other read of the tenant is under way; `None` when that takes too long.
    pub(crate) async fn permit(&self, tenant: &K) -> Option<HeavyReadPermit> {
        timeout(MAX_WAIT, self.wait_for_permit(tenant)).await.ok()
    }

    /// The same, however long it takes.
    pub async fn wait_for_permit(&self, tenant: &K) -> HeavyReadPermit {
        self.lock_of(tenant).lock_owned().await
    }

    /// The lock of the tenant. Those that nobody holds or waits for are forgotten.
    fn lock_of(&self, tenant: &K) -> Arc<AsyncMutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        Arc::clone(locks.entry(tenant.clone()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use hato_domain::AccountId;

    use super::HeavyReads;

    fn account(name: &str) -> AccountId {
        AccountId::trusted(name.to_owned())
    }

    #[tokio::test]
    async fn an_account_has_one_permit_at_a_time() {
        let reads = HeavyReads::default();
        let (account, other) = (account("usr_a"), account("usr_b"));
        let first = reads.permit(&account).await.expect("nobody reads");
        assert!(reads.permit(&other).await.is_some());
        let mut second = Box::pin(reads.permit(&account));
        assert!(second.as_mut().now_or_never().is_none(), "it waits");
        drop(first);
        let second = second.await.expect("its turn");
        assert!(reads.permit(&account).now_or_never().is_none());
        drop(second);
        assert!(reads.permit(&account).await.is_some());
    }

    #[tokio::test]
    async fn nobody_waits_for_long() {
        let reads = HeavyReads::default();
        let held = reads.permit(&account("usr_a")).await;
        assert!(reads.permit(&account("usr_a")).await.is_none());
        drop(held);
    }

    #[tokio::test]
    async fn who_has_read_is_forgotten() {
        let reads = HeavyReads::default();
        for number in 0..100 {
            reads.permit(&account(&format!("usr_{number}"))).await;
        }
        assert_eq!(reads.locks.lock().expect("no panic").len(), 1);
    }
}
