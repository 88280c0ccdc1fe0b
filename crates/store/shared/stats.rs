//! Statistics of an app: what it is now, what it sent by day, and who came and went.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{
    DayCounts, LocalDayCounts, OverviewPeriod, SampledDevice, StatsPeriod, StatsRecord, StatsStore,
    StoreError,
};

use crate::Database;
use crate::dialect::readers;
use crate::error::with_context;
use crate::sampled_devices::sampled_devices;
use crate::values::parse_plan;

#[async_trait]
impl StatsStore for Database {
    async fn stats(
        &self,
        app: &AppId,
        period: StatsPeriod,
    ) -> Result<Option<StatsRecord>, StoreError> {
        let rows = rows_by_day(self, app, period).await;
        let stats = rows.and_then(|rows| to_record(&rows, StatsRow::counts));
        stats.map_err(with_context("count what an app sent"))
    }

    async fn overview(
        &self,
        app: &AppId,
        period: OverviewPeriod,
    ) -> Result<Option<StatsRecord<LocalDayCounts>>, StoreError> {
        let rows = rows_by_local_day(self, app, period).await;
        let stats = rows.and_then(|rows| to_record(&rows, StatsRow::local_counts));
        stats.map_err(with_context("count what an app sent recently"))
    }

    async fn sampled_devices(
        &self,
        app: &AppId,
        active: i64,
    ) -> Result<Option<Vec<SampledDevice>>, StoreError> {
        let sampled = sampled_devices(self, app, active).await;
        sampled.map_err(with_context("look at an app's subscriptions"))
    }
}

/// The first row is that of all days.
fn to_record<Day>(
    rows: &[StatsRow],
    counts: fn(&StatsRow) -> Day,
) -> sqlx::Result<Option<StatsRecord<Day>>> {
    let Some((totals, days)) = rows.split_first() else {
        return Ok(None);
    };
    Ok(Some(StatsRecord {
        plan: parse_plan(&totals.plan)?,
        active: totals.active_subscriptions,
        deactivated: totals.deactivated_subscriptions,
        month_recipients: totals.month_recipients,
        total_sent: totals.sent,
        total_failed: totals.failed,
        total_displayed: totals.displayed,
        total_clicked: totals.clicked,
        total_dismissed: totals.dismissed,
        total_sends: totals.sends,
        had_key: totals.had_key,
        last_position: totals.last_position,
        scheduled: totals.scheduled,
        next_due_at: totals.next_due_at.map(UnixMillis),
        days: days.iter().map(counts).collect(),
    }))
}

/// What an app and its account are, and with it the counts of a day, or of all days. What a statement does not tell of a day is 0.
struct StatsRow {
    plan: String,
    active_subscriptions: i64,
    deactivated_subscriptions: i64,
    last_position: i64,
    month_recipients: i64,
    had_key: bool,
    scheduled: i64,
    next_due_at: Option<i64>,
    day: i64,
    sends: i64,
    sent: i64,
    failed: i64,
    displayed: i64,
    clicked: i64,
    dismissed: i64,
    gained: i64,
    lost: i64,
}

impl StatsRow {
    const fn counts(&self) -> DayCounts {
        DayCounts {
            day: self.day,
            sends: self.sends,
            sent: self.sent,
            failed: self.failed,
            displayed: self.displayed,
            clicked: self.clicked,
            dismissed: self.dismissed,
        }
    }

    const fn local_counts(&self) -> LocalDayCounts {
        LocalDayCounts {
            day: self.day,
            sent: self.sent,
            failed: self.failed,
            displayed: self.displayed,
            clicked: self.clicked,
            dismissed: self.dismissed,
            gained: self.gained,
            lost: self.lost,
        }
    }
}

