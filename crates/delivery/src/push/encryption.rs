//! Payload encryption for Web Push: RFC 8291 over one record of RFC 8188's `aes128gcm` coding.
//!
//! Each message has an ephemeral key pair and a salt of its own. The agreement on the curve is nearly the whole cost, so
//! messages are made a chunk of recipients at a time, away from the threads that drive the network ([`Encryptor`]). Where
//! the processor has AVX-512 IFMA ([`Avx512Ecdh`]), a chunk's agreements are computed side by side; elsewhere aws-lc makes them one by one.

mod encryptor;
#[cfg(test)]
mod tests;

pub use encryptor::{Encryptor, InterruptedError};

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use bytes::Bytes;
use hato_curve::{Agreement, Avx512Ecdh, InvalidPointError, LANES};
use hato_domain::BrowserKeys;

/// The record size that is announced, which is also the largest body a push service must take (RFC 8030 §7.2).
const RECORD_SIZE: u32 = 4_096;
const SALT_SIZE: usize = 16;
const POINT_SIZE: usize = 65;
const TAG_SIZE: usize = 16;
/// Salt, record size, length of the key id, and the key id: the sender's public key (RFC 8188 §2.1).
const HEADER_SIZE: usize = SALT_SIZE + 4 + 1 + POINT_SIZE;
/// Ends the plaintext of the last record (RFC 8188 §2).
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

/// The fewest recipients of a group for which a batch costs less than aws-lc.
const MIN_BATCH: usize = 3;

/// The body of a push message to one recipient.
pub fn encrypt(keys: &BrowserKeys, plaintext: &[u8]) -> Result<Bytes, EncryptionError> {
    let ephemeral = PrivateKey::generate(&ECDH_P256)?;
    seal(
        &agree_single(&ephemeral, keys)?,
        random_salt()?,
        keys,
        plaintext,
    )
}

/// The bodies of a push message to each of `recipients`, in their order. A panic is the failure of one of them.
pub fn encrypt_page(
    recipients: &[BrowserKeys],
    plaintext: &[u8],
) -> Vec<Result<Bytes, EncryptionError>> {
    let rest = recipients.len() % LANES;
    let batched = recipients.len() - if rest < MIN_BATCH { rest } else { 0 };
    let mut agreements = agree_batch(&recipients[..batched]).into_iter();
    recipients
        .iter()
        .map(|keys| {
            let agreement = agreements.next();
            std::panic::catch_unwind(|| match agreement {
                Some(agreement) => seal(&agreement?, random_salt()?, keys, plaintext),
                None => encrypt(keys, plaintext),
            })
            .unwrap_or(Err(EncryptionError::Library))
        })
        .collect()
}

/// Agreements with all of `recipients`, or with none of them where they can only be made one by one.
fn agree_batch(recipients: &[BrowserKeys]) -> Vec<Result<Agreement, InvalidPointError>> {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return Vec::new();
    };
    let peers: Vec<[u8; POINT_SIZE]> = recipients.iter().map(|keys| keys.p256dh).collect();
    let agree = || ecdh.ecdh_batch_ephemeral(&peers, aws_lc_rs::rand::fill);
    let agreements = std::panic::catch_unwind(agree).unwrap_or(Err(Unspecified));
    agreements.unwrap_or_default()
}

fn agree_single(ephemeral: &PrivateKey, keys: &BrowserKeys) -> Result<Agreement, EncryptionError> {
    let public = ephemeral.compute_public_key()?;
    let public = public.as_ref().try_into().map_err(|_| Unspecified)?;
    let peer = UnparsedPublicKey::new(&ECDH_P256, &keys.p256dh[..]);
    agree(ephemeral, peer, EncryptionError::NoPoint, |secret| {
        let shared = secret.try_into().map_err(|_| Unspecified)?;
        Ok(Agreement { public, shared })
    })
}

fn random_salt() -> Result<[u8; SALT_SIZE], Unspecified> {
    let mut salt = [0; SALT_SIZE];
    aws_lc_rs::rand::fill(&mut salt)?;
    Ok(salt)
}

fn seal(
    agreement: &Agreement,
    salt: [u8; SALT_SIZE],
    keys: &BrowserKeys,
    plaintext: &[u8],
) -> Result<Bytes, EncryptionError> {
    if plaintext.len() > MAX_PLAINTEXT {
        return Err(EncryptionError::TooLong);
    }
    let content = ContentKey::derive(agreement, salt, keys)?;
    let mut message = Vec::with_capacity(HEADER_SIZE + plaintext.len() + 1 + TAG_SIZE);
    write_header(&mut message, salt, &agreement.public);
    message.extend_from_slice(plaintext);
    message.push(LAST_RECORD);
    let tag = content.seal(&mut message[HEADER_SIZE..])?;
    message.extend_from_slice(&tag);
    Ok(message.into())
}

fn write_header(message: &mut Vec<u8>, salt: [u8; SALT_SIZE], public: &[u8]) {
    message.extend_from_slice(&salt);
    message.extend_from_slice(&RECORD_SIZE.to_be_bytes());
    message.push(65);
    message.extend_from_slice(public);
}

/// What one record is encrypted with.
struct ContentKey {
    key: LessSafeKey,
    nonce: Nonce,
}

impl ContentKey {
    /// RFC 8291 §3.4: the shared secret and the authentication secret give the input keying material of RFC 8188 §2.2.
    fn derive(
        agreement: &Agreement,
        salt: [u8; SALT_SIZE],
        keys: &BrowserKeys,
    ) -> Result<Self, Unspecified> {
        let mut material = [0; 32];
        Salt::new(HKDF_SHA256, &keys.auth)
            .extract(&agreement.shared)
            .expand(
                &[b"WebPush: info\0", &keys.p256dh, &agreement.public],
                HKDF_SHA256,
            )?
            .fill(&mut material)?;
        let prk = Salt::new(HKDF_SHA256, &salt).extract(&material);
        let key: [u8; 16] = expand(&prk, b"Content-Encoding: aes128gcm\0")?;
        let nonce: [u8; 12] = expand(&prk, b"Content-Encoding: nonce\0")?;
        Ok(Self {
            key: LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?),
            nonce: Nonce::assume_unique_for_key(nonce),
        })
    }

    /// Encrypts in place and answers the tag. The first record's sequence number is 0, which leaves the nonce as it is.
    fn seal(self, record: &mut [u8]) -> Result<[u8; TAG_SIZE], Unspecified> {
        let tag = self
            .key
            .seal_in_place_separate_tag(self.nonce, Aad::empty(), record)?;
        tag.as_ref().try_into().map_err(|_| Unspecified)
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(prk: &Prk, info: &[u8]) -> Result<[u8; N], Unspecified> {
    let mut out = [0; N];
    prk.expand(&[info], Length(N))?.fill(&mut out)?;
    Ok(out)
}
