//! Key material of browsers: base64url texts, random bytes, P-256 pairs.

use base64::{
    Engine,
    alphabet::URL_SAFE,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose},
};
use p256::{
    SecretKey,
    elliptic_curve::{
        rand_core::{OsRng, RngCore},
        sec1::ToEncodedPoint,
    },
};

/// Firefox pads the keys it hands over, everything else in Web Push does not.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Encodes bytes as base64url without padding (RFC 7515 §2).
pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of base64url without padding; None when it is not that.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    general_purpose::URL_SAFE_NO_PAD.decode(text).ok()
}

/// An application server key: base64url of 65 bytes, padded or not.
pub(super) fn decode_application_server_key(text: &str) -> Option<Vec<u8>> {
    let bytes = LENIENT.decode(text).ok()?;
    let on_curve = p256::PublicKey::from_sec1_bytes(&bytes).is_ok();
    (bytes.len() == 65 && on_curve).then_some(bytes)
}

/// N random bytes of the system's generator.
pub(super) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    OsRng.fill_bytes(&mut bytes);
    bytes
}

/// An id of 32 random hexadecimal digits.
pub(super) fn random_id() -> String {
    format!("{:032x}", u128::from_be_bytes(random()))
}

/// A new private key on P-256.
pub(super) fn private_key() -> SecretKey {
    SecretKey::random(&mut OsRng)
}

/// The uncompressed public point of a private key, as base64url.
pub(super) fn public_text(key: &SecretKey) -> String {
    encode(key.public_key().to_encoded_point(false).as_bytes())
}
