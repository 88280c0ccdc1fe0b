//! Messages for a chunk of recipients at a time, with eight key agreements side by side where the processor can.

use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::error::Unspecified;
use bytes::Bytes;
use hato_curve::{Agreement, Avx512Ecdh, InvalidPointError, LANES};
use hato_domain::BrowserKeys;

use super::record::{EncryptionError, POINT_SIZE, SALT_SIZE, seal};

/// The fewest recipients left over for which a group costs less than aws-lc: a group of eight costs as much as two single
/// agreements, however few it holds (`make bench-delivery`).
const MIN_BATCH: usize = 3;

/// The body of a push message to one recipient, agreed upon by aws-lc.
pub fn encrypt(keys: &BrowserKeys, plaintext: &[u8]) -> Result<Bytes, EncryptionError> {
    let ephemeral = PrivateKey::generate(&ECDH_P256)?;
    let agreement = agree_single(&ephemeral, keys)?;
    seal(&agreement, random_salt()?, keys, plaintext)
}

/// A message to one recipient, before it is encrypted.
#[derive(Clone, Debug)]
pub struct PlainMessage {
    /// What the browser made for whoever pushes to it (RFC 8291 §3.1).
    pub keys: BrowserKeys,
    /// The plaintext, which recipients may share.
    pub plaintext: Bytes,
}

/// The bodies of `messages`, in their order. A panic over one of them is that one's failure.
pub fn encrypt_page(messages: &[PlainMessage]) -> Vec<Result<Bytes, EncryptionError>> {
    let rest = messages.len() % LANES;
    let batched = messages.len() - if rest < MIN_BATCH { rest } else { 0 };
    let mut agreements = agree_batch(&messages[..batched]).into_iter();
    messages
        .iter()
        .map(|PlainMessage { keys, plaintext }| {
            let agreement = agreements.next();
            std::panic::catch_unwind(|| match agreement {
                Some(agreement) => seal(&agreement?, random_salt()?, keys, plaintext),
                None => encrypt(keys, plaintext),
            })
            .unwrap_or(Err(EncryptionError::Library))
        })
        .collect()
}

/// Agreements with all recipients of `messages`; with none of them where the processor lacks the instructions or the library fails, and
/// then they are made one by one.
fn agree_batch(messages: &[PlainMessage]) -> Vec<Result<Agreement, InvalidPointError>> {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return Vec::new();
    };
    let peers: Vec<[u8; POINT_SIZE as usize]> =
        messages.iter().map(|message| message.keys.p256dh).collect();
    let agree = || ecdh.ecdh_batch_ephemeral(&peers, aws_lc_rs::rand::fill);
    let agreements = std::panic::catch_unwind(agree).unwrap_or(Err(Unspecified));
    agreements.unwrap_or_default()
}

pub(super) fn agree_single(
    ephemeral: &PrivateKey,
    keys: &BrowserKeys,
) -> Result<Agreement, EncryptionError> {
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
