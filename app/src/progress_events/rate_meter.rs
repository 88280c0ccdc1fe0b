//! The rate at which a counter goes up.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// How far samples are looked back on.
const WINDOW: Duration = Duration::from_secs(5);

/// The least time between samples that tells a rate.
const MIN_SPAN: Duration = Duration::from_secs(1);

/// Samples of a counter within the last seconds.
#[derive(Default)]
pub struct RateMeter {
    samples: VecDeque<(Instant, i64)>,
}

impl RateMeter {
    /// Takes a sample, and returns by how much the counter goes up in a second; unknown at first.
    pub fn measure(&mut self, now: Instant, count: i64) -> Option<i64> {
        self.samples.push_back((now, count));
        while self
            .samples
            .get(1)
            .is_some_and(|(at, _)| now - *at >= WINDOW)
        {
            self.samples.pop_front();
        }
        let (since, before) = *self.samples.front()?;
        let span = now - since;
        let millis = i64::try_from(span.as_millis()).ok()?;
        (span >= MIN_SPAN).then(|| (count - before).saturating_mul(1_000) / millis)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::RateMeter;

    #[test]
    fn only_the_last_seconds_count() {
        let (mut meter, start) = (RateMeter::default(), Instant::now());
        let mut at = |millis, count| meter.measure(start + Duration::from_millis(millis), count);
        assert_eq!(at(0, 1_000), None);
        assert_eq!(at(500, 1_100), None);
        assert_eq!(at(1_000, 1_300), Some(300));
        assert_eq!(at(5_000, 1_300), Some(60));
        assert_eq!(at(11_000, 1_300), Some(0));
    }
}
