//! Secrets that an endpoint cannot do without (CONTRACT 1, `HATO_GENERATE_SECRETS`).

use hato_domain::ErrorCode;
use hato_service::Secrets;

/// A secret that must be there before scope and app are judged.
pub trait RequiredSecret: Send {
    /// `CONFIG_ERROR` without it.
    fn require(secrets: &Secrets) -> Result<(), ErrorCode>;
}

/// The endpoint needs none.
pub struct NoSecret;

/// The endpoint makes API keys.
pub struct Pepper;

/// The endpoint makes apps or sends.
pub struct EncryptionKey;

impl RequiredSecret for NoSecret {
    fn require(_: &Secrets) -> Result<(), ErrorCode> {
        Ok(())
    }
}

impl RequiredSecret for Pepper {
    fn require(secrets: &Secrets) -> Result<(), ErrorCode> {
        secrets.hash_key("").map(drop)
    }
}

impl RequiredSecret for EncryptionKey {
    fn require(secrets: &Secrets) -> Result<(), ErrorCode> {
        secrets.sealer().map(drop)
    }
}
