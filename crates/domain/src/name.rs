//! Labels that people give: names of apps and keys, and the platform of a subscription.

use crate::ErrorCode;

const MAX_CHARS: usize = 100;

/// The name of an app or a key: 1 to 100 characters, trimmed (CONTRACT 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Reads a name without the blanks at its ends; an empty one is `MISSING_FIELDS`, one of over 100 characters or
    /// with U+0000 is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ErrorCode::MissingFields);
        }
        bounded(text).map(Self)
    }

    /// The name without blanks at its ends.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The free-text label of a client's platform, at most 100 characters (SPEC 2.2, CONTRACT 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform(String);

impl Platform {
    /// Reads a label as it is; one of over 100 characters or with U+0000 is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        bounded(text).map(Self)
    }

    /// The label as the client gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn bounded(text: &str) -> Result<String, ErrorCode> {
    let clean = !text.contains('\0');
    if clean && text.chars().nth(MAX_CHARS).is_none() {
        Ok(text.to_owned())
    } else {
        Err(ErrorCode::InvalidInput)
    }
}

#[cfg(test)]
mod tests {
    use super::Name;
    use crate::ErrorCode;

    #[test]
    fn names_are_counted_in_characters_after_trimming() {
        assert!(Name::parse(&format!(" {} ", "鳩".repeat(100))).is_ok());
        assert_eq!(Name::parse(&"鳩".repeat(101)), Err(ErrorCode::InvalidInput));
        assert_eq!(Name::parse("  "), Err(ErrorCode::MissingFields));
    }
}
