//! The name that a client gives to a request so that sending it again sends nothing twice (CONTRACT 6).

use crate::ErrorCode;

/// The value of the header `Idempotency-Key`: 1 to 255 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Most characters of a key, which are ASCII and so bytes.
    pub const MAX_BYTES: usize = 255;

    /// Reads the header's value; what is not 1 to 255 printable ASCII characters is `INVALID_INPUT`.
    pub fn parse(value: &[u8]) -> Result<Self, ErrorCode> {
        let printable = |byte: &u8| (b' '..=b'~').contains(byte);
        if value.is_empty() || value.len() > Self::MAX_BYTES || !value.iter().all(printable) {
            return Err(ErrorCode::InvalidInput);
        }
        let text = String::from_utf8(value.to_vec());
        text.map(Self).map_err(|_| ErrorCode::InvalidInput)
    }

    /// The key as the client sent it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::IdempotencyKey;

    #[test]
    fn a_key_has_1_to_255_printable_characters() {
        for (key, good) in [
            ("a", true),
            (" ~", true),
            (&"k".repeat(255), true),
            ("", false),
            (&"k".repeat(256), false),
            ("a\tb", false),
            ("é", false),
        ] {
            assert_eq!(
                IdempotencyKey::parse(key.as_bytes()).is_ok(),
                good,
                "{key:?}"
            );
        }
    }
}
