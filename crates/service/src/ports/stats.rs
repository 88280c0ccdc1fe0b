//! What statistics need of the store.

use async_trait::async_trait;
use hato_domain::{AppId, Month, Plan, TimeZoneOffsets, UnixMillis};

use super::StoreError;

/// The days of which [`StatsStore::stats`] tells, by their numbers ([`hato_domain::UnixMillis::day_number`]), and the month.
#[derive(Clone, Copy, Debug)]
pub struct StatsPeriod {
    /// The first day told one by one.
    pub first_day: i64,
    /// The month of which the account's count is told.
    pub month: Month,
}

/// The days of a clock of which [`StatsStore::overview`] tells, by their numbers ([`TimeZoneOffsets::day_number`]), and the month.
#[derive(Clone, Copy, Debug)]
pub struct OverviewPeriod {
    /// The first day told one by one.
    pub first_day: i64,
    /// Whose days these are.
    pub zone: TimeZoneOffsets,
    /// The month of which the account's count is told.
    pub month: Month,
}

/// What an app sent on one UTC day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayCounts {
    /// The number of the day on which the sends were accepted.
    pub day: i64,
    /// How many sends were accepted on the day.
    pub sends: i64,
    /// How many of their recipients were reached.
    pub sent: i64,
    /// How many of their recipients finally failed.
    pub failed: i64,
    /// How many of their recipients reported that it was displayed.
    pub displayed: i64,
    /// How many of their recipients clicked it.
    pub clicked: i64,
    /// How many of their recipients closed it without a click.
    pub dismissed: i64,
}

/// What became of an app's sends, and who came and went, on one day of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalDayCounts {
    /// The number of the day, on which the sends were accepted.
    pub day: i64,
    /// How many of their recipients were reached.
    pub sent: i64,
    /// How many of their recipients finally failed.
    pub failed: i64,
    /// How many of their recipients reported that it was displayed.
    pub displayed: i64,
    /// How many of their recipients clicked it.
    pub clicked: i64,
    /// How many of their recipients closed it without a click.
    pub dismissed: i64,
    /// How many browsers subscribed, or came back.
    pub gained: i64,
    /// How many unsubscribed, expired, were replaced or were removed.
    pub lost: i64,
}

/// What tells which browser an active subscription is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledDevice {
    /// The endpoint, whose host tells the push service and so the browser.
    pub endpoint: String,
    /// What the client called itself.
    pub platform: Option<String>,
}

/// An app's statistics as they are stored, with what `Day` tells of a day.
#[derive(Clone, Debug)]
pub struct StatsRecord<Day = DayCounts> {
    /// The plan of the app's account.
    pub plan: Plan,
    /// How many subscriptions are active.
    pub active: i64,
    /// How many deactivated subscriptions are still kept.
    pub deactivated: i64,
    /// How many recipients count toward the account's plan in the month.
    pub month_recipients: i64,
    /// How many recipients the app has ever reached.
    pub total_sent: i64,
    /// How many recipients of the app ever failed finally.
    pub total_failed: i64,
    /// How many recipients have ever reported that a notification was displayed.
    pub total_displayed: i64,
    /// How many recipients ever clicked one.
    pub total_clicked: i64,
    /// How many recipients ever closed one without a click.
    pub total_dismissed: i64,
    /// How many sends of the app were ever accepted.
    pub total_sends: i64,
    /// Whether the app ever had an API key.
    pub had_key: bool,
    /// The last position that the app has given away; 0 when nobody ever subscribed to it.
    pub last_position: i64,
    /// How many sends wait for their time.
    pub scheduled: i64,
    /// When the first of these is due.
    pub next_due_at: Option<UnixMillis>,
    /// The days from the first one told, oldest first, without those on which nothing was counted.
    pub days: Vec<Day>,
}

/// What the store tells of an app in numbers.
#[async_trait]
pub trait StatsStore {
    /// The app's statistics; `None` when there is no such app any more.
    async fn stats(
        &self,
        app: &AppId,
        period: StatsPeriod,
    ) -> Result<Option<StatsRecord>, StoreError>;

    /// The same with days of a clock, of the last 99 at most; `None` when there is no such app any more.
    async fn overview(
        &self,
        app: &AppId,
        period: OverviewPeriod,
    ) -> Result<Option<StatsRecord<LocalDayCounts>>, StoreError>;

    /// What the app's `active` subscriptions are: all of them, or of more than 1,000 about so many, evenly spread. `None` when others read
    /// so long that there was no time for it.
    async fn sampled_devices(
        &self,
        app: &AppId,
        active: i64,
    ) -> Result<Option<Vec<SampledDevice>>, StoreError>;
}
