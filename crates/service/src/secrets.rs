//! The two secrets of a server: the pepper of API keys and the key that seals private keys, signing secrets and identity secrets.
//!
//! Sealing is encrypting what the database keeps (SPECIFICATION, `HATO_ENCRYPTION_KEY`); the encryption of push messages is another.
//! Secrets and what was unsealed are overwritten when they are dropped.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use hato_domain::{AppId, ErrorCode};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::engagement::EngagementTokens;
use crate::ports::PepperedHash;

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
    sealer: Option<Sealer>,
}

impl Secrets {
    /// Takes each secret, `None` where the operator has set none.
    pub fn new(pepper: Option<SecretKey>, encryption_key: Option<SecretKey>) -> Self {
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

/// What is sealed, which is authenticated with the text: a text that was copied to where another kind belongs does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealPurpose {
    /// An app's VAPID private key, a PKCS #8 document (RFC 5208).
    VapidKey,
    /// A webhook's signing secret, 32 bytes.
    SigningSecret,
    /// The secret that proves who a site's users are, 32 bytes.
    IdentitySecret,
}

impl SealPurpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::VapidKey => "vapid-key",
            Self::SigningSecret => "signing-secret",
            Self::IdentitySecret => "identity-secret",
        }
    }

    /// What is authenticated: the purpose and the app, which hold no colon themselves.
    fn associated_data(self, app: &AppId) -> String {
        format!("{}:{app}", self.as_str())
    }

    /// Whether a text without a purpose can be of this kind: a PKCS #8 document on P-256 is longer than a signing secret, and identity
    /// secrets are younger than purposes.
    fn fits(self, plain: &[u8]) -> bool {
        match self {
            Self::VapidKey => plain.len() != SIGNING_SECRET_BYTES,
            Self::SigningSecret => plain.len() == SIGNING_SECRET_BYTES,
            Self::IdentitySecret => false,
        }
    }
}

/// Bytes of a signing secret; Standard Webhooks takes 24 to 64.
pub(crate) const SIGNING_SECRET_BYTES: usize = 32;

/// Seals private keys and signing secrets with AES-256-GCM. Purpose and app are authenticated with the text, so that a text
/// that was copied to another place does not open there.
#[derive(Clone, ZeroizeOnDrop)]
pub struct Sealer {
    key: SecretKey,
}

/// A sealed text could not be opened: the encryption key is another, or the text, its purpose or its app was changed.
#[derive(Debug, thiserror::Error)]
#[error("a sealed secret cannot be opened: another encryption key, or altered data")]
pub struct UnsealError;

impl Sealer {
    /// A sealer with this AES-256 key.
    pub fn new(key: SecretKey) -> Self {
        Self { key }
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
        if let Ok(opened) = self.open_with(&purpose.associated_data(app), sealed) {
            return Ok(opened);
        }
        let opened = self.open_with(app.as_str(), sealed)?;
        purpose.fits(&opened).then_some(opened).ok_or(UnsealError)
    }

    fn seal_with(&self, associated_data: &str, plain: &[u8]) -> Vec<u8> {
        // With room for the tag: a text that moves leaves a copy of itself behind.
        let mut text = Vec::with_capacity(plain.len() + TAG_LEN);
        text.extend_from_slice(plain);
        let nonce = self
            .aead()
            .seal_in_place_append_tag(Aad::from(associated_data.as_bytes()), &mut text)
            .expect("AES-GCM seals any short text");
        let mut sealed = nonce.as_ref().to_vec();
        sealed.append(&mut text);
        sealed
    }

    fn open_with(&self, associated_data: &str, sealed: &[u8]) -> Result<Unsealed, UnsealError> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(UnsealError)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| UnsealError)?;
        let mut text = Zeroizing::new(text.to_vec());
        let plain = self
            .aead()
            .open_in_place(nonce, Aad::from(associated_data.as_bytes()), &mut text)
            .map_err(|_| UnsealError)?;
        let length = plain.len();
        text.truncate(length);
        Ok(text)
    }

    /// A key for another purpose, of which this one cannot be computed.
    fn derive(&self, purpose: &str) -> SecretKey {
        let mac = Hmac::<Sha256>::new_from_slice(self.key.as_slice());
        let mac = mac.expect("HMAC takes keys of any length");
        let key: [u8; 32] = mac.chain_update(purpose).finalize().into_bytes().into();
        key.into()
    }

    fn aead(&self) -> RandomizedNonceKey {
        RandomizedNonceKey::new(&AES_256_GCM, self.key.as_slice())
            .expect("32 bytes are an AES-256 key")
    }
}

#[cfg(test)]
mod tests {
    use hato_domain::{AppId, ErrorCode};
    use zeroize::ZeroizeOnDrop;

