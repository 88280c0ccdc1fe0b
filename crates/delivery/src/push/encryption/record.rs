//! One message as one record of the `aes128gcm` coding (RFC 8188), keyed as RFC 8291 says.

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, Prk, Salt};
use bytes::Bytes;
use hato_curve::{Agreement, InvalidPointError};
use hato_domain::BrowserKeys;

/// The record size that is announced, which is also the largest body a push service must take (RFC 8030 §7.2).
const RECORD_SIZE: u32 = 4_096;
/// Bytes of a salt.
pub const SALT_SIZE: usize = 16;
/// Bytes of an uncompressed point on P-256 (SEC 1 §2.3.3).
pub const POINT_SIZE: u8 = 65;
/// Bytes of AES-GCM's authentication tag.
const TAG_SIZE: usize = 16;
/// Salt, record size, length of the key id, and the key id: the sender's public key (RFC 8188 §2.1).
pub const HEADER_SIZE: usize = SALT_SIZE + 4 + 1 + POINT_SIZE as usize;
/// The delimiter after the plaintext of the last record, which is also the only one here (RFC 8188 §2).
const LAST_RECORD: u8 = 2;

/// Most bytes of a plaintext, so that the body stays within 4,096 bytes (RFC 8291 §4).
pub const MAX_PLAINTEXT: usize = RECORD_SIZE as usize - HEADER_SIZE - 1 - TAG_SIZE;

/// A message could not be encrypted for a recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncryptionError {
    /// The plaintext has more than [`MAX_PLAINTEXT`] bytes.
    #[error("the plaintext is over {MAX_PLAINTEXT} bytes")]
    TooLong,
    /// The recipient's public key is no point on P-256.
    #[error("the recipient's public key is no point on P-256")]
    NoPoint,
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Library,
}

impl From<InvalidPointError> for EncryptionError {
    fn from(_: InvalidPointError) -> Self {
        Self::NoPoint
    }
}

impl From<Unspecified> for EncryptionError {
    fn from(_: Unspecified) -> Self {
        Self::Library
    }
}

/// The body of a push message: header, ciphertext and tag, together at most 4,096 bytes.
///
/// The keys of each message are its own, because its agreement is with a fresh key pair; so the one nonce that they are used with
/// never repeats (RFC 8188 §4.3).
pub fn seal(
    agreement: &Agreement,
    salt: [u8; SALT_SIZE],
    keys: &BrowserKeys,
    plaintext: &[u8],
) -> Result<Bytes, EncryptionError> {
    if plaintext.len() > MAX_PLAINTEXT {
        return Err(EncryptionError::TooLong);
    }
    let (key, nonce) = content_key(agreement, salt, keys)?;
    let mut message = Vec::with_capacity(HEADER_SIZE + plaintext.len() + 1 + TAG_SIZE);
    write_header(&mut message, salt, &agreement.public);
    message.extend_from_slice(plaintext);
    message.push(LAST_RECORD);
    let record = &mut message[HEADER_SIZE..];
    let tag = key.seal_in_place_separate_tag(nonce, Aad::empty(), record)?;
    message.extend_from_slice(tag.as_ref());
    Ok(message.into())
}

fn write_header(message: &mut Vec<u8>, salt: [u8; SALT_SIZE], public: &[u8]) {
    message.extend_from_slice(&salt);
    message.extend_from_slice(&RECORD_SIZE.to_be_bytes());
    message.push(POINT_SIZE);
    message.extend_from_slice(public);
}

/// The content encryption key and the nonce of one record, by two steps of HKDF (RFC 8291 §3.4): the shared secret and the
/// authentication secret give the input keying material of RFC 8188 §2.2. The first record's sequence number is 0, which leaves
/// the nonce as it is.
fn content_key(
    agreement: &Agreement,
    salt: [u8; SALT_SIZE],
    keys: &BrowserKeys,
) -> Result<(LessSafeKey, Nonce), Unspecified> {
    let prk = Salt::new(HKDF_SHA256, &keys.auth).extract(&agreement.shared);
    let info: [&[u8]; 3] = [b"WebPush: info\0", &keys.p256dh, &agreement.public];
    let material = expand(&prk, &info)?;
    let prk = Salt::new(HKDF_SHA256, &salt).extract(&material);
    let key = expand(&prk, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce = expand(&prk, &[b"Content-Encoding: nonce\0"])?;
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key[..16])?);
    Ok((key, Nonce::try_assume_unique_for_key(&nonce[..12])?))
}

/// The first 32 bytes of HKDF's output, with which every shorter output begins (RFC 5869 §2.3).
fn expand(prk: &Prk, info: &[&[u8]]) -> Result<[u8; 32], Unspecified> {
    let mut out = [0; 32];
    prk.expand(info, HKDF_SHA256)?.fill(&mut out)?;
    Ok(out)
}
