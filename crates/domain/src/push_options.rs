//! How a push service is to treat a message: TTL, urgency and topic (RFC 8030 §5).

use crate::{ErrorCode, text_enum};

/// Seconds for which a push service keeps a message that it cannot deliver yet, 0 to 2,419,200.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ttl(u32);

impl Ttl {
    /// Four weeks, the longest and the default (CONTRACT 6).
    pub const MAX: Self = Self(2_419_200);

    /// Takes 0 to 2,419,200 seconds; anything else is `INVALID_INPUT`.
    pub fn parse(seconds: i64) -> Result<Self, ErrorCode> {
        let seconds = u32::try_from(seconds).map_err(|_| ErrorCode::InvalidInput)?;
        if seconds > Self::MAX.0 {
            Err(ErrorCode::InvalidInput)
        } else {
            Ok(Self(seconds))
        }
    }

    /// The value of the header `TTL`.
    pub const fn seconds(self) -> u32 {
        self.0
    }
}

text_enum!(
    /// How urgent a message is (RFC 8030 §5.3): a device that saves power may fetch only the more urgent ones.
    Urgency or ErrorCode::InvalidInput {
        /// The message can wait until the device is on power and Wi-Fi.
        VeryLow = "very-low",
        /// The message can wait until the device is on power or Wi-Fi.
        Low = "low",
        /// The message can wait until the device is in use.
        Normal = "normal",
        /// The message cannot wait.
        High = "high",
    }
);

/// A name under which a newer message replaces an older one that is not delivered yet (RFC 8030 §5.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic(String);

impl Topic {
    /// Takes 1 to 32 characters of the base64url alphabet; anything else is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let alphabet = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if (1..=32).contains(&text.len()) && text.bytes().all(alphabet) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }

    /// The value of the header `Topic`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// TTL, urgency and topic as a sender gives them (CONTRACT 6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushOptions {
    /// How long the push service keeps the message; [`Ttl::MAX`] by default.
    pub ttl: Ttl,
    /// The header `Urgency`, sent when given.
    pub urgency: Option<Urgency>,
    /// The header `Topic`, sent when given.
    pub topic: Option<Topic>,
}

impl Default for PushOptions {
    fn default() -> Self {
        Self {
            ttl: Ttl::MAX,
            urgency: None,
            topic: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Topic, Ttl, Urgency};

    #[test]
    fn bounds_hold() {
        assert!(Ttl::parse(0).is_ok() && Ttl::parse(2_419_200).is_ok());
        assert!(Ttl::parse(-1).is_err() && Ttl::parse(2_419_201).is_err());
        assert!(Topic::parse(&"a".repeat(32)).is_ok());
        assert!(
            Topic::parse(&"a".repeat(33)).is_err()
                && Topic::parse("").is_err()
                && Topic::parse("a b").is_err()
        );
        assert!(Urgency::parse("very-low").is_ok() && Urgency::parse("High").is_err());
    }
}
