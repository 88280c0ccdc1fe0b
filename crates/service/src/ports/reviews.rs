//! What the review of an account that was taken over needs of the store (CONTRACT 4).

use async_trait::async_trait;
use hato_domain::{AppId, SendId, UnixMillis};

use super::{DeletedKey, SendRecord, StoreError};

/// What the owner has decided about an app under review, its sends apart.
#[derive(Clone, Debug)]
pub struct ReviewConclusion {
    /// The app that was under review.
    pub app: AppId,
    /// Its keys that are deleted; the others are kept.
    pub deleted_keys: Vec<DeletedKey>,
    /// Whether the webhook stays; otherwise its URL and its secrets go.
    pub keeps_webhook: bool,
    /// What waits to be posted to it from before this moment is too old to be tried again, and is posted once.
    pub old_events: UnixMillis,
    /// When it was decided: the current time.
    pub now: UnixMillis,
}

/// What the store does with apps under review. [`super::GithubStore::account_of_github_user`] begins a review: from then on the
/// app's keys are unknown, its jobs are held and its outbox rests.
#[async_trait]
pub trait ReviewStore {
    /// The app's held sends that were not cancelled, newest first, at most `limit` of them.
    async fn held_sends(&self, app: &AppId, limit: i64) -> Result<Vec<SendRecord>, StoreError>;

    /// The ids of all of them.
    async fn held_send_ids(&self, app: &AppId) -> Result<Vec<SendId>, StoreError>;

    /// Ends the review: what is kept works again, and what is still held is queued; `false` when the app is not under review.
    async fn conclude_review(&self, conclusion: ReviewConclusion) -> Result<bool, StoreError>;
}
