//! A VAPID key pair, in the forms in which it is made, imported, stored and exported (RFC 8292, CONTRACT 16).

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use hato_domain::wire::ExportedVapidKey;
use hato_domain::{ErrorCode, VapidPrivateKey};
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, LineEnding};
use zeroize::Zeroizing;

use crate::{ServiceError, ServiceResult};

/// A key pair on P-256, which is overwritten when it is dropped.
pub struct VapidKeyPair(SecretKey);

impl VapidKeyPair {
    /// Makes a pair that nobody else has.
    pub fn generate() -> ServiceResult<Self> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING);
        let pair = pair.map_err(ServiceError::internal)?;
        let document = pair.to_pkcs8v1().map_err(ServiceError::internal)?;
        Self::from_pkcs8(document.as_ref())
    }

    /// Reads what the store keeps: a PKCS #8 document (RFC 5208).
    pub fn from_pkcs8(document: &[u8]) -> ServiceResult<Self> {
        let key = SecretKey::from_pkcs8_der(document);
        Ok(Self(key.map_err(ServiceError::internal)?))
    }

    /// Reads a private key as other senders keep it: `INVALID_INPUT` for what [`VapidPrivateKey::parse`] does not know.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        Ok(Self(VapidPrivateKey::parse(text)?.into_secret()))
    }

    /// The public half: an uncompressed point, 65 bytes.
    pub fn public_key(&self) -> Vec<u8> {
        let point = self.0.public_key().to_encoded_point(false);
        point.as_bytes().to_vec()
    }

    /// A PKCS #8 document, as the store keeps it once it is sealed.
    pub fn to_pkcs8(&self) -> ServiceResult<Zeroizing<Vec<u8>>> {
        let document = self.0.to_pkcs8_der().map_err(ServiceError::internal)?;
        Ok(document.to_bytes())
    }

    /// The three forms in which it leaves the server.
    pub fn export(&self) -> ServiceResult<ExportedVapidKey> {
        let pem = self.0.to_pkcs8_pem(LineEnding::LF);
        let pem = pem.map_err(ServiceError::internal)?;
        let jwk = VapidPrivateKey::to_jwk(&self.0);
        Ok(ExportedVapidKey {
            private_key: jwk.d.clone(),
            jwk,
            pem: pem.as_str().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
