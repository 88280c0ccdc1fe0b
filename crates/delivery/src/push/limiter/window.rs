//! What a limiter learns from: what became of its latest requests, counted together.

use std::time::Duration;

/// What the end of a request says about how much its origin can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// The push service answered anything but 429 and 503, so long after the request had a connection.
    Answered(Duration),
    /// It answered 429 or 503, with what `Retry-After` asks for.
    Throttled(Option<Duration>),
    /// There was no response in time, or no connection.
    Unanswered,
    /// It says nothing: the request was given up, or failed for a reason of its own.
    Unclear,
}

/// The responses since the limit was last looked at.
///
/// The limit follows a share of them and not each one, because push services throttle single subscribers too: a few 429s
/// among many responses are not about the sender, and neither is one request that takes long.
#[derive(Default)]
pub struct Window {
    pub responses: usize,
    throttled: usize,
    unanswered: usize,
    /// How long the answers took, all together.
    answered_in: Duration,
    pub retry_after: Duration,
}

impl Window {
    /// Counts feedback, and tells whether it said anything.
    pub fn add(&mut self, feedback: Feedback) -> bool {
        match feedback {
            Feedback::Answered(after) => self.answered_in += after,
            Feedback::Throttled(retry_after) => {
                self.throttled += 1;
                self.retry_after = self.retry_after.max(retry_after.unwrap_or_default());
            }
            Feedback::Unanswered => self.unanswered += 1,
            Feedback::Unclear => return false,
        }
        self.responses += 1;
        true
    }

    /// How many were answered and not throttled.
    pub fn answered(&self) -> usize {
        self.responses - self.throttled - self.unanswered
    }

    /// How long an answer took on average, if there was one.
    pub fn mean_rtt(&self) -> Option<Duration> {
        let answered = u32::try_from(self.answered()).ok()?;
        self.answered_in.checked_div(answered)
    }

    /// Whether half of them or more asked for less.
    pub fn is_throttled(&self) -> bool {
        self.throttled * 2 >= self.responses
    }

    /// Whether none of them was a response.
    pub fn is_unanswered(&self) -> bool {
        self.unanswered == self.responses
    }

    /// Whether so many timed out, a quarter or more, that the push service cannot keep up.
    pub fn is_lossy(&self) -> bool {
        self.unanswered * 4 >= self.responses
    }
}
