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
pub enum RegisteredSubscription {
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

/// Verbs on subscriptions.
#[async_trait]
pub trait SubscriptionStore {
    /// Registers the subscription: an upsert on the endpoint within the app, whatever the plan.
    async fn register_subscription(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisteredSubscription, StoreError>;

    /// Registers the subscription likewise, but a new endpoint only while the app has fewer active subscriptions than
    /// [`hato_domain::Plan::max_subscriptions`] of the stored plan (SPEC 4.2).
    async fn register_within_limit(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisteredSubscription, StoreError>;

    /// Deactivates the app's subscription with this endpoint, if it is there and active (CONTRACT 5).
    async fn unsubscribe(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        now: UnixMillis,
    ) -> Result<(), StoreError>;
}
