//! Statistics of an app (CONTRACT 4).

use hato_domain::wire::{DailyStats, Stats};
use hato_domain::{ErrorCode, UnixMillis};

use crate::access::MayManage;
use crate::ports::{ActivePositions, DayCounts, SampledDevice, StatsPeriod, StatsRecord};
use crate::{Service, ServiceResult};

/// How many days the API tells one by one, today included.
const DAYS: i64 = 30;

/// How an app's audience grew or shrank on one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DailyGrowth {
    /// The day, `2026-01-31`.
    pub date: String,
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
    /// The statistics as the API tells them.
    pub stats: Stats,
    /// The same days as those of the statistics.
    pub growth: Vec<DailyGrowth>,
    /// Where the app's subscriptions stand, for [`Service::sampled_devices`].
    pub positions: ActivePositions,
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
        let (record, period) = self.read_stats(access, DAYS).await?;
        Ok(to_stats(&record, period, DAYS))
    }

    /// The app's statistics with each of the last `days` days, and how far its owner has come.
    pub async fn overview(&self, access: &MayManage, days: i64) -> ServiceResult<AppOverview> {
        let (record, period) = self.read_stats(access, days).await?;
        Ok(AppOverview {
            stats: to_stats(&record, period, days),
            had_key: record.had_key,
            growth: daily_growth(&record, period.first_day, days),
            positions: ActivePositions {
                active: record.active,
                last: record.last_position,
            },
            had_subscriber: record.last_position > 0,
            has_sent: record.total_sends > 0,
            scheduled: record.scheduled,
            next_due_at: record.next_due_at,
        })
    }

    /// What the app's active subscriptions are, or a part of them that stands for all; `None` when there is no time to look.
    pub async fn sampled_devices(
        &self,
        access: &MayManage,
        positions: ActivePositions,
    ) -> ServiceResult<Option<Vec<SampledDevice>>> {
        match self.heavy_reads.turn(access.account()).await {
            Some(_turn) => Ok(self.store.sampled_devices(access.app(), positions).await?),
            None => Ok(None),
        }
    }

    async fn read_stats(
        &self,
        access: &MayManage,
        days: i64,
    ) -> ServiceResult<(StatsRecord, StatsPeriod)> {
        let now = self.clock.now();
        let period = StatsPeriod {
            first_day: now.day_number() - days + 1,
            month: now.month(),
        };
        let record = self.store.stats(access.app(), period).await?;
        Ok((record.ok_or(ErrorCode::NotFound)?, period))
    }
}

fn to_stats(record: &StatsRecord, period: StatsPeriod, days: i64) -> Stats {
    Stats {
        daily: daily(&record.days, period.first_day, days),
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
fn daily(days: &[DayCounts], first: i64, count: i64) -> Vec<DailyStats> {
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
    (first..first + count).map(day).collect()
}

/// How many active subscriptions the app gained and lost on the day.
fn change_on(record: &StatsRecord, day: i64) -> (i64, i64) {
    let counted = record.growth.iter().find(|it| it.day == day);
    counted.map_or((0, 0), |it| (it.gained, it.lost))
}

/// Every day of the period. How many were active at the end of each follows from how many are now.
fn daily_growth(record: &StatsRecord, first: i64, count: i64) -> Vec<DailyGrowth> {
    let mut active = record.active;
    let day = |number| {
        let (gained, lost) = change_on(record, number);
        let at_end = active;
        active = (active - gained + lost).max(0);
        DailyGrowth {
            date: UnixMillis::from_day_number(number).day(),
            gained,
            lost,
            active: at_end,
        }
    };
    let mut days: Vec<_> = (first..first + count).rev().map(day).collect();
    days.reverse();
    days
}