    use super::SealPurpose::{IdentitySecret, SigningSecret, VapidKey};
    use super::{Sealer, Secrets};

    const SECRET: [u8; 32] = [9; 32];
    const DOCUMENT: [u8; 138] = [9; 138];

    fn app(number: u8) -> AppId {
        AppId::trusted(format!("app_{number}"))
    }

    #[test]
    fn sealed_text_opens_for_its_owner_and_its_purpose_alone() {
        let sealer = Sealer::new([1; 32].into());
        for (purpose, other, plain) in [
            (SigningSecret, VapidKey, &SECRET[..]),
            (SigningSecret, IdentitySecret, &SECRET[..]),
            (IdentitySecret, SigningSecret, &SECRET[..]),
            (VapidKey, SigningSecret, &DOCUMENT[..]),
        ] {
            let text = sealer.seal(purpose, &app(1), plain);
            let opened = sealer.open(purpose, &app(1), &text);
            assert_eq!(*opened.expect("its owner"), plain);
            assert!(sealer.open(other, &app(1), &text).is_err());
            assert!(sealer.open(purpose, &app(2), &text).is_err());
            let another = Sealer::new([2; 32].into());
            assert!(another.open(purpose, &app(1), &text).is_err());
            assert!(sealer.open(purpose, &app(1), b"short").is_err());
        }
    }

    #[test]
    fn a_purpose_is_authenticated_and_not_only_guessed() {
        let sealer = Sealer::new([1; 32].into());
        let text = sealer.seal(VapidKey, &app(1), &SECRET);
        assert!(sealer.open(SigningSecret, &app(1), &text).is_err());
    }

    #[test]
    fn text_without_a_purpose_opens_for_what_it_is() {
        let sealer = Sealer::new([1; 32].into());
        let secret = sealer.seal_with("app_1", &SECRET);
        let document = sealer.seal_with("app_1", &DOCUMENT);
        let open = |purpose, app, text: &[u8]| sealer.open(purpose, &app, text).ok();
        assert_eq!(
            open(SigningSecret, app(1), &secret)
                .as_deref()
                .map(Vec::as_slice),
            Some(&SECRET[..])
        );
        assert_eq!(
            open(VapidKey, app(1), &document)
                .as_deref()
                .map(Vec::as_slice),
            Some(&DOCUMENT[..])
        );
        assert!(open(VapidKey, app(1), &secret).is_none());
        assert!(open(SigningSecret, app(1), &document).is_none());
        assert!(open(SigningSecret, app(2), &secret).is_none());
        assert!(open(IdentitySecret, app(1), &secret).is_none());
    }

    /// A key is found by a hash that only the pepper's holder can compute: a database alone verifies no guess (SPEC 2.3).
    #[test]
    fn the_hash_of_a_key_is_keyed_with_the_pepper() {
        let secrets = Secrets::new(Some([7; 32].into()), None);
        let hash = secrets.hash_key("pk_0").expect("a pepper");
        // HMAC-SHA256 of "pk_0" under 32 bytes of 7, by another implementation.
        let expected = [
            0xd4, 0xa4, 0x49, 0xee, 0xa5, 0x5d, 0xbe, 0x7c, 0x28, 0x1b, 0xd4, 0x2c, 0xe8, 0x9d,
            0x63, 0xb5, 0xf9, 0xb8, 0xc6, 0xa1, 0x27, 0x35, 0xba, 0xaa, 0x56, 0x39, 0xb2, 0x1d,
            0x20, 0xf0, 0x46, 0xb7,
        ];
        assert_eq!(hash, expected);
        let other = Secrets::new(Some([8; 32].into()), None);
        assert_ne!(other.hash_key("pk_0").ok(), Some(hash));
        assert_ne!(secrets.hash_key("pk_1").ok(), Some(hash));
    }

    #[test]
    fn secrets_are_overwritten_when_they_are_dropped() {
        fn is_overwritten<T: ZeroizeOnDrop>(_: &T) {}
        let secrets = Secrets::new(Some([1; 32].into()), Some([2; 32].into()));
        is_overwritten(&secrets);
        let sealer = secrets.sealer().expect("a key");
        is_overwritten(sealer);
        let text = sealer.seal(VapidKey, &app(1), &DOCUMENT);
        is_overwritten(&sealer.open(VapidKey, &app(1), &text).expect("its owner"));
    }

    #[test]
    fn a_missing_secret_is_a_configuration_error() {
        let secrets = Secrets::default();
        assert_eq!(secrets.hash_key("pk_").err(), Some(ErrorCode::ConfigError));
        assert_eq!(secrets.sealer().err(), Some(ErrorCode::ConfigError));
        assert_eq!(secrets.require_pepper().err(), Some(ErrorCode::ConfigError));
    }
}
