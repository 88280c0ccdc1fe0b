//! When an event is posted again: pure arithmetic of attempts and times (CONTRACT 8).

use std::time::Duration;

/// The longest wait that a receiver may ask for (CONTRACT 8); a push service has an hour.
const MAX_WEBHOOK_RETRY_AFTER: Duration = Duration::from_hours(24);
/// By how much a quiet time is longer than the longest wait.
const QUIET_MARGIN: Duration = Duration::from_hours(24);
/// By how much a wait varies, so that a receiver that comes back is not met by everything at once.
const JITTER_SHARE: f64 = 0.2;

/// The wait before the attempt after `earlier` retries and the one that just failed, if there is another. `retry_after` is what
/// `Retry-After` asks for; `jitter` is between -1 and 1.
pub fn retry_wait(
    delays: &[Duration],
    earlier: u32,
    retry_after: Option<Duration>,
    jitter: f64,
) -> Option<Duration> {
    let delay = delays.get(usize::try_from(earlier).unwrap_or(usize::MAX))?;
    let retry_after = retry_after.unwrap_or_default().min(MAX_WEBHOOK_RETRY_AFTER);
    let wait = delay.mul_f64(1.0 + JITTER_SHARE * jitter);
    Some(wait.max(retry_after))
}

/// The longest that an event can have to wait.
pub fn longest_event_wait(delays: &[Duration]) -> Duration {
    let longest = delays.iter().max().copied().unwrap_or_default();
    longest
        .mul_f64(1.0 + JITTER_SHARE)
        .max(MAX_WEBHOOK_RETRY_AFTER)
}

/// How long an app's webhook may be without an attempt until the next failure begins the time of failing anew (CONTRACT 8): a day more
/// than between two attempts at one event, or a receiver for which that is long would never be disabled.
pub fn quiet_time(delays: &[Duration]) -> Duration {
    longest_event_wait(delays) + QUIET_MARGIN
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{longest_event_wait, quiet_time, retry_wait};

    const DELAYS: [Duration; 2] = [Duration::from_secs(10), Duration::from_mins(10)];

    fn wait(retry_after: Option<u64>, earlier: u32, jitter: f64) -> Option<u64> {
        let retry_after = retry_after.map(Duration::from_secs);
        let wait = retry_wait(&DELAYS, earlier, retry_after, jitter);
        wait.map(|wait| wait.as_secs())
    }

    #[test]
    fn waits_vary_by_a_fifth_and_end() {
        assert_eq!(wait(None, 0, -1.0), Some(8));
        assert_eq!(wait(None, 0, 0.0), Some(10));
        assert_eq!(wait(None, 0, 1.0), Some(12));
        assert_eq!(wait(None, 1, 0.5), Some(660));
        assert_eq!(wait(None, 2, 0.0), None);
    }

    #[test]
    fn retry_after_counts_when_longer_and_up_to_a_day() {
        assert_eq!(wait(Some(3), 0, 0.0), Some(10));
        assert_eq!(wait(Some(70), 0, 1.0), Some(70));
        assert_eq!(wait(Some(u64::MAX), 0, 0.0), Some(86_400));
        assert_eq!(wait(Some(70), 2, 0.0), None, "the retries are used up");
    }

    #[test]
    fn nothing_waits_longer_than_the_longest_event_wait() {
        assert_eq!(longest_event_wait(&DELAYS), Duration::from_hours(24));
        let days = [Duration::from_hours(100)];
        assert_eq!(longest_event_wait(&days), Duration::from_hours(120));
    }

    #[test]
    fn a_wait_is_no_quiet_time() {
        assert_eq!(quiet_time(&DELAYS), Duration::from_hours(48));
        let days = [Duration::from_hours(50)];
        assert_eq!(quiet_time(&days), Duration::from_hours(84));
    }
}
