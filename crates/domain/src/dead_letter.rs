//! Deliveries that finally failed, and why.

use std::fmt;

use crate::ErrorCode;

/// A dead letter's number, `dl_…` in its text form.
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

/// The reason of a dead letter (CONTRACT 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureReason {
    /// The subscription was made with another VAPID key.
    KeyMismatch,
    /// 429 until the retries were used up.
    Throttled,
    /// 5xx until the retries were used up.
    Unavailable,
    /// Time-out, connection or TLS failure until the retries were used up.
    Unreachable,
    /// The endpoint's address is not public.
    BlockedAddress,
    /// Any other answer.
    Refused,
    /// The TTL ended before a retry.
    OutOfTime,
}

impl FailureReason {
    /// The text form, as in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KeyMismatch => "key_mismatch",
            Self::Throttled => "throttled",
            Self::Unavailable => "unavailable",
            Self::Unreachable => "unreachable",
            Self::BlockedAddress => "blocked_address",
            Self::Refused => "refused",
            Self::OutOfTime => "out_of_time",
        }
    }
}
