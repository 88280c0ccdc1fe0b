//! Pages whose work panicked: each is put off longer, and given up after a few times.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hato_service::ports::JobId;

/// Pages that are remembered; a process in which more of them panic has other worries.
const MAX_ENTRIES: usize = 1_024;

/// How often the pages of this process panicked, those that did and are still queued.
#[derive(Default)]
pub struct PanicCounts(Mutex<HashMap<JobId, usize>>);

impl PanicCounts {
    /// Counts one more, and returns how many there were of this page before.
    pub fn count(&self, job: JobId) -> usize {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= MAX_ENTRIES && !pages.contains_key(&job) {
            pages.clear();
        }
        let count = pages.entry(job).or_default();
        *count += 1;
        *count - 1
    }

    /// Forgets a page that is done.
    pub fn forget(&self, job: JobId) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.remove(&job);
    }
}
