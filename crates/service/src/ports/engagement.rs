//! What counting engagement needs of the store (CONTRACT 15).

use std::collections::BTreeMap;

use async_trait::async_trait;
use hato_domain::{Engagement, SendId, UnixMillis};

use super::{RecipientId, StoreError};

/// What a recipient of a send did, as the holder of a good token reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngagementReport {
    /// The recipient's number in the store.
    pub recipient: RecipientId,
    /// The hour in which the message was made, counted from 1970.
    pub hour: i64,
    /// Whether the notification was displayed, clicked or dismissed.
    pub engagement: Engagement,
    /// The button that was clicked, by the name that the report gave.
    pub action: Option<String>,
}

/// How many recipients of a send did what with the notification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngagementCounts {
    /// Recipients whose browser has shown it.
    pub displayed: i64,
    /// Recipients that clicked it, or one of its buttons.
    pub clicked: i64,
    /// Recipients that closed it without a click.
    pub dismissed: i64,
    /// Recipients by the button that they clicked first.
    pub clicks_by_action: BTreeMap<String, i64>,
}

/// What the store does with engagement.
#[async_trait]
pub trait EngagementStore {
    /// Counts what recipients of the send did, each of them once for each token and kind, whichever process hears of it how often. A
    /// send that is gone, or was finished before the tokens can have been made, counts nothing, and neither does a token that is good no
    /// more at `now`: who was counted may be forgotten.
    async fn count_engagement(
        &self,
        send: &SendId,
        reports: Vec<EngagementReport>,
        now: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Writes an event for the webhook of each app that has an active one, for at most `limit` sends that have counts of which it was
    /// not told, and was told none in the day before `now`. Says whether some may be left.
    async fn queue_engagement_events(
        &self,
        now: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError>;

    /// Forgets which recipients were counted whose messages were made in an hour before `hour`: at most `limit` rows; whether some may
    /// be left.
    async fn forget_engaged(&self, hour: i64, limit: u32) -> Result<bool, StoreError>;
}
