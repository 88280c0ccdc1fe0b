//! What an app's recent sends came to, and who came and went, by quarter of an hour: the days of any time zone are sums of these.

use hato_domain::UnixMillis;

use crate::dialect::DbConnection;

/// Recipients of a send of whom it is known what became of them, or what they did.
#[derive(Default)]
pub(crate) struct RecentCounts {
    pub(crate) sent: i64,
    pub(crate) failed: i64,
    pub(crate) displayed: i64,
    pub(crate) clicked: i64,
    pub(crate) dismissed: i64,
}

/// Adds to the quarter in which the send was due. The caller has counted on its day, whose lock orders those who count here.
pub(crate) async fn add_to_quarter(
    c: &mut DbConnection,
    app: &str,
    due_at: UnixMillis,
    counts: &RecentCounts,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO recent_counts (app_id, quarter, sent, failed, displayed, clicked, dismissed)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (app_id, quarter) DO UPDATE
         SET sent = recent_counts.sent + excluded.sent,
             failed = recent_counts.failed + excluded.failed,
             displayed = recent_counts.displayed + excluded.displayed,
             clicked = recent_counts.clicked + excluded.clicked,
             dismissed = recent_counts.dismissed + excluded.dismissed",
        app,
        due_at.quarter_number(),
        counts.sent,
        counts.failed,
        counts.displayed,
        counts.clicked,
        counts.dismissed
    )
    .execute(c)
    .await
    .map(drop)
}

/// Adds how many active subscriptions the app gained and lost now. The caller has locked the app.
pub(crate) async fn add_growth_to_quarter(
    c: &mut DbConnection,
    app: &str,
    now: UnixMillis,
    (gained, lost): (i64, i64),
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO recent_subscribers (app_id, quarter, gained, lost) VALUES ($1, $2, $3, $4)
         ON CONFLICT (app_id, quarter) DO UPDATE
         SET gained = recent_subscribers.gained + excluded.gained,
             lost = recent_subscribers.lost + excluded.lost",
        app,
        now.quarter_number(),
        gained,
        lost
    )
    .execute(c)
    .await
    .map(drop)
}
