//! Statistics of an app: what it is now, and what it sent by day.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};
use hato_service::ports::{DayCounts, StatsPeriod, StatsRecord, StatsStore, StoreError};

use crate::Database;
use crate::accounts::parse_plan;
use crate::dialect::readers;
use crate::error::with_context;

#[async_trait]
impl StatsStore for Database {
    async fn stats(
        &self,
        app: &AppId,
        period: StatsPeriod,
    ) -> Result<Option<StatsRecord>, StoreError> {
        read(self, app, period)
            .await
            .map_err(with_context("count what an app sent"))
    }
}

async fn read(
    database: &Database,
    app: &AppId,
    period: StatsPeriod,
) -> sqlx::Result<Option<StatsRecord>> {
    let Some(totals) = app_totals(database, app, period).await? else {
        return Ok(None);
    };
    let days = days(database, app, period).await?;
    Ok(Some(StatsRecord {
        plan: parse_plan(&totals.plan)?,
        active: totals.active_subscriptions,
        deactivated: totals.deactivated_subscriptions,
        month_recipients: totals.month_recipients,
        total_sent: days.iter().map(|day| day.sent).sum(),
        total_failed: days.iter().map(|day| day.failed).sum(),
        total_displayed: days.iter().map(|day| day.displayed).sum(),
        total_clicked: days.iter().map(|day| day.clicked).sum(),
        total_dismissed: days.iter().map(|day| day.dismissed).sum(),
        total_sends: days.iter().map(|day| day.sends).sum(),
        had_key: totals.had_key,
        had_subscriber: totals.had_subscriber,
        scheduled: totals.scheduled,
        next_due_at: totals.next_due_at.map(UnixMillis),
        days: days
            .into_iter()
            .filter(|day| day.day >= period.first_day)
            .collect(),
    }))
}

/// Totals of an app and its account.
struct AppTotalsRow {
    plan: String,
    active_subscriptions: i64,
    deactivated_subscriptions: i64,
    month_recipients: i64,
    had_key: bool,
    had_subscriber: bool,
    scheduled: i64,
    next_due_at: Option<i64>,
}

async fn app_totals(
    database: &Database,
    app: &AppId,
    period: StatsPeriod,
) -> sqlx::Result<Option<AppTotalsRow>> {
    sqlx::query_as!(
        AppTotalsRow,
        r#"SELECT a.plan, p.active_subscriptions,
                  p.deactivated_subscriptions,
                  COALESCE((SELECT u.recipients FROM monthly_usage AS u
                            WHERE u.account_id = p.account_id AND u.month = $2), 0)
                  AS "month_recipients!: i64",
                  EXISTS (SELECT 1 FROM key_events AS k WHERE k.app_id = p.id) AS "had_key!: bool",
                  p.last_position > 0 AS "had_subscriber!: bool",
                  (SELECT COUNT(*) FROM sends AS s
                   WHERE s.app_id = p.id AND s.waits_until IS NOT NULL) AS "scheduled!: i64",
                  (SELECT MIN(s.waits_until) FROM sends AS s
                   WHERE s.app_id = p.id AND s.waits_until IS NOT NULL) AS "next_due_at?: i64"
           FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
           WHERE p.id = $1 AND p.deleted_at IS NULL"#,
        app.as_str(),
        period.month.0
    )
    .fetch_optional(readers(database))
    .await
}

/// The counts of each day of the period, and those of all earlier days as one, so that all are of the same moment.
async fn days(
    database: &Database,
    app: &AppId,
    period: StatsPeriod,
) -> sqlx::Result<Vec<DayCounts>> {
    sqlx::query_as!(
        DayCounts,
        r#"SELECT CASE WHEN day < $2 THEN CAST($2 AS BIGINT) - 1 ELSE day END AS "day!: i64",
                  CAST(SUM(sends) AS BIGINT) AS "sends!: i64",
                  CAST(SUM(sent) AS BIGINT) AS "sent!: i64",
                  CAST(SUM(failed) AS BIGINT) AS "failed!: i64",
                  CAST(SUM(displayed) AS BIGINT) AS "displayed!: i64",
                  CAST(SUM(clicked) AS BIGINT) AS "clicked!: i64",
                  CAST(SUM(dismissed) AS BIGINT) AS "dismissed!: i64"
           FROM daily_counts WHERE app_id = $1 GROUP BY 1 ORDER BY 1"#,
        app.as_str(),
        period.first_day
    )
    .fetch_all(readers(database))
    .await
}
