//! An app's numbers of active and of deactivated subscriptions, and how they grow by day and quarter of an hour.

use hato_domain::{AppId, UnixMillis};

use crate::dialect::DbConnection;
use crate::recent_counts::add_growth_to_quarter;

/// Counts that so many active subscriptions were deactivated.
pub(crate) async fn count_deactivated(
    c: &mut DbConnection,
    app: &AppId,
    deactivated: u64,
    now: UnixMillis,
) -> sqlx::Result<()> {
    if deactivated == 0 {
        return Ok(());
    }
    let count = i64::try_from(deactivated).unwrap_or(i64::MAX);
    change_counts(c, app.as_str(), (-count, count)).await?;
    count_growth(c, app.as_str(), now, (0, count)).await
}

/// Changes the app's numbers of active and of deactivated subscriptions by so many.
pub(crate) async fn change_counts(
    c: &mut DbConnection,
    app: &str,
    (active, deactivated): (i64, i64),
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE apps SET active_subscriptions = active_subscriptions + $2,
                         deactivated_subscriptions = deactivated_subscriptions + $3
         WHERE id = $1",
        app,
        active,
        deactivated
    )
    .execute(c)
    .await
    .map(drop)
}

/// Counts on the day of `now`, and in its quarter of an hour, how many active subscriptions the app gained and lost. The caller has locked
/// the app.
pub(crate) async fn count_growth(
    c: &mut DbConnection,
    app: &str,
    now: UnixMillis,
    (gained, lost): (i64, i64),
) -> sqlx::Result<()> {
    if (gained, lost) == (0, 0) {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO daily_subscribers (app_id, day, gained, lost) VALUES ($1, $2, $3, $4)
         ON CONFLICT (app_id, day) DO UPDATE
         SET gained = daily_subscribers.gained + excluded.gained,
             lost = daily_subscribers.lost + excluded.lost",
        app,
        now.day_number(),
        gained,
        lost
    )
    .execute(&mut *c)
    .await?;
    add_growth_to_quarter(c, app, now, (gained, lost)).await
}
