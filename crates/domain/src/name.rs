//! Labels that people give: names of apps and keys, and the platform of a subscription.

use crate::ErrorCode;

const MAX_CHARS: usize = 100;

/// The name of an app or a key: 1 to 100 characters, trimmed (CONTRACT 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Trims `text`; empty is `MISSING_FIELDS`, over 100 characters `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ErrorCode::MissingFields);
        }
        bounded(text).map(Self)
    }

    /// The trimmed text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The free-text label of a client's platform, at most 100 characters (SPEC 2.2, CONTRACT 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform(String);

impl Platform {
    /// Takes the label as it is; over 100 characters is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        bounded(text).map(Self)
    }

    /// The label.
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
