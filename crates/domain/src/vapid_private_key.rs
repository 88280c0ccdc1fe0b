//! Private VAPID keys in the forms in which other senders keep them (RFC 8292, CONTRACT 16).

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, URL_SAFE_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::pkcs8::DecodePrivateKey as _;
use zeroize::Zeroizing;

use crate::wire::{self, EcJwk};
use crate::{ErrorCode, VapidPublicKey};

/// Most bytes of a private key that is imported; PEM of a key on P-256 has about 240.
const MAX_TEXT_BYTES: usize = 4_096;

/// Padding may be there or not.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A private key on P-256, which is overwritten when it is dropped.
pub struct VapidPrivateKey(SecretKey);

impl VapidPrivateKey {
    /// Reads a private key as other senders keep it: 32 bytes as base64url, a JWK (RFC 7518 §6.2), or PEM of PKCS #8 or SEC 1.
    /// What is none on P-256, or whose public half is another's: `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(ErrorCode::InvalidInput);
        }
        let text = text.trim();
        let key = if text.starts_with('{') {
            from_jwk(text)
        } else if text.contains("-----BEGIN ") {
            from_pem(text)
        } else {
            from_base64url(text)
        };
        key.map(Self).ok_or(ErrorCode::InvalidInput)
    }

    /// The key as the library for P-256 has it.
    pub fn into_secret(self) -> SecretKey {
        self.0
    }

    /// The public key of the pair, which browsers subscribe with.
    pub fn public_key(&self) -> VapidPublicKey {
        let point = self.0.public_key().to_encoded_point(false);
        let text = URL_SAFE_NO_PAD.encode(point.as_bytes());
        VapidPublicKey::parse(&text).expect("an uncompressed point has 65 bytes")
    }

    /// The pair as a JSON Web Key.
    pub fn to_jwk(key: &SecretKey) -> EcJwk {
        let point = key.public_key().to_encoded_point(false);
        let (x, y) = point.as_bytes()[1..].split_at(32);
        EcJwk {
            kty: "EC".to_owned(),
            crv: "P-256".to_owned(),
            x: URL_SAFE_NO_PAD.encode(x),
            y: URL_SAFE_NO_PAD.encode(y),
            d: URL_SAFE_NO_PAD.encode(Zeroizing::new(key.to_bytes())),
        }
    }
}

fn from_base64url(text: &str) -> Option<SecretKey> {
    let bytes = Zeroizing::new(BASE64URL.decode(text).ok()?);
    // A shorter number would be taken as if it had zeros before it.
    (bytes.len() == 32).then_some(())?;
    SecretKey::from_slice(&bytes).ok()
}

fn from_jwk(text: &str) -> Option<SecretKey> {
    let jwk: EcJwk = wire::read(text.as_bytes()).ok()?;
    let key = from_base64url(&jwk.d)?;
    let expected = VapidPrivateKey::to_jwk(&key);
    (jwk.kty == expected.kty
        && jwk.crv == expected.crv
        && jwk.x.trim_end_matches('=') == expected.x
        && jwk.y.trim_end_matches('=') == expected.y)
        .then_some(key)
}

/// Other blocks may stand before that of the key: openssl writes the curve's name there.
fn from_pem(text: &str) -> Option<SecretKey> {
    if let Some(block) = pem_block(text, "PRIVATE KEY") {
        return SecretKey::from_pkcs8_pem(block).ok();
    }
    SecretKey::from_sec1_pem(pem_block(text, "EC PRIVATE KEY")?).ok()
}

fn pem_block<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let end = format!("-----END {label}-----");
    let block = &text[text.find(&format!("-----BEGIN {label}-----"))?..];
    Some(&block[..block.find(&end)? + end.len()])
}
