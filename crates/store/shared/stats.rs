//! Statistics of an app: what it is now, what it sent by day, and who came and went.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{
    ActivePositions, DayCounts, DayGrowth, SampledDevice, StatsPeriod, StatsRecord, StatsStore,
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
        let stats = read(self, app, period).await;
        stats.map_err(with_context("count what an app sent"))
    }

    async fn sampled_devices(
        &self,
        app: &AppId,
        positions: ActivePositions,
    ) -> Result<Option<Vec<SampledDevice>>, StoreError> {
        let sampled = sampled_devices(self, app, positions).await;
        sampled.map_err(with_context("look at an app's subscriptions"))
    }
}

async fn read(
    database: &Database,
    app: &AppId,
    period: StatsPeriod,
) -> sqlx::Result<Option<StatsRecord>> {
    let rows = rows(database, app, period).await?;
    let Some(totals) = rows.first() else {
        return Ok(None);
    };
    let total = |count: fn(&StatsRow) -> i64| rows.iter().map(count).sum();
    let told = || rows.iter().filter(|row| row.day >= period.first_day);
    Ok(Some(StatsRecord {
        plan: parse_plan(&totals.plan)?,
        active: totals.active_subscriptions,
        deactivated: totals.deactivated_subscriptions,
        month_recipients: totals.month_recipients,
        total_sent: total(|row| row.sent),
        total_failed: total(|row| row.failed),
        total_displayed: total(|row| row.displayed),
        total_clicked: total(|row| row.clicked),
        total_dismissed: total(|row| row.dismissed),
        total_sends: total(|row| row.sends),
        had_key: totals.had_key,
        last_position: totals.last_position,
        scheduled: totals.scheduled,
        next_due_at: totals.next_due_at.map(UnixMillis),
        days: told().filter_map(StatsRow::counts).collect(),
        growth: told().filter_map(StatsRow::growth).collect(),
    }))
}

/// What an app and its account are, and with it the counts of a day.
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
    /// What was sent on the day, if anything was.
    fn counts(&self) -> Option<DayCounts> {
        (self.sends > 0).then_some(DayCounts {
            day: self.day,
            sends: self.sends,
            sent: self.sent,
            failed: self.failed,
            displayed: self.displayed,
            clicked: self.clicked,
            dismissed: self.dismissed,
        })
    }

    /// Who came and went on the day, if anybody did.
    fn growth(&self) -> Option<DayGrowth> {
        (self.gained + self.lost > 0).then_some(DayGrowth {
            day: self.day,
            gained: self.gained,
            lost: self.lost,
        })
    }
}

/// The counts of each day of the period, and those of all earlier days as one, so that all are of the same moment: one row at least,
/// unless the app is gone.
async fn rows(
    database: &Database,
    app: &AppId,
    period: StatsPeriod,
) -> sqlx::Result<Vec<StatsRow>> {
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
           counted AS
             (SELECT day, sends, sent, failed, displayed, clicked, dismissed, 0 AS gained, 0 AS lost
              FROM daily_counts WHERE app_id = $1
              UNION ALL
              SELECT day, 0, 0, 0, 0, 0, 0, gained, lost FROM daily_subscribers WHERE app_id = $1),
           days AS MATERIALIZED
             (SELECT CASE WHEN day < $3 THEN CAST($3 AS BIGINT) - 1 ELSE day END AS day,
                     SUM(sends) AS sends, SUM(sent) AS sent, SUM(failed) AS failed,
                     SUM(displayed) AS displayed, SUM(clicked) AS clicked,
                     SUM(dismissed) AS dismissed, SUM(gained) AS gained, SUM(lost) AS lost
              FROM counted GROUP BY 1)
           SELECT plan AS "plan!", active_subscriptions AS "active_subscriptions!: i64",
                  deactivated_subscriptions AS "deactivated_subscriptions!: i64",
                  last_position AS "last_position!: i64",
                  CAST(month_recipients AS BIGINT) AS "month_recipients!: i64",
                  had_key AS "had_key!: bool", CAST(scheduled AS BIGINT) AS "scheduled!: i64",
                  next_due_at AS "next_due_at?: i64",
                  COALESCE(day, CAST($3 AS BIGINT) - 1) AS "day!: i64",
                  CAST(COALESCE(sends, 0) AS BIGINT) AS "sends!: i64",
                  CAST(COALESCE(sent, 0) AS BIGINT) AS "sent!: i64",
                  CAST(COALESCE(failed, 0) AS BIGINT) AS "failed!: i64",
                  CAST(COALESCE(displayed, 0) AS BIGINT) AS "displayed!: i64",
                  CAST(COALESCE(clicked, 0) AS BIGINT) AS "clicked!: i64",
                  CAST(COALESCE(dismissed, 0) AS BIGINT) AS "dismissed!: i64",
                  CAST(COALESCE(gained, 0) AS BIGINT) AS "gained!: i64",
                  CAST(COALESCE(lost, 0) AS BIGINT) AS "lost!: i64"
           FROM totals LEFT JOIN days ON TRUE ORDER BY day"#,
        app.as_str(),
        period.month.0,
        period.first_day
    )
    .fetch_all(readers(database))
    .await
}
