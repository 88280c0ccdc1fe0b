//! What the use cases of users and tags need of the store (CONTRACT 12).

use async_trait::async_trait;
use hato_domain::{
    AppId, Endpoint, Profile, ProfileChange, SendId, SubscriptionId, UnixMillis, UserId,
};

use super::StoreError;

/// A subscription, and what a site says of the person behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileRecord {
    /// The subscription's id, `sub_…`.
    pub id: SubscriptionId,
    /// Whom it belongs to, and what it cares for.
    pub profile: Profile,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeProfileOutcome {
    /// It is stored; this is how it is now.
    Changed(ProfileRecord),
    /// The app has no active subscription with this endpoint.
    NotFound,
    /// There would be more tags than a subscription may have; nothing was stored.
    TooManyTags,
}

/// What the store does with users and tags.
#[async_trait]
pub trait ProfileStore {
    /// The profile of the app's active subscription with this endpoint.
    async fn profile(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
    ) -> Result<Option<ProfileRecord>, StoreError>;

    /// Changes the profile of the app's active subscription with this endpoint.
    async fn change_profile(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        change: ProfileChange,
    ) -> Result<ChangeProfileOutcome, StoreError>;

    /// Removes at most `limit` of the user's subscriptions, active or not, with what names them, and returns how many; 0 when none
    /// is left.
    async fn erase_subscriptions(
        &self,
        app: &AppId,
        user: &UserId,
        limit: u32,
        now: UnixMillis,
    ) -> Result<u32, StoreError>;

    /// Takes the user, and the endpoints of the subscriptions that the user has now, out of at most `limit` of the app's scheduled sends,
    /// in the order of their ids from behind `after` on, and returns the last one that was looked at; `None` when there was none.
    async fn forget_scheduled_user(
        &self,
        app: &AppId,
        user: &UserId,
        after: Option<SendId>,
        limit: u32,
    ) -> Result<Option<SendId>, StoreError>;
}
