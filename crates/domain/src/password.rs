//! Passwords on their way to the hash; their `Debug` form hides them.

use crate::ErrorCode;

const MIN_CHARS: usize = 8;
const MAX_CHARS: usize = 128;

/// A password chosen for an account: 8 to 128 characters (CONTRACT 4).
#[derive(Debug)]
pub struct NewPassword(LoginPassword);

/// A password given to log in, of which only the upper bound is checked (CONTRACT 4).
pub struct LoginPassword(String);

impl NewPassword {
    /// Takes 8 to 128 characters; anything else is `INVALID_INPUT`.
    pub fn parse(text: String) -> Result<Self, ErrorCode> {
        if text.chars().count() < MIN_CHARS {
            return Err(ErrorCode::InvalidInput);
        }
        LoginPassword::parse(text).map(Self)
    }

    /// The bytes to be hashed, UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl LoginPassword {
    /// Takes up to 128 characters; more is `INVALID_INPUT`, so that nobody makes the server hash megabytes.
    pub fn parse(text: String) -> Result<Self, ErrorCode> {
        if text.chars().count() > MAX_CHARS {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(Self(text))
    }

    /// The bytes to be hashed, UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for LoginPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoginPassword")
    }
}

#[cfg(test)]
mod tests {
    use super::{LoginPassword, NewPassword};

    #[test]
    fn length_is_counted_in_characters() {
        assert!(NewPassword::parse("1234567".into()).is_err());
        assert!(NewPassword::parse("ぱすわーど八字".into()).is_err());
        assert!(NewPassword::parse("ぱすわーど八文字".into()).is_ok());
        assert!(NewPassword::parse("x".repeat(128)).is_ok());
        assert!(NewPassword::parse("x".repeat(129)).is_err());
    }

    #[test]
    fn a_login_may_be_short() {
        assert!(LoginPassword::parse("x".into()).is_ok());
        assert!(LoginPassword::parse("x".repeat(129)).is_err());
    }
}
