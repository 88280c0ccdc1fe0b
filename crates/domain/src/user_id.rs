//! Whom a site knows a subscription's user as (CONTRACT 12).

use crate::ErrorCode;

/// A site's own id of one of its users: 1 to 128 bytes of UTF-8 without control characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserId(String);

impl UserId {
    /// Most bytes of an id.
    pub const MAX_BYTES: usize = 128;

    /// Reads an id as it is; anything else is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let has_length = (1..=Self::MAX_BYTES).contains(&text.len());
        if has_length && !text.chars().any(char::is_control) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }

    /// An id that was read before, such as one from the database.
    pub fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as the site gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::UserId;

    #[test]
    fn an_id_has_1_to_128_bytes_without_control_characters() {
        for (text, good) in [
            ("1", true),
            ("山田 太郎", true),
            (&"u".repeat(128), true),
            (&"鳩".repeat(42), true),
            ("", false),
            (&"u".repeat(129), false),
            (&"鳩".repeat(43), false),
            ("a\nb", false),
            ("a\u{0}", false),
            ("a\u{85}", false),
        ] {
            assert_eq!(UserId::parse(text).is_ok(), good, "{text:?}");
        }
    }
}
