//! Tokens, by which browsers report what their user did without saying who they are (CONTRACT 15).
//!
//! A token is 30 bytes, 40 characters of base64url: 7 bytes of authentication, then send, recipient's number and the hour in which the
//! message was made, encrypted. It is a synthetic-IV construction (as in RFC 5297) of HMAC-SHA256 under two keys: the authentication of
//! the text is the nonce of its encryption. So the same recipient of the same send has the same token within the hour, however often
//! the page is tried, and no two others look alike.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::{Engagement, SendId, UnixMillis};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use uuid::Uuid;

use crate::ports::RecipientId;

/// Characters of a token.
pub const TOKEN_LENGTH: usize = 40;
const AUTHENTICATION_BYTES: usize = 7;
const SEND_BYTES: usize = 16;
const RECIPIENT_BYTES: usize = 5;
const HOUR_BYTES: usize = 2;
const TEXT_BYTES: usize = SEND_BYTES + RECIPIENT_BYTES + HOUR_BYTES;
const HOUR_MILLIS: i64 = 3_600_000;

/// A token as bytes, which may be anybody's invention.
pub type TokenBytes = [u8; AUTHENTICATION_BYTES + TEXT_BYTES];

/// Whom a token was made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenHolder {
    /// The send whose message carried it.
    pub send: SendId,
    /// The recipient's number in the store.
    pub recipient: RecipientId,
    /// The hour in which it was made, counted from 1970.
    pub hour: i64,
}

/// Makes tokens and reads them. The same secret makes the same tokens in every process.
#[derive(Clone)]
pub struct EngagementTokens {
    authentication: Hmac<Sha256>,
    encryption: Hmac<Sha256>,
}

/// Makes the tokens of one send in one hour.
#[derive(Clone)]
pub struct SendTokens {
    tokens: EngagementTokens,
    send: Uuid,
    hour: u16,
}

impl EngagementTokens {
    /// The tokens of two keys.
    pub fn new(authentication: &[u8; 32], encryption: &[u8; 32]) -> Self {
        let mac =
            |key: &[u8; 32]| Hmac::new_from_slice(key).expect("HMAC takes keys of any length");
        Self {
            authentication: mac(authentication),
            encryption: mac(encryption),
        }
    }

    /// For the messages of a send that are made at `now`; `None` for a send whose id has no number.
    pub fn of_send(&self, send: &SendId, now: UnixMillis) -> Option<SendTokens> {
        Some(SendTokens {
            tokens: self.clone(),
            send: send.to_uuid()?,
            hour: low_bits(hour_of(now)),
        })
    }

    /// Whom the token was made for; `None` for one that was made up, or is too old.
    pub fn read(&self, token: &TokenBytes, now: UnixMillis) -> Option<TokenHolder> {
        let (authentication, encrypted) = token.split_first_chunk()?;
        let text = self.crypt(*authentication, encrypted.try_into().ok()?);
        let mac = self.authentication.clone().chain_update(text);
        mac.verify_truncated_left(authentication).ok()?;
        let (send, rest) = text.split_first_chunk::<SEND_BYTES>()?;
        let (recipient, hour) = rest.split_first_chunk::<RECIPIENT_BYTES>()?;
        let mut number = [0; 8];
        number[8 - RECIPIENT_BYTES..].copy_from_slice(recipient);
        Some(TokenHolder {
            send: SendId::from_uuid(Uuid::from_bytes(*send)),
            recipient: RecipientId(i64::from_be_bytes(number)),
            hour: recent_hour(u16::from_be_bytes(hour.try_into().ok()?), now)?,
        })
    }

    /// Encrypts a text, or decrypts it.
    fn crypt(
        &self,
        authentication: [u8; AUTHENTICATION_BYTES],
        mut text: [u8; TEXT_BYTES],
    ) -> [u8; TEXT_BYTES] {
        let stream = self.encryption.clone().chain_update(authentication);
        for (byte, mask) in text.iter_mut().zip(stream.finalize().into_bytes()) {
            *byte ^= mask;
        }
        text
    }
}

impl SendTokens {
    /// The recipient's token; `None` for a number that no token has room for.
    pub fn token(&self, recipient: RecipientId) -> Option<String> {
        let number = recipient.0.to_be_bytes();
        let (beyond, number) = number.split_at(8 - RECIPIENT_BYTES);
        if beyond.iter().any(|byte| *byte != 0) {
            return None;
        }
        let mut text = [0; TEXT_BYTES];
        text[..SEND_BYTES].copy_from_slice(self.send.as_bytes());
        text[SEND_BYTES..SEND_BYTES + RECIPIENT_BYTES].copy_from_slice(number);
        text[SEND_BYTES + RECIPIENT_BYTES..].copy_from_slice(&self.hour.to_be_bytes());
        let mac = self.tokens.authentication.clone().chain_update(text);
        let mac = mac.finalize().into_bytes();
        let authentication = *mac.first_chunk()?;
        let mut token = TokenBytes::default();
        token[..AUTHENTICATION_BYTES].copy_from_slice(&authentication);
        token[AUTHENTICATION_BYTES..].copy_from_slice(&self.tokens.crypt(authentication, text));
        Some(URL_SAFE_NO_PAD.encode(token))
    }
}

