//! Who listens to an app's events as they are written (CONTRACT 16).

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};

use super::{StoreError, WebhookEvent};

/// Most listeners of an app at a time, over all processes (CONTRACT 16).
pub const MAX_LISTENERS: i64 = 4;

/// Most listeners of all apps of an account at a time. Those who come at the same moment do not see each other: it bounds what one
/// account takes of a process, and promises nobody anything.
pub const MAX_ACCOUNT_LISTENERS: i64 = 32;

/// A listener that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerRecord {
    /// By which the store knows it.
    pub id: i64,
    /// The number of the app's last event before it: it hears those that follow.
    pub after: i64,
}

/// Listeners, and the events that are written for them besides the outbox. While an app has none, nothing is written.
///
/// What is written after a listener was added is written for it. The numbers of an app's events are in the order of their commits, so
/// who has read one has missed none before it.
#[async_trait]
pub trait ListenerStore {
    /// Adds a listener until `expires_at`; `None` when the app has [`MAX_LISTENERS`] at `now`, its account
    /// [`MAX_ACCOUNT_LISTENERS`], or the app is gone.
    async fn add_listener(
        &self,
        app: &AppId,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Result<Option<ListenerRecord>, StoreError>;

    /// Moves the end of a listener, unless it has expired at `now`; whether it is still one.
    async fn renew_listener(
        &self,
        listener: ListenerRecord,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Result<bool, StoreError>;

    /// Removes a listener that went away, so that its place is free before it expires.
    async fn remove_listener(&self, listener: ListenerRecord) -> Result<(), StoreError>;

    /// At most `limit` of the app's events with a higher number than `after`, in the order of their numbers.
    async fn listener_events(
        &self,
        app: &AppId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<WebhookEvent>, StoreError>;

    /// Removes at most `limit` events from before `created_before`, and as many listeners that have expired at `now`; whether some may
    /// be left.
    async fn purge_listener_events(
        &self,
        created_before: UnixMillis,
        now: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError>;
}
