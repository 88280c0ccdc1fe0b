//! The secrets of a server: the pepper of API keys and the key that seals private keys, signing secrets and identity secrets.
//!
//! Sealing is encrypting what the database keeps (SPECIFICATION, `HATO_ENCRYPTION_KEY`); the encryption of push messages is another.
//! Secrets and what was unsealed are overwritten when they are dropped.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use hato_domain::{AppId, ErrorCode};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::engagement_tokens::EngagementTokens;
use crate::ports::{PepperId, PepperedHash};
use crate::seal_purpose::SealPurpose;

/// A secret of 32 bytes, which is overwritten when it is dropped.
pub type SecretKey = Zeroizing<[u8; 32]>;

/// What was sealed, opened; it is overwritten when it is dropped.
pub type Unsealed = Zeroizing<Vec<u8>>;

/// Bytes of the tag that AES-GCM appends.
const TAG_LEN: usize = 16;

/// The secrets, each of which may be missing; what needs it then answers `CONFIG_ERROR` (CONTRACT 1).
#[derive(Clone, Default, ZeroizeOnDrop)]
pub struct Secrets {
    pepper: Option<SecretKey>,
    previous_pepper: Option<SecretKey>,
    sealer: Option<Sealer>,
}

impl Secrets {
    /// Takes each secret, `None` where the operator has set none.
    pub fn new(pepper: Option<SecretKey>, encryption_key: Option<SecretKey>) -> Self {
        Self {
            pepper,
            previous_pepper: None,
            sealer: encryption_key.map(Sealer::new),
        }
    }

    /// The same with the secrets that were used before these, as far as there are such.
    #[must_use]
    pub fn with_previous(
        mut self,
        pepper: Option<SecretKey>,
        encryption_key: Option<SecretKey>,
    ) -> Self {
        self.previous_pepper = pepper;
        if let Some(sealer) = &mut self.sealer {
            sealer.previous = encryption_key;
        }
        self
    }

    /// What is stored of a raw API key: its HMAC-SHA256 under the pepper (SPEC 2.3). Without a pepper: `CONFIG_ERROR`.
    pub fn hash_key(&self, raw: &str) -> Result<PepperedHash, ErrorCode> {
        Ok(hmac(self.pepper()?, raw))
    }

    /// The same under the pepper before this one, if there is one.
    pub fn previous_hash(&self, raw: &str) -> Option<PepperedHash> {
        let previous = self.previous_pepper.as_ref()?;
        Some(hmac(previous.as_slice(), raw))
    }

    /// By which the pepper is known. Without one: `CONFIG_ERROR`.
    pub fn pepper_id(&self) -> Result<PepperId, ErrorCode> {
        Ok(pepper_id(self.pepper()?))
    }

    /// By which the pepper before this one is known, if there is one.
    pub fn previous_pepper_id(&self) -> Option<PepperId> {
        let previous = self.previous_pepper.as_ref()?;
        Some(pepper_id(previous.as_slice()))
    }

    /// Passes if there is a pepper, else `CONFIG_ERROR`.
    pub fn require_pepper(&self) -> Result<(), ErrorCode> {
        self.pepper().map(drop)
    }

    /// What makes and reads the tokens of messages (CONTRACT 15); `CONFIG_ERROR` without an encryption key, of which their keys are made.
    pub fn engagement_tokens(&self) -> Result<EngagementTokens, ErrorCode> {
        let sealer = self.sealer()?;
        Ok(EngagementTokens::new(
            &sealer.derive("engagement-authentication"),
            &sealer.derive("engagement-encryption"),
        ))
    }

    fn pepper(&self) -> Result<&[u8], ErrorCode> {
        let pepper = self.pepper.as_ref().ok_or(ErrorCode::ConfigError)?;
        Ok(pepper.as_slice())
    }

    /// The sealer of private keys and signing secrets; `CONFIG_ERROR` without an encryption key.
    pub fn sealer(&self) -> Result<&Sealer, ErrorCode> {
        self.sealer.as_ref().ok_or(ErrorCode::ConfigError)
    }
}

/// Seals private keys and signing secrets with AES-256-GCM. Purpose and app are authenticated with the text, so that a text
/// that was copied to another place does not open there.
#[derive(Clone, ZeroizeOnDrop)]
pub struct Sealer {
    key: SecretKey,
    /// The key before this one, which opens only.
    previous: Option<SecretKey>,
}

