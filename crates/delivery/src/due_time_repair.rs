//! When due times need repair: after the clock was set back, which leaves jobs due in a future that is far away.
//!
//! Due times and leases are the machine's time, because they outlive the process and are shared with others. The repair brings them
//! forward to a bound, which any number of processes may do; its statements are in `crates/store/shared/due_time_repair.rs` for jobs
//! and in `webhook_outbox.rs` there for events.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use hato_domain::UnixMillis;

/// Steps below this are ignored: clocks are corrected by less all the time.
const TOLERANCE: Duration = Duration::from_secs(1);
/// The longest that a push service can have a job wait: the hour that it may ask for (CONTRACT 7), and the queue behind that.
const LONGEST_PUSH_SERVICE_WAIT: Duration = Duration::from_mins(70);

/// Tells when due times need repair, by the latest moment that was seen (ms). At first, when nothing is known, they do.
pub struct DueTimeRepair(AtomicI64);

impl Default for DueTimeRepair {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MAX))
    }
}

impl DueTimeRepair {
    /// Whether the clock was set back since the latest moment that was seen, and due times were not repaired since.
    pub fn is_needed(&self, now: UnixMillis) -> bool {
        if was_set_back(UnixMillis(self.0.load(Ordering::Relaxed)), now) {
            return true;
        }
        self.0.fetch_max(now.0, Ordering::Relaxed);
        false
    }

    /// Takes note that due times were repaired at `now`, and logs by how much the clock was set back, if it was.
    pub fn mark_done(&self, now: UnixMillis) {
        if let Some(step) = self.begin_anew(now) {
            tracing::warn!(
                ?step,
                "the clock was set back: what was due later was brought forward"
            );
        }
    }

    /// By how much the clock was set back until `now`, if that is known; what was seen before is forgotten.
    fn begin_anew(&self, now: UnixMillis) -> Option<Duration> {
        let latest = self.0.swap(now.0, Ordering::Relaxed);
        let is_step = latest != i64::MAX && was_set_back(UnixMillis(latest), now);
        is_step.then(|| UnixMillis(latest).since(now))
    }
}

fn was_set_back(latest: UnixMillis, now: UnixMillis) -> bool {
    now.plus(TOLERANCE) < latest
}

/// The longest that any job can have to wait.
pub fn longest_job_wait(retry_delays: &[Duration]) -> Duration {
    let longest = retry_delays.iter().max().copied().unwrap_or_default();
    longest.max(LONGEST_PUSH_SERVICE_WAIT)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hato_domain::UnixMillis;

    use super::{DueTimeRepair, longest_job_wait};

    #[test]
    fn a_step_back_is_noticed_until_something_was_done() {
        let repair = DueTimeRepair::default();
        assert!(repair.is_needed(UnixMillis(100_000)), "at the start");
        assert_eq!(repair.begin_anew(UnixMillis(100_000)), None);
        assert!(!repair.is_needed(UnixMillis(99_000)), "slewed");
        assert!(!repair.is_needed(UnixMillis(200_000)));
        for _ in 0..2 {
            assert!(repair.is_needed(UnixMillis(198_999)));
        }
        let back = repair.begin_anew(UnixMillis(198_999));
        assert_eq!(back, Some(Duration::from_millis(1_001)));
        assert!(!repair.is_needed(UnixMillis(198_999)));
        // Another task has seen a later moment while it was repaired.
        assert!(!repair.is_needed(UnixMillis(199_500)));
        assert_eq!(repair.begin_anew(UnixMillis(198_999)), None);
    }

    #[test]
    fn an_operators_wait_may_be_longer_than_a_push_services() {
        let hours = Duration::from_hours;
        assert_eq!(longest_job_wait(&[hours(2), hours(9), hours(1)]), hours(9));
        assert!(longest_job_wait(&[Duration::ZERO]) > hours(1));
    }
}
