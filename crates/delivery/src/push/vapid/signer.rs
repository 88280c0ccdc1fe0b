//! An app's key pair, ready to sign.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::UnixMillis;
use http::HeaderValue;

use crate::push::origin::Origin;

/// The JOSE header of every token: `{"typ":"JWT","alg":"ES256"}` (RFC 8292 §2).
const JOSE_HEADER: &[u8] = br#"{"typ":"JWT","alg":"ES256"}"#;

/// A token could not be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a VAPID token could not be signed")]
pub struct VapidSignError;

/// The stored private key is none on P-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the app's VAPID private key is damaged")]
pub struct MalformedKeyError;

/// An app's VAPID key pair.
pub struct Signer {
    key_pair: EcdsaKeyPair,
    public: String,
    random: SystemRandom,
}

impl Signer {
    /// The key pair in a PKCS #8 document (RFC 5208) of a key on P-256.
    pub fn from_pkcs8(document: &[u8]) -> Result<Self, MalformedKeyError> {
        let key_pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document);
        let key_pair = key_pair.map_err(|_| MalformedKeyError)?;
        let public = URL_SAFE_NO_PAD.encode(key_pair.public_key());
        Ok(Self {
            key_pair,
            public,
            random: SystemRandom::new(),
        })
    }

    /// `vapid t=…, k=…`: a token for `origin`, which ends at `expires_at`, and the public key that verifies it (RFC 8292 §3).
    pub fn header(
        &self,
        origin: &Origin,
        subject: &str,
        expires_at: UnixMillis,
    ) -> Result<HeaderValue, VapidSignError> {
        let claims = serde_json::json!({
            "aud": origin.to_string(),
            "exp": expires_at.0 / 1000,
            "sub": subject,
        });
        let token = self.token(claims.to_string().as_bytes())?;
        HeaderValue::try_from(format!("vapid t={token}, k={}", self.public))
            .map_err(|_| VapidSignError)
    }

    /// A JSON Web Token signed with ES256 (RFC 7515 §3.1, RFC 7518 §3.4).
    fn token(&self, claims: &[u8]) -> Result<String, VapidSignError> {
        let mut token = URL_SAFE_NO_PAD.encode(JOSE_HEADER);
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(claims, &mut token);
        let signature = self.key_pair.sign(&self.random, token.as_bytes());
        let signature = signature.map_err(|_| VapidSignError)?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        Ok(token)
    }
}
