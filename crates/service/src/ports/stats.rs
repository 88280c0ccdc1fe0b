//! Statistics of an app in the store.

use async_trait::async_trait;
use hato_domain::{AppId, Month, Plan};

use super::StoreError;

/// The days of which [`StatsStore::stats`] tells, by their numbers ([`hato_domain::UnixMillis::day_number`]), and the month.
#[derive(Clone, Copy, Debug)]
pub struct StatsPeriod {
    /// The first day told one by one.
    pub first_day: i64,
    /// The month of which the account's count is told.
    pub month: Month,
}

/// What an app sent on one UTC day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayCounts {
    /// The number of the day on which the sends were accepted.
    pub day: i64,
    /// Sends accepted.
    pub sends: i64,
    /// Their recipients reached.
    pub sent: i64,
    /// Their recipients that finally failed.
    pub failed: i64,
}

/// An app's statistics as they are stored.
#[derive(Clone, Debug)]
pub struct StatsRecord {
    /// The account's plan.
    pub plan: Plan,
    /// Active subscriptions.
    pub active: i64,
    /// Deactivated subscriptions that are kept.
    pub deactivated: i64,
    /// What counts toward the account's plan in the month.
    pub month_recipients: i64,
    /// Recipients ever reached.
    pub total_sent: i64,
    /// Recipients that finally failed, ever.
    pub total_failed: i64,
    /// Sends ever accepted.
    pub total_sends: i64,
    /// Whether it ever had an API key.
    pub had_key: bool,
    /// Whether anybody ever subscribed.
    pub had_subscriber: bool,
    /// The days from the first one told, oldest first, without those on which nothing was sent.
    pub days: Vec<DayCounts>,
}

/// The verb on statistics.
#[async_trait]
pub trait StatsStore {
    /// The app's statistics; `None` when there is no such app any more.
    async fn stats(
        &self,
        app: &AppId,
        period: StatsPeriod,
    ) -> Result<Option<StatsRecord>, StoreError>;
}
