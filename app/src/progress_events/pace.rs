//! How fast something counts up.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// What is looked back on.
const LATELY: Duration = Duration::from_secs(5);

/// The least that tells something.
const ENOUGH: Duration = Duration::from_secs(1);

/// Looks at a counter within the last seconds.
#[derive(Default)]
pub struct Pace {
    looks: VecDeque<(Instant, i64)>,
}

impl Pace {
    /// Takes a look, and answers by how much the counter goes up in a second; unknown at first.
    pub fn measure(&mut self, now: Instant, count: i64) -> Option<i64> {
        self.looks.push_back((now, count));
        while self.looks.get(1).is_some_and(|(at, _)| now - *at >= LATELY) {
            self.looks.pop_front();
        }
        let (since, before) = *self.looks.front()?;
        let span = now - since;
        let millis = i64::try_from(span.as_millis()).ok()?;
        (span >= ENOUGH).then(|| (count - before).saturating_mul(1_000) / millis)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Pace;

    #[test]
    fn only_the_last_seconds_count() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let mut at = |millis, count| pace.measure(start + Duration::from_millis(millis), count);
        assert_eq!(at(0, 1_000), None);
        assert_eq!(at(500, 1_100), None);
        assert_eq!(at(1_000, 1_300), Some(300));
        assert_eq!(at(5_000, 1_300), Some(60));
        assert_eq!(at(11_000, 1_300), Some(0));
    }
}
