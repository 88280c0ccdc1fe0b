//! The keys of a browser's subscription: `p256dh` and `auth` (RFC 8291 §2).

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

use crate::ErrorCode;
#[cfg(feature = "curve")]
use crate::RegistrationFault;

/// A browser's public key and its authentication secret, by which messages are encrypted for it. `Debug` hides both.
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserKeys {
    /// The public key, an uncompressed point on P-256, 65 bytes (SEC 1 §2.3.3).
    pub p256dh: [u8; 65],
    /// The authentication secret, 16 bytes.
    pub auth: [u8; 16],
}

/// Padding may be there or not; unused bits in the last character are not an error, as in browsers' `atob`.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl BrowserKeys {
    /// Reads both from base64url or base64, with or without padding; not 65 bytes on the curve and 16 bytes:
    /// `INVALID_INPUT` (CONTRACT 5).
    #[cfg(feature = "curve")]
    pub fn parse(p256dh: &str, auth: &str) -> Result<Self, RegistrationFault> {
        let keys = Self {
            p256dh: decode(p256dh).map_err(|_| RegistrationFault::P256dh)?,
            auth: decode(auth).map_err(|_| RegistrationFault::Auth)?,
        };
        let point = p256::PublicKey::from_sec1_bytes(&keys.p256dh);
        point.map_err(|_| RegistrationFault::P256dh)?;
        Ok(keys)
    }
}

impl std::fmt::Debug for BrowserKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BrowserKeys")
    }
}

/// So many bytes from base64url or base64, with or without padding; anything else: `INVALID_INPUT`.
pub(crate) fn decode<const N: usize>(text: &str) -> Result<[u8; N], ErrorCode> {
    if text.len() > 2 * N {
        return Err(ErrorCode::InvalidInput);
    }
    let standard: String = text
        .chars()
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    let bytes = LENIENT
        .decode(standard)
        .map_err(|_| ErrorCode::InvalidInput)?;
    bytes.try_into().map_err(|_| ErrorCode::InvalidInput)
}

#[cfg(all(test, feature = "curve"))]
mod tests {
    use super::BrowserKeys;

    // RFC 8291 Appendix A.
    const P256DH: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    #[test]
    fn both_alphabets_and_paddings_are_taken() {
        let url = BrowserKeys::parse(P256DH, AUTH).expect("base64url");
        let plain = |text: &str| text.replace('-', "+").replace('_', "/");
        let padded = BrowserKeys::parse(
            &format!("{}=", plain(P256DH)),
            &format!("{}==", plain(AUTH)),
        );
        assert_eq!(padded.expect("base64"), url);
    }

    #[test]
    fn wrong_lengths_and_points_off_the_curve_are_refused() {
        let off_curve = P256DH.replace("iw4", "iw8");
        for (p256dh, auth) in [
            (off_curve.as_str(), AUTH),
            (AUTH, AUTH),
            (P256DH, P256DH),
            (P256DH, "!"),
            ("", ""),
        ] {
            assert!(BrowserKeys::parse(p256dh, auth).is_err(), "{p256dh} {auth}");
        }
    }
}
