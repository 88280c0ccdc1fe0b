//! Deliveries that finally failed, and why.

use std::fmt;

use crate::{ErrorCode, text_enum};

/// Dead letters of one send that are kept at most. Beyond them failures are counted only: an audience that fails whole would fill
/// the disk with one sentence, a million times.
pub const MAX_DEAD_LETTERS: i64 = 10_000;

/// The number of a dead letter, `dl_…` in its text form. The number is what orders dead letters of the same
/// millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeadLetterId(pub i64);

impl DeadLetterId {
    const PREFIX: &'static str = "dl_";

    /// Reads a cursor's `before_id`; anything else is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let number = text.strip_prefix(Self::PREFIX).map(str::parse);
        match number {
            Some(Ok(number)) => Ok(Self(number)),
            _ => Err(ErrorCode::InvalidInput),
        }
    }
}

impl fmt::Display for DeadLetterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.0)
    }
}

text_enum!(
    /// Why a delivery finally failed (CONTRACT 4).
    FailureReason {
        /// The subscription was made with another VAPID key, which no retry can change.
        KeyMismatch = "key_mismatch",
        /// The push service answered 429 until the retries were used up, or others' 429s held it back for too long.
        Throttled = "throttled",
        /// The push service answered 5xx until the retries were used up.
        Unavailable = "unavailable",
        /// No answer came (time-out, connection or TLS failure) until the retries were used up.
        Unreachable = "unreachable",
        /// The endpoint's address is not public, and not allowed by the operator (CONTRACT 5).
        BlockedAddress = "blocked_address",
        /// The push service gave any other answer that is not a success.
        Refused = "refused",
        /// The push service took the message and says that it dropped it (Microsoft's).
        Dropped = "dropped",
        /// The TTL ended before a retry.
        OutOfTime = "out_of_time",
    }
);
