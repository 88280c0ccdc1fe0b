//! What proving who a site's users are needs of the store (CONTRACT 12).

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};

use super::{SealedSecrets, StoreError};

/// Keeps the identity secrets of apps, sealed for [`crate::SealPurpose::IdentitySecret`].
#[async_trait]
pub trait IdentityStore {
    /// The secrets that hold at `now`; none while the app has none, or is gone.
    async fn identity_secrets(
        &self,
        app: &AppId,
        now: UnixMillis,
    ) -> Result<SealedSecrets, StoreError>;

    /// Makes `sealed` the secret of an app that has none.
    async fn keep_first_identity_secret(
        &self,
        app: &AppId,
        sealed: Vec<u8>,
    ) -> Result<(), StoreError>;

    /// Makes `sealed` the secret; the one before holds too until `until`.
    async fn rotate_identity_secret(
        &self,
        app: &AppId,
        sealed: Vec<u8>,
        until: UnixMillis,
    ) -> Result<(), StoreError>;
}
