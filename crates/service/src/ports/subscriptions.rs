//! Subscriptions in the store.

use async_trait::async_trait;
use hato_domain::{AppId, BrowserKeys, Endpoint, Platform, SubscriptionId, UnixMillis};

use super::StoreError;

/// A subscription to be registered.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// Used when the endpoint is new to the app.
    pub id: SubscriptionId,
    /// The app.
    pub app_id: AppId,
    /// Unique within the app (CONTRACT 5).
    pub endpoint: Endpoint,
    /// Replace those that are there.
    pub keys: BrowserKeys,
    /// Replaces the label that is there, if given.
    pub platform: Option<Platform>,
    /// Now.
    pub now: UnixMillis,
}

/// What became of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterOutcome {
    /// The endpoint was new.
    Created(SubscriptionId),
    /// The endpoint was known and active: the record is updated.
    Updated(SubscriptionId),
    /// The endpoint was known and deactivated: the record is updated, and active again.
    Reactivated(SubscriptionId),
    /// The endpoint is new, and the app has as many active subscriptions as its plan allows.
    LimitReached,
    /// There is no such app any more.
    NoApp,
}

/// Why a subscription is not active (SPEC 3.1, CONTRACT 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeactivationReason {
    /// Its push service no longer knows it.
    Expired,
    /// Somebody unsubscribed it.
    Unsubscribed,
}

/// The end of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deactivated {
    /// When.
    pub at: UnixMillis,
    /// Why.
    pub reason: DeactivationReason,
}

/// A subscription as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionRecord {
    /// `sub_…`.
    pub id: SubscriptionId,
    /// The push service's URL.
    pub endpoint: String,
    /// The label.
    pub platform: Option<String>,
    /// `None` while it is active.
    pub deactivated: Option<Deactivated>,
    /// When it was first registered.
    pub created_at: UnixMillis,
}

/// Subscriptions of which state are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateFilter {
    /// All of them.
    #[default]
    Any,
    /// Those that a broadcast reaches.
    Active,
    /// Those that it does not.
    Deactivated,
}

/// Which subscriptions are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionFilter {
    /// Part of the endpoint or of the platform, in any case of letters; empty is every one.
    pub text: String,
    /// In which state.
    pub state: StateFilter,
}

/// A page of subscriptions, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionPage {
    /// Those that were found.
    pub items: Vec<SubscriptionRecord>,
    /// From where to look on; `None` when all were looked at.
    pub next: Option<i64>,
}

/// Verbs on subscriptions.
#[async_trait]
pub trait SubscriptionStore {
    /// Registers the subscription: an upsert on the endpoint within the app, whatever the plan.
    async fn register_subscription(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError>;

    /// Registers the subscription likewise, but a new endpoint only while the app has fewer active subscriptions than
    /// [`hato_domain::Plan::max_subscriptions`] of the stored plan (SPEC 4.2).
    async fn register_within_limit(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError>;

    /// Deactivates the app's subscription with this endpoint, if it is there and active (CONTRACT 5).
    async fn unsubscribe(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        now: UnixMillis,
    ) -> Result<(), StoreError>;

    /// A page of at most `limit` of the app's subscriptions that `filter` lets through, from `before` on. A search looks
    /// at so many subscriptions at a time and no more, so a page may hold few, or none, and still have a next one.
    async fn subscriptions_of(
        &self,
        app: &AppId,
        filter: &SubscriptionFilter,
        before: Option<i64>,
        limit: i64,
    ) -> Result<SubscriptionPage, StoreError>;

    /// Removes the subscription and its record; `false` when the app has no such subscription.
    async fn remove_subscription(
        &self,
        app: &AppId,
        subscription: &SubscriptionId,
    ) -> Result<bool, StoreError>;
}
