//! Removing what is too old, a few rows at a time.

use async_trait::async_trait;
use hato_domain::UnixMillis;

use super::{RecipientId, StoreError};

/// Up to where subscriptions that are not active were looked at, in the order of their deactivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeactivationCursor {
    /// When the last one became inactive.
    pub at: UnixMillis,
    /// The number of the last one in the store.
    pub recipient: RecipientId,
}

/// What the store removes because it is too old. Each method removes at most `limit` rows of a kind in one transaction,
/// and says whether some may be left.
#[async_trait]
pub trait RetentionStore {
    /// Removes finished sends that were accepted before `before`, with their dead letters and tallies. What was counted by
    /// day and by month stays.
    async fn purge_sends(&self, before: UnixMillis, limit: u32) -> Result<bool, StoreError>;

    /// Looks at `limit` subscriptions that were deactivated before `before`, from `after` on, and removes those that no waiting
    /// event of a webhook may name. Returns where to go on; `None` when there are no more.
    async fn purge_deactivated_subscriptions(
        &self,
        before: UnixMillis,
        after: Option<DeactivationCursor>,
        limit: u32,
    ) -> Result<Option<DeactivationCursor>, StoreError>;

    /// Ends events of webhooks that were written before `before`, or before `under_review` if their app is under review, and still wait
    /// to be posted (CONTRACT 8); how many it ended, at most `limit`.
    async fn end_old_events(
        &self,
        before: UnixMillis,
        under_review: UnixMillis,
        limit: u32,
    ) -> Result<u64, StoreError>;

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

    /// Removes what was counted by quarter of an hour before `before`. What was counted by day stays.
    async fn purge_recent_counts(&self, before: UnixMillis, limit: u32)
    -> Result<bool, StoreError>;

    /// Takes over from sends that have finished, at most `limit` of them, who took them, and removes from them whom they were for
    /// (CONTRACT 12).
    async fn record_reach(&self, now: UnixMillis, limit: u32) -> Result<bool, StoreError>;
}
