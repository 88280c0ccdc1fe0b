//! Reads whose cost grows with what an account has stored: an account makes one at a time, so that none takes all the
//! connections that the store has for them. How much one looks at, and for how long, the store bounds itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hato_domain::AccountId;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::timeout;

/// How long an account's read waits for its other ones.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Held while a read of an account is under way.
pub(crate) type HeavyReadPermit = OwnedMutexGuard<()>;

/// A lock for each account that reads or waits: it is held by the read whose turn it is.
#[derive(Default)]
pub(crate) struct HeavyReads {
    locks: Mutex<HashMap<AccountId, Arc<AsyncMutex<()>>>>,
}

impl HeavyReads {
    /// Waits until no other read of the account is under way; `None` when that takes too long.
    pub(crate) async fn permit(&self, account: &AccountId) -> Option<HeavyReadPermit> {
        timeout(MAX_WAIT, self.wait_for_permit(account)).await.ok()
    }

    /// The same, however long it takes.
    pub(crate) async fn wait_for_permit(&self, account: &AccountId) -> HeavyReadPermit {
        self.lock_of(account).lock_owned().await
    }

    /// The lock of the account. Those that nobody holds or waits for are forgotten.
    fn lock_of(&self, account: &AccountId) -> Arc<AsyncMutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        Arc::clone(locks.entry(account.clone()).or_default())
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
