//! Secrets that an endpoint cannot do without (CONTRACT 1, `HATO_GENERATE_SECRETS`).

use hato_domain::ErrorCode;
use hato_service::Secrets;

/// A secret that must be there before scope and app are judged.
pub trait RequiredSecret: Send + 'static {
    /// Passes if the secret is there, else `CONFIG_ERROR`.
    fn require(secrets: &Secrets) -> Result<(), ErrorCode>;
}

/// For endpoints that need no secret.
pub struct NoSecret;

/// For endpoints that make API keys, which are stored as hashes under the pepper.
pub struct Pepper;

/// For endpoints that make apps, send, or show webhooks, which seal or open private keys and webhook secrets.
pub struct EncryptionKey;

impl RequiredSecret for NoSecret {
    fn require(_: &Secrets) -> Result<(), ErrorCode> {
        Ok(())
    }
}

impl RequiredSecret for Pepper {
    fn require(secrets: &Secrets) -> Result<(), ErrorCode> {
        secrets.require_pepper()
    }
}

impl RequiredSecret for EncryptionKey {
    fn require(secrets: &Secrets) -> Result<(), ErrorCode> {
        secrets.sealer().map(drop)
    }
}