/// The bytes of a text that may be a token; `None` for one that no token looks like.
pub fn token_bytes(text: &str) -> Option<TokenBytes> {
    let mut token = TokenBytes::default();
    let length = URL_SAFE_NO_PAD.decode_slice(text, &mut token).ok()?;
    (length == token.len()).then_some(token)
}

/// The hour of this moment, counted from 1970.
pub const fn hour_of(at: UnixMillis) -> i64 {
    at.0.div_euclid(HOUR_MILLIS)
}

/// The first hour whose tokens still count at `now`.
pub fn first_counted_hour(now: UnixMillis) -> i64 {
    hour_of(now.minus(Engagement::REPORTED_WITHIN))
}

/// The hour with these low bits whose tokens still count at `now`. One of the next hour was made by a process whose clock is ahead.
fn recent_hour(low: u16, now: UnixMillis) -> Option<i64> {
    let next = hour_of(now) + 1;
    let hour = next - i64::from(low_bits(next).wrapping_sub(low));
    (hour >= first_counted_hour(now)).then_some(hour)
}

fn low_bits(hour: i64) -> u16 {
    let [.., high, low] = hour.to_be_bytes();
    u16::from_be_bytes([high, low])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use hato_domain::{SendId, UnixMillis};
    use uuid::Uuid;

    use super::{EngagementTokens, TOKEN_LENGTH, TokenBytes, TokenHolder, token_bytes};
    use crate::ports::RecipientId;

    /// 2026-09-21T14:00:00Z.
    const HOUR: UnixMillis = UnixMillis(1_789_999_200_000);

    fn tokens(seed: u8) -> EngagementTokens {
        EngagementTokens::new(&[seed; 32], &[seed + 1; 32])
    }

    fn send(number: u128) -> SendId {
        SendId::from_uuid(Uuid::from_u128(number))
    }

    fn token(number: u128, recipient: i64, at: UnixMillis) -> String {
        let of_send = tokens(1).of_send(&send(number), at).expect("a number");
        of_send.token(RecipientId(recipient)).expect("it has room")
    }

    fn read(text: &str, now: UnixMillis) -> Option<TokenHolder> {
        tokens(1).read(&token_bytes(text)?, now)
    }

    #[test]
    fn a_token_is_read_by_who_has_the_secret() {
        let largest = (1 << 40) - 1;
        for recipient in [0, 1, 70_000, largest] {
            let text = token(7, recipient, HOUR);
            assert_eq!(text.len(), TOKEN_LENGTH);
            let holder = TokenHolder {
                send: send(7),
                recipient: RecipientId(recipient),
                hour: HOUR.0 / 3_600_000,
            };
            assert_eq!(read(&text, HOUR), Some(holder));
            let bytes = token_bytes(&text).expect("40 characters");
            assert_eq!(tokens(2).read(&bytes, HOUR), None);
        }
        let of_send = tokens(1).of_send(&send(7), HOUR).expect("a number");
        assert_eq!(of_send.token(RecipientId(largest + 1)), None);
        assert_eq!(of_send.token(RecipientId(-1)), None);
        let other = SendId::trusted("snd_7".to_owned());
        assert!(tokens(1).of_send(&other, HOUR).is_none());
    }

    #[test]
    fn every_recipient_has_one_and_the_same_for_the_hour() {
        let at = |minutes| HOUR.plus(Duration::from_mins(minutes));
        assert_eq!(token(7, 1, at(0)), token(7, 1, at(59)));
        let all = [
            token(7, 1, HOUR),
            token(7, 1, at(60)),
            token(7, 2, HOUR),
            token(8, 1, HOUR),
        ];
        let beginnings: HashSet<_> = all.iter().map(|token| &token[..8]).collect();
        assert_eq!(beginnings.len(), all.len());
    }

    #[test]
    fn it_counts_for_7_days_to_the_end_of_the_hour() {
        let text = token(7, 1, HOUR.plus(Duration::from_mins(59)));
        let week = HOUR.plus(Duration::from_hours(7 * 24));
        assert!(read(&text, week.plus(Duration::from_mins(59))).is_some());
        assert!(read(&text, week.plus(Duration::from_hours(1))).is_none());
        assert!(read(&text, HOUR.minus(Duration::from_hours(1))).is_some());
        assert!(read(&text, HOUR.minus(Duration::from_mins(61))).is_none());
    }

    #[test]
    fn nobody_makes_one_up() {
        let text = token(7, 1, HOUR);
        let bytes = token_bytes(&text).expect("40 characters");
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes;
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(tokens(1).read(&forged, HOUR), None, "{bit}");
        }
        for byte in 0..=u8::MAX {
            assert_eq!(tokens(1).read(&TokenBytes::from([byte; 30]), HOUR), None);
        }
        for other in [
            "",
            &text[1..],
            &format!("{text}A"),
            &text.replace(&text[..1], "+"),
        ] {
            assert_eq!(token_bytes(other), None, "{other}");
        }
    }
}
