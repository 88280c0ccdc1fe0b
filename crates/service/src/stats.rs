//! Statistics of an app (CONTRACT 4).

use hato_domain::wire::{DailyStats, Stats};
use hato_domain::{ErrorCode, UnixMillis};

use crate::access::MayManage;
use crate::ports::{DayCounts, StatsPeriod, StatsRecord};
use crate::{Service, ServiceResult};

/// How many days the API tells one by one, today included.
const DAYS: i64 = 30;

/// How an app stands, for its owner's first look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppOverview {
    /// The statistics as the API tells them.
    pub stats: Stats,
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
            had_subscriber: record.had_subscriber,
            has_sent: record.total_sends > 0,
            scheduled: record.scheduled,
            next_due_at: record.next_due_at,
        })
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
