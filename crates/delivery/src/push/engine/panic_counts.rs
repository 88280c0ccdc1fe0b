//! How often the work on a page has panicked, so that a page that always does is given up (docs/ENGINE.md, Panics).
//!
//! The counts are this process's alone: after a restart a page gets all its tries once more, which bounds the harm all the same.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hato_service::ports::JobId;
use lru::LruCache;

/// Pages that are remembered; a process in which more of them panic has other worries.
const MAX_PAGES: NonZeroUsize = NonZeroUsize::new(1_024).expect("not zero");

/// The panics of the pages that had one and are still queued.
pub struct PanicCounts(Mutex<LruCache<JobId, usize>>);

impl Default for PanicCounts {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_PAGES)))
    }
}

impl PanicCounts {
    /// Counts one more, and returns how many there were of this page before.
    pub fn count(&self, job: JobId) -> usize {
        let mut pages = self.pages();
        let count = pages.get_or_insert_mut(job, usize::default);
        *count += 1;
        *count - 1
    }

    /// Forgets a page that is done.
    pub fn forget(&self, job: JobId) {
        self.pages().pop(&job);
    }

    fn pages(&self) -> MutexGuard<'_, LruCache<JobId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
