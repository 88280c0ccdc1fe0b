//! A process settles one page of a send at a time.
//!
//! All settlements of a send change its row, and whoever waits for a row wakes up to look at it anew. When each of three workers had all of
//! its pages wait there, the database needed 1.30 times the CPU per delivery that it needs for one worker, and 1.10 times since they wait
//! here (`three_workers_database_cpu` of the benchmark `bench-fleet`, which is to be 1.15 at most); deliveries a second rose by a tenth.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hato_domain::SendId;
use tokio::sync::{self, OwnedMutexGuard};

/// The sends of which this process settles pages.
#[derive(Debug, Default)]
pub(crate) struct SettlementLocks(Mutex<HashMap<SendId, Weak<sync::Mutex<()>>>>);

impl SettlementLocks {
    /// Waits until no other page of the send is being settled; others wait until the guard is dropped.
    pub(crate) async fn lock(&self, send: &SendId) -> OwnedMutexGuard<()> {
        self.lock_of(send).lock_owned().await
    }

    fn lock_of(&self, send: &SendId) -> Arc<sync::Mutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(send).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(send.clone(), Arc::downgrade(&lock));
        lock
    }
}
