//! How many requests of an app may be in flight: more while its receiver answers promptly, fewer when it does not, so that
//! slow receivers leave the others' room alone.

/// Where it begins for a receiver that is not known to be slow.
const INITIAL: usize = 2;

/// The concurrency limit of an app's outbox.
pub struct ConcurrencyLimit {
    now: usize,
    most: usize,
}

impl ConcurrencyLimit {
    /// It grows up to `most`.
    pub fn new(most: usize, is_slow: bool) -> Self {
        let most = most.max(1);
        let start = if is_slow { 1 } else { INITIAL };
        Self {
            now: start.min(most),
            most,
        }
    }

    /// Requests that may be in flight now.
    pub fn get(&self) -> usize {
        self.now
    }

    /// Takes note of an attempt, and of whether the event arrived promptly.
    pub fn record(&mut self, is_prompt: bool) {
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
    fn it_follows_the_receiver() {
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
            assert_eq!(limit.get(), expected);
        }
        assert_eq!(ConcurrencyLimit::new(1, false).get(), 1);
        assert_eq!(ConcurrencyLimit::new(4, true).get(), 1);
    }
}
