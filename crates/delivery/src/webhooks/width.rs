//! How many requests of an app may be in flight: more while its receiver answers promptly, fewer when it does not, so that
//! slow receivers leave the others' room alone.

use std::time::Duration;

/// An answer within this time is prompt.
const PROMPT: Duration = Duration::from_secs(2);
/// Where it begins.
const START: usize = 2;

/// The width of a lane.
pub struct Width {
    now: usize,
    most: usize,
}

impl Width {
    /// It grows up to `most`.
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            now: START.min(most),
            most,
        }
    }

    /// Requests that may be in flight now.
    pub fn get(&self) -> usize {
        self.now
    }

    /// Takes note of an attempt.
    pub fn note(&mut self, has_arrived: bool, duration: Duration) {
        self.now = if has_arrived && duration <= PROMPT {
            (self.now + 1).min(self.most)
        } else {
            (self.now / 2).max(1)
        };
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Width;

    #[test]
    fn it_follows_the_receiver() {
        let mut width = Width::new(4);
        for (arrived, seconds, expected) in [
            (true, 0, 3),
            (true, 0, 4),
            (true, 0, 4),
            (true, 3, 2),
            (false, 0, 1),
            (false, 15, 1),
            (true, 1, 2),
        ] {
            width.note(arrived, Duration::from_secs(seconds));
            assert_eq!(width.get(), expected);
        }
        assert_eq!(Width::new(1).get(), 1);
    }
}
