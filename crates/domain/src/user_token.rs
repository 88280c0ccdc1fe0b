//! With what a site proves who its user is to whoever has only the public key (CONTRACT 12).

use crate::ErrorCode;

/// A token as a page shows it: an HMAC-SHA256 in lower-case hexadecimal digits.
#[derive(Clone, Copy)]
pub struct UserToken([u8; 32]);

impl UserToken {
    /// Reads a token; anything but 64 lower-case digits is `INVALID_USER_TOKEN`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let (digits, rest) = text.as_bytes().as_chunks();
        let mut mac = [0; 32];
        if digits.len() != mac.len() || !rest.is_empty() {
            return Err(ErrorCode::InvalidUserToken);
        }
        for (byte, [high, low]) in mac.iter_mut().zip(digits) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(mac))
    }

    /// The HMAC-SHA256 that the site says to have made of the app and the user.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

const fn digit(text: u8) -> Result<u8, ErrorCode> {
    match text {
        b'0'..=b'9' => Ok(text - b'0'),
        b'a'..=b'f' => Ok(text - b'a' + 10),
        _ => Err(ErrorCode::InvalidUserToken),
    }
}

#[cfg(test)]
mod tests {
    use super::UserToken;

    #[test]
    fn a_token_is_64_lower_case_digits() {
        let good = format!("0f{}", "a1".repeat(31));
        let token = UserToken::parse(&good).expect("a token");
        assert_eq!((token.as_bytes()[0], token.as_bytes()[31]), (0x0f, 0xa1));
        for bad in [
            "",
            &good[1..],
            &good[2..],
            &format!("{good}0"),
            &format!("{good}00"),
            &good.to_uppercase(),
            &good.replace('f', "g"),
            &good.replace('f', "\u{ff46}"),
        ] {
            assert!(UserToken::parse(bad).is_err(), "{bad}");
        }
    }
}
