//! What limits how often a client address may do something.

use std::net::IpAddr;

use async_trait::async_trait;

use super::StoreError;

/// Counts by client address in windows of 60 s, each of which opens with the first that is counted (CONTRACT 3). One value is one
/// limit; processes that answer the same clients share it.
#[async_trait]
pub trait RateWindow: Send + Sync + 'static {
    /// Counts one more of `client`; `false`, and nothing counted, when the limit is reached.
    async fn count(&self, client: IpAddr) -> Result<bool, StoreError>;

    /// Whether the limit is reached; counts nothing.
    async fn is_reached(&self, client: IpAddr) -> Result<bool, StoreError>;

    /// Takes back one that was counted for what then did not happen.
    async fn uncount(&self, client: IpAddr) -> Result<(), StoreError>;
}