/// What the app `$1` is in the month `$2`, with the counts of all days as those of day -1, and with those of the days that the statement
/// `$days` selects, so that all are of the same moment: one row at least, unless the app is gone.
macro_rules! stats_rows {
    ($days:tt, $($args:tt)*) => {
        sqlx::query_as!(
            StatsRow,
            r#"WITH totals AS MATERIALIZED
                 (SELECT a.plan, p.active_subscriptions, p.deactivated_subscriptions, p.last_position,
                         COALESCE((SELECT u.recipients FROM monthly_usage AS u
                                   WHERE u.account_id = p.account_id AND u.month = $2), 0)
                         AS month_recipients,
                         EXISTS (SELECT 1 FROM key_events AS k WHERE k.app_id = p.id) AS had_key,
                         (SELECT COUNT(*) FROM sends AS s
                          WHERE s.app_id = p.id AND s.waits_until IS NOT NULL) AS scheduled,
                         (SELECT MIN(s.waits_until) FROM sends AS s
                          WHERE s.app_id = p.id AND s.waits_until IS NOT NULL) AS next_due_at
                  FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
                  WHERE p.id = $1 AND p.deleted_at IS NULL),
               days AS MATERIALIZED
                 (SELECT CAST(-1 AS BIGINT) AS day, SUM(sends) AS sends, SUM(sent) AS sent,
                         SUM(failed) AS failed, SUM(displayed) AS displayed,
                         SUM(clicked) AS clicked, SUM(dismissed) AS dismissed,
                         0 AS gained, 0 AS lost
                  FROM daily_counts WHERE app_id = $1
                  UNION ALL "# + $days + r#")
               SELECT plan AS "plan!", active_subscriptions AS "active_subscriptions!: i64",
                      deactivated_subscriptions AS "deactivated_subscriptions!: i64",
                      last_position AS "last_position!: i64",
                      CAST(month_recipients AS BIGINT) AS "month_recipients!: i64",
                      had_key AS "had_key!: bool", CAST(scheduled AS BIGINT) AS "scheduled!: i64",
                      next_due_at AS "next_due_at?: i64", day AS "day!: i64",
                      CAST(COALESCE(sends, 0) AS BIGINT) AS "sends!: i64",
                      CAST(COALESCE(sent, 0) AS BIGINT) AS "sent!: i64",
                      CAST(COALESCE(failed, 0) AS BIGINT) AS "failed!: i64",
                      CAST(COALESCE(displayed, 0) AS BIGINT) AS "displayed!: i64",
                      CAST(COALESCE(clicked, 0) AS BIGINT) AS "clicked!: i64",
                      CAST(COALESCE(dismissed, 0) AS BIGINT) AS "dismissed!: i64",
                      CAST(gained AS BIGINT) AS "gained!: i64",
                      CAST(lost AS BIGINT) AS "lost!: i64"
               FROM totals CROSS JOIN days ORDER BY day"#,
            $($args)*
        )
    };
}

async fn rows_by_day(
    database: &Database,
    app: &AppId,
    period: StatsPeriod,
) -> sqlx::Result<Vec<StatsRow>> {
    stats_rows!(
        "SELECT day, sends, sent, failed, displayed, clicked, dismissed, 0, 0
         FROM daily_counts WHERE app_id = $1 AND day >= $3",
        app.as_str(),
        period.month.0,
        period.first_day
    )
    .fetch_all(readers(database))
    .await
}

/// There are 96 quarters of an hour in a day.
async fn rows_by_local_day(
    database: &Database,
    app: &AppId,
    period: OverviewPeriod,
) -> sqlx::Result<Vec<StatsRow>> {
    let first = period.zone.day(period.first_day).starts_at;
    let [early, middle, late] = period.zone.spans();
    stats_rows!(
        "SELECT (quarter + CASE WHEN quarter < $4 THEN CAST($5 AS BIGINT)
                                WHEN quarter < $6 THEN CAST($7 AS BIGINT)
                                ELSE CAST($8 AS BIGINT) END) / 96,
                0, SUM(sent), SUM(failed), SUM(displayed), SUM(clicked), SUM(dismissed),
                SUM(gained), SUM(lost)
         FROM (SELECT quarter, sent, failed, displayed, clicked, dismissed, 0 AS gained, 0 AS lost
               FROM recent_counts WHERE app_id = $1 AND quarter >= $3
               UNION ALL
               SELECT quarter, 0, 0, 0, 0, 0, gained, lost
               FROM recent_subscribers WHERE app_id = $1 AND quarter >= $3) AS counted
         GROUP BY 1",
        app.as_str(),
        period.month.0,
        first.quarter_number(),
        early.until,
        early.offset,
        middle.until,
        middle.offset,
        late.offset
    )
    .fetch_all(readers(database))
    .await
}
