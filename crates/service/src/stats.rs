//! Statistics of an app (CONTRACT 4).

use std::time::Duration;

use hato_domain::wire::{DailyStats, Stats};
use hato_domain::{ErrorCode, LocalDay, TimeZoneOffsets, UnixMillis};

use crate::access::MayManage;
use crate::ports::{
    DayCounts, LocalDayCounts, OverviewPeriod, SampledDevice, StatsPeriod, StatsRecord,
};
use crate::{Service, ServiceResult};

/// How many days the API tells one by one, today included.
const DAYS: i64 = 30;

/// How long it is known in which quarter of an hour something was counted: longer than any chart looks back.
pub const RECENT_COUNTS_TTL: Duration = Duration::from_hours(100 * 24);

/// What became of an app's sends, and how its audience grew or shrank, on one day of a visitor's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverviewDay {
    /// The day on which the sends were accepted.
    pub day: LocalDay,
    /// How many of their recipients were reached.
    pub sent: i64,
    /// How many of their recipients finally failed.
    pub failed: i64,
    /// How many of their recipients reported that it was displayed.
    pub displayed: i64,
    /// How many of their recipients clicked it.
    pub clicked: i64,
    /// How many browsers subscribed, or came back.
    pub gained: i64,
    /// How many were active and are no more.
    pub lost: i64,
    /// How many were active at the end of the day.
    pub active: i64,
}

/// How an app stands, for its owner's first look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppOverview {
    /// Every day of the period, oldest first; the last one is today.
    pub days: Vec<OverviewDay>,
    /// How many subscriptions are active.
    pub active_subscribers: i64,
    /// How many deactivated subscriptions are still kept.
    pub deactivated_subscribers: i64,
    /// How many recipients the app has ever reached.
    pub total_sent: i64,
    /// How many recipients have ever reported that a notification was displayed.
    pub total_displayed: i64,
    /// How many recipients ever clicked one.
    pub total_clicked: i64,
    /// How many recipients count toward the account's plan in this UTC month.
    pub monthly_sent: i64,
    /// How many may; `None` for any number.
    pub monthly_limit: Option<i64>,
    /// Whether the app ever had an API key.
    pub had_key: bool,
    /// Whether anybody ever subscribed to the app.
    pub had_subscriber: bool,
    /// Whether the app has ever sent.
    pub has_sent: bool,
    /// How many sends wait for their time.
    pub scheduled: i64,
    /// When the first of these is due.
    pub next_due_at: Option<UnixMillis>,
}

impl Service {
    /// How many subscribe, and what was sent to them: ever, this month and on each of the last 30 days (UTC).
    pub async fn stats(&self, access: &MayManage) -> ServiceResult<Stats> {
        let now = self.clock.now();
        let period = StatsPeriod {
            first_day: now.day_number() - DAYS + 1,
            month: now.month(),
        };
        let record = self.store.stats(access.app(), period).await?;
        Ok(to_stats(&record.ok_or(ErrorCode::NotFound)?, period))
    }

    /// How the app stands, what it came to on each of the last `days` days of a clock, and how far its owner has come.
    pub async fn overview(
        &self,
        access: &MayManage,
        days: i64,
        zone: TimeZoneOffsets,
    ) -> ServiceResult<AppOverview> {
        let now = self.clock.now();
        let period = OverviewPeriod {
            first_day: zone.day_number(now) - days + 1,
            zone,
            month: now.month(),
        };
        let record = self.store.overview(access.app(), period).await?;
        let record = record.ok_or(ErrorCode::NotFound)?;
        Ok(to_overview(&record, overview_days(&record, period, days)))
    }

    /// What the app's `active` subscriptions are, or a part of them that stands for all; `None` when there is no time to look.
    pub async fn sampled_devices(
        &self,
        access: &MayManage,
        active: i64,
    ) -> ServiceResult<Option<Vec<SampledDevice>>> {
        match self.heavy_reads.permit(access.account()).await {
            Some(_permit) => Ok(self.store.sampled_devices(access.app(), active).await?),
            None => Ok(None),
        }
    }
}

fn to_stats(record: &StatsRecord, period: StatsPeriod) -> Stats {
    Stats {
        daily: daily(&record.days, period.first_day),
        active_subscribers: record.active,
        deactivated_subscribers: record.deactivated,
        total_sent: record.total_sent,
        total_failed: record.total_failed,
        total_displayed: record.total_displayed,
        total_clicked: record.total_clicked,
        total_dismissed: record.total_dismissed,
        monthly_sent: record.month_recipients,
        monthly_limit: record.plan.max_monthly_recipients(),
        month_resets_at: period.month.end(),
    }
}

/// Every day of the period, with zeros for those on which nothing was sent.
fn daily(days: &[DayCounts], first: i64) -> Vec<DailyStats> {
    let day = |number| {
        let counted = days.iter().find(|day| day.day == number);
        DailyStats {
            date: UnixMillis::from_day_number(number).day(),
            sends: counted.map_or(0, |day| day.sends),
            sent: counted.map_or(0, |day| day.sent),
            failed: counted.map_or(0, |day| day.failed),
            displayed: counted.map_or(0, |day| day.displayed),
            clicked: counted.map_or(0, |day| day.clicked),
            dismissed: counted.map_or(0, |day| day.dismissed),
        }
    };
    (first..first + DAYS).map(day).collect()
}

fn to_overview(record: &StatsRecord<LocalDayCounts>, days: Vec<OverviewDay>) -> AppOverview {
    AppOverview {
        days,
        active_subscribers: record.active,
        deactivated_subscribers: record.deactivated,
        total_sent: record.total_sent,
        total_displayed: record.total_displayed,
        total_clicked: record.total_clicked,
        monthly_sent: record.month_recipients,
        monthly_limit: record.plan.max_monthly_recipients(),
        had_key: record.had_key,
        had_subscriber: record.last_position > 0,
        has_sent: record.total_sends > 0,
        scheduled: record.scheduled,
        next_due_at: record.next_due_at,
    }
}

/// Every day of the period. How many were active at the end of each follows from how many are now.
fn overview_days(
    record: &StatsRecord<LocalDayCounts>,
    period: OverviewPeriod,
    count: i64,
) -> Vec<OverviewDay> {
    let mut active = record.active;
    let day = |number| {
        let counted = record.days.iter().find(|day| day.day == number);
        let count = |of: fn(&LocalDayCounts) -> i64| counted.map_or(0, of);
        let (gained, lost) = (count(|day| day.gained), count(|day| day.lost));
        let at_end = active;
        active = (active - gained + lost).max(0);
        OverviewDay {
            day: period.zone.day(number),
            sent: count(|day| day.sent),
            failed: count(|day| day.failed),
            displayed: count(|day| day.displayed),
            clicked: count(|day| day.clicked),
            gained,
            lost,
            active: at_end,
        }
    };
    let numbers = period.first_day..period.first_day + count;
    let mut days: Vec<_> = numbers.rev().map(day).collect();
    days.reverse();
    days
}
