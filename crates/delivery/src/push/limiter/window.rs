//! What a limiter learns from: what became of its latest requests, counted together.

use std::time::Duration;

/// What the end of a request says about how much its origin can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// The push service answered anything but 429 and 503.
    Answered,
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
/// among many responses are not about the sender.
#[derive(Default)]
pub struct Window {
    pub responses: usize,
    throttled: usize,
    unanswered: usize,
    pub retry_after: Duration,
}

impl Window {
    /// Counts feedback, and tells whether it said anything.
    pub fn add(&mut self, feedback: Feedback) -> bool {
        match feedback {
            Feedback::Answered => {}
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

    /// Whether half of them or more asked for less.
    pub fn is_throttled(&self) -> bool {
        self.throttled * 2 >= self.responses
    }

    /// Whether none of them was a response.
    pub fn is_unanswered(&self) -> bool {
        self.unanswered == self.responses
    }
}
