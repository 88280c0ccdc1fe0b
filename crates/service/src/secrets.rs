//! The two secrets of a server: the pepper of API keys and the key that seals private keys and signing secrets.
//!
//! Sealing is encrypting what the database keeps (SPECIFICATION, `HATO_ENCRYPTION_KEY`); the encryption of push messages is another.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use hato_domain::ErrorCode;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::ports::PepperedHash;

/// The secrets, each of which may be missing; what needs it then answers `CONFIG_ERROR` (CONTRACT 1).
#[derive(Clone, Default)]
pub struct Secrets {
    pepper: Option<[u8; 32]>,
    sealer: Option<Sealer>,
}

impl Secrets {
    /// Takes the 32 bytes of each secret, `None` where the operator has set none.
    pub fn new(pepper: Option<[u8; 32]>, encryption_key: Option<[u8; 32]>) -> Self {
        Self {
            pepper,
            sealer: encryption_key.map(Sealer::new),
        }
    }

    /// What is stored of a raw API key: its HMAC-SHA256 under the pepper (SPEC 2.3). Without a pepper: `CONFIG_ERROR`.
    pub fn hash_key(&self, raw: &str) -> Result<PepperedHash, ErrorCode> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.pepper()?).expect("HMAC takes keys of any length");
        mac.update(raw.as_bytes());
        Ok(mac.finalize().into_bytes().into())
    }

    /// Passes if there is a pepper, else `CONFIG_ERROR`.
    pub fn require_pepper(&self) -> Result<(), ErrorCode> {
        self.pepper().map(drop)
    }

    fn pepper(&self) -> Result<&[u8; 32], ErrorCode> {
        self.pepper.as_ref().ok_or(ErrorCode::ConfigError)
    }

    /// The sealer of private keys and signing secrets; `CONFIG_ERROR` without an encryption key.
    pub fn sealer(&self) -> Result<&Sealer, ErrorCode> {
        self.sealer.as_ref().ok_or(ErrorCode::ConfigError)
    }
}

/// Seals private keys and signing secrets with AES-256-GCM. The app's id is authenticated with the text, so that a
/// row copied to another app does not open.
#[derive(Clone)]
pub struct Sealer {
    key: [u8; 32],
}

/// A sealed text could not be opened: the encryption key is another, or the text or its app was changed.
#[derive(Debug, thiserror::Error)]
#[error("a sealed secret cannot be opened: another encryption key, or altered data")]
pub struct UnsealError;

impl Sealer {
    /// A sealer with this AES-256 key.
    pub fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// Seals `plain` for the app: a random nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.
    pub fn seal(&self, app: &str, plain: &[u8]) -> Vec<u8> {
        let mut text = plain.to_vec();
        let nonce = self
            .aead()
            .seal_in_place_append_tag(Aad::from(app.as_bytes()), &mut text)
            .expect("AES-GCM seals any short text");
        let mut sealed = nonce.as_ref().to_vec();
        sealed.append(&mut text);
        sealed
    }

    /// The plain text of what was sealed for the app.
    pub fn open(&self, app: &str, sealed: &[u8]) -> Result<Vec<u8>, UnsealError> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(UnsealError)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| UnsealError)?;
        let mut text = text.to_vec();
        let plain = self
            .aead()
            .open_in_place(nonce, Aad::from(app.as_bytes()), &mut text)
            .map_err(|_| UnsealError)?;
        Ok(plain.to_vec())
    }

    fn aead(&self) -> RandomizedNonceKey {
        RandomizedNonceKey::new(&AES_256_GCM, &self.key).expect("32 bytes are an AES-256 key")
    }
}

#[cfg(test)]
mod tests {
    use super::{Sealer, Secrets};
    use hato_domain::ErrorCode;

    #[test]
    fn sealed_text_opens_for_its_owner_alone() {
        let sealer = Sealer::new([1; 32]);
        let text = sealer.seal("app_1", b"private");
        assert_eq!(sealer.open("app_1", &text).expect("its owner"), b"private");
        assert!(sealer.open("app_2", &text).is_err());
        assert!(Sealer::new([2; 32]).open("app_1", &text).is_err());
        assert!(sealer.open("app_1", b"short").is_err());
    }

    #[test]
    fn a_missing_secret_is_a_configuration_error() {
        let secrets = Secrets::default();
        assert_eq!(secrets.hash_key("pk_").err(), Some(ErrorCode::ConfigError));
        assert_eq!(secrets.sealer().err(), Some(ErrorCode::ConfigError));
    }
}
