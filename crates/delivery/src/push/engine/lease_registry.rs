//! The pages in work, and under which lease.
//!
//! A lease can run out although its page is in work: the clock is set forward, or the store takes no renewals for a while.
//! The next claim then finds the page due. This process has it already, so nothing is delivered again: the work goes on
//! under the new lease.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_service::ports::{JobId, PageLease};

/// The pages in work in this process: the tokens of their leases, by job.
#[derive(Default)]
pub struct LeaseRegistry(Mutex<HashMap<JobId, Arc<AtomicI64>>>);

/// A page in work; unregistered when dropped.
pub struct LeaseGuard {
    registry: Arc<LeaseRegistry>,
    job: JobId,
    token: Arc<AtomicI64>,
}

impl LeaseRegistry {
    /// Registers a page under its lease. `None` when it is in work: that work then goes on under this lease.
    pub fn register(self: &Arc<Self>, lease: PageLease) -> Option<LeaseGuard> {
        let mut pages = self.pages();
        if let Some(token) = pages.get(&lease.job) {
            token.fetch_max(lease.token, Ordering::Relaxed);
            return None;
        }
        let token = Arc::new(AtomicI64::new(lease.token));
        pages.insert(lease.job, Arc::clone(&token));
        Some(LeaseGuard {
            registry: Arc::clone(self),
            job: lease.job,
            token,
        })
    }

    /// How many pages are in work.
    pub fn count(&self) -> usize {
        self.pages().len()
    }

    fn pages(&self) -> MutexGuard<'_, HashMap<JobId, Arc<AtomicI64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeaseGuard {
    /// The lease under which the page is in work now.
    pub fn lease(&self) -> PageLease {
        PageLease {
            job: self.job,
            token: self.token.load(Ordering::Relaxed),
        }
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        self.registry.pages().remove(&self.job);
    }
}
