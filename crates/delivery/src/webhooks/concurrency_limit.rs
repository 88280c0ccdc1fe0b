//! How many requests of one app may be in flight, by how promptly its receiver answers.

/// Requests in flight of an app whose outbox was just claimed and whose receiver is not known to be slow.
const INITIAL: usize = 2;

/// The concurrency limit of an app's outbox: one more for each event that arrives promptly, half for each that does not.
pub(super) struct ConcurrencyLimit {
    now: usize,
    most: usize,
}

impl ConcurrencyLimit {
    pub(super) fn new(most: usize, is_slow: bool) -> Self {
        let most = most.max(1);
        Self {
            now: if is_slow { 1 } else { INITIAL.min(most) },
            most,
        }
    }

    /// How many more may be started at once while so many are in flight: up to half of the limit, so that the two events of a
    /// small send follow each other and a backlog leaves about in order.
    pub(super) fn room(&self, in_flight: usize) -> usize {
        let free = self.now.saturating_sub(in_flight);
        free.min(self.now.div_ceil(2))
    }

    pub(super) fn record(&mut self, is_prompt: bool) {
        self.now = if is_prompt {
            (self.now + 1).min(self.most)
        } else {
            (self.now / 2).max(1)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::ConcurrencyLimit;

    #[test]
    fn an_apps_limit_follows_its_receiver() {
        let mut limit = ConcurrencyLimit::new(4, false);
        for (is_prompt, expected) in [
            (true, 3),
            (true, 4),
            (true, 4),
            (false, 2),
            (false, 1),
            (false, 1),
            (true, 2),
        ] {
            limit.record(is_prompt);
            assert_eq!(limit.now, expected);
        }
        assert_eq!(ConcurrencyLimit::new(0, false).now, 1);
        assert_eq!(ConcurrencyLimit::new(4, true).now, 1);
    }

    #[test]
    fn half_of_the_limit_starts_at_once() {
        let limit = ConcurrencyLimit::new(4, false);
        assert_eq!([0, 1, 2].map(|in_flight| limit.room(in_flight)), [1, 1, 0]);
        let limit = ConcurrencyLimit { now: 7, most: 7 };
        assert_eq!([0, 4, 9].map(|in_flight| limit.room(in_flight)), [4, 3, 0]);
    }
}
