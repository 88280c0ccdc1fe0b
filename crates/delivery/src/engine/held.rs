//! The pages in work, and under which lease.
//!
//! A lease can run out although its page is in work: the clock is set forward, or the store takes no renewals for a while.
//! The next claim then finds the page due. This process has it already, so nothing is delivered again: the work goes on
//! under the new lease.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hato_service::ports::{JobId, Lease};

/// The tokens of the leases, by job.
#[derive(Default)]
pub struct Held(Mutex<HashMap<JobId, Arc<AtomicI64>>>);

/// A page in work; let go when dropped.
pub struct Hold {
    held: Arc<Held>,
    job: JobId,
    token: Arc<AtomicI64>,
}

impl Held {
    /// Takes up a page under its lease. `None` when it is in work: that work then goes on under this lease.
    pub fn take_up(self: &Arc<Self>, lease: Lease) -> Option<Hold> {
        let mut pages = self.pages();
        if let Some(token) = pages.get(&lease.job) {
            token.fetch_max(lease.token, Ordering::Relaxed);
            return None;
        }
        let token = Arc::new(AtomicI64::new(lease.token));
        pages.insert(lease.job, Arc::clone(&token));
        Some(Hold {
            held: Arc::clone(self),
            job: lease.job,
            token,
        })
    }

    fn pages(&self) -> MutexGuard<'_, HashMap<JobId, Arc<AtomicI64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hold {
    /// The lease under which the page is in work now.
    pub fn lease(&self) -> Lease {
        Lease {
            job: self.job,
            token: self.token.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.held.pages().remove(&self.job);
    }
}
