//! Removing what is too old, a few rows at a time.

use async_trait::async_trait;
use hato_domain::UnixMillis;

use super::StoreError;

/// What the store removes because it is too old. Each method removes at most `limit` rows of a kind in one transaction,
/// and says whether some may be left.
#[async_trait]
pub trait RetentionStore {
    /// Removes finished sends that were accepted before `before`, with their dead letters and tallies. What was counted by
    /// day and by month stays.
    async fn purge_sends(&self, before: UnixMillis, limit: u32) -> Result<bool, StoreError>;

    /// Removes subscriptions that were deactivated before `before`.
    async fn purge_deactivated_subscriptions(
        &self,
        before: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError>;

    /// Removes sessions that ended before `now`.
    async fn purge_sessions(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError>;

    /// Removes logins through GitHub that were not finished in time.
    async fn purge_github_logins(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError>;

    /// Removes the names of requests that were accepted before `before`.
    async fn purge_idempotency_keys(
        &self,
        before: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError>;
}