/// A sealed text could not be opened: the encryption key is another, or the text, its purpose or its app was changed.
#[derive(Debug, thiserror::Error)]
#[error("a sealed secret cannot be opened: another encryption key, or altered data")]
pub struct UnsealError;

impl Sealer {
    /// A sealer with this AES-256 key.
    pub fn new(key: SecretKey) -> Self {
        Self {
            key,
            previous: None,
        }
    }

    /// Seals `plain` for the app: a random nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.
    pub fn seal(&self, purpose: SealPurpose, app: &AppId, plain: &[u8]) -> Vec<u8> {
        self.seal_with(&purpose.associated_data(app), plain)
    }

    /// The plain text of what was sealed for the app and this purpose.
    ///
    /// The app alone was authenticated with texts of databases that are older than purposes. They open too; that such a text
    /// serves no other purpose follows from its length.
    pub fn open(
        &self,
        purpose: SealPurpose,
        app: &AppId,
        sealed: &[u8],
    ) -> Result<Unsealed, UnsealError> {
        let opened = open_for(&self.key, purpose, app, sealed);
        match &self.previous {
            Some(previous) => opened.or_else(|_| open_for(previous, purpose, app, sealed)),
            None => opened,
        }
    }

    /// The same text under the current key; `None` if that has sealed it already.
    pub fn reseal(
        &self,
        purpose: SealPurpose,
        app: &AppId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, UnsealError> {
        if open_for(&self.key, purpose, app, sealed).is_ok() {
            return Ok(None);
        }
        let plain = self.open(purpose, app, sealed)?;
        Ok(Some(self.seal(purpose, app, &plain)))
    }

    /// A key for another purpose, of which this one cannot be computed.
    fn derive(&self, purpose: &str) -> SecretKey {
        hmac(self.key.as_slice(), purpose).into()
    }

    fn seal_with(&self, associated_data: &str, plain: &[u8]) -> Vec<u8> {
        // With room for the tag: a text that moves leaves a copy of itself behind.
        let mut text = Vec::with_capacity(plain.len() + TAG_LEN);
        text.extend_from_slice(plain);
        let nonce = aead(&self.key)
            .seal_in_place_append_tag(Aad::from(associated_data.as_bytes()), &mut text)
            .expect("AES-GCM seals any short text");
        let mut sealed = nonce.as_ref().to_vec();
        sealed.append(&mut text);
        sealed
    }
}

fn open_for(
    key: &SecretKey,
    purpose: SealPurpose,
    app: &AppId,
    sealed: &[u8],
) -> Result<Unsealed, UnsealError> {
    if let Ok(opened) = open_with(key, &purpose.associated_data(app), sealed) {
        return Ok(opened);
    }
    let opened = open_with(key, app.as_str(), sealed)?;
    purpose.fits(&opened).then_some(opened).ok_or(UnsealError)
}

fn open_with(
    key: &SecretKey,
    associated_data: &str,
    sealed: &[u8],
) -> Result<Unsealed, UnsealError> {
    let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(UnsealError)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| UnsealError)?;
    let mut text = Zeroizing::new(text.to_vec());
    let plain = aead(key)
        .open_in_place(nonce, Aad::from(associated_data.as_bytes()), &mut text)
        .map_err(|_| UnsealError)?;
    let length = plain.len();
    text.truncate(length);
    Ok(text)
}

fn aead(key: &SecretKey) -> RandomizedNonceKey {
    RandomizedNonceKey::new(&AES_256_GCM, key.as_slice()).expect("32 bytes are an AES-256 key")
}

/// A hash of a text that no raw key is.
fn pepper_id(pepper: &[u8]) -> PepperId {
    let mut id = PepperId::default();
    let length = id.len();
    id.copy_from_slice(&hmac(pepper, "pepper id")[..length]);
    id
}

fn hmac(pepper: &[u8], raw: &str) -> PepperedHash {
    let mut mac = Hmac::<Sha256>::new_from_slice(pepper).expect("HMAC takes keys of any length");
    mac.update(raw.as_bytes());
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
#[path = "secrets/tests.rs"]
mod tests;
