//! The locks of a group of sends in which several apps take part.
//!
//! A send locks its app, the window in which the app's sends are counted, the account's month and the app's day, in this order. A
//! group takes all of them at the beginning, in the same order and that of the apps: otherwise one that has come from an app's day to
//! the next app would wait for a process that holds that app and waits for the month. What has no row yet cannot be locked; where
//! two processes meet there, PostgreSQL undoes one, which is run again.

use hato_domain::UnixMillis;
use hato_service::ports::NewSend;

use crate::connection::DbConnection;
use crate::dialect::sql;
use crate::error::json;

/// Locks what the sends, all of one account, are going to change; nothing when they are of one app.
pub(crate) async fn lock_apps(c: &mut DbConnection, sends: &[NewSend]) -> sqlx::Result<()> {
    let mut apps: Vec<&str> = sends.iter().map(|send| send.app_id.as_str()).collect();
    apps.sort_unstable();
    apps.dedup();
    let first = sends.iter().min_by_key(|send| send.now);
    let Some(first) = first.filter(|_| apps.len() > 1) else {
        return Ok(());
    };
    let apps = json(&apps)?;
    keep_apps(c, &apps).await?;
    if sends.iter().any(|send| send.max_per_minute.is_some()) {
        lock_windows(c, &apps).await?;
    }
    lock_months(c, first).await?;
    lock_days(c, &apps, first.now).await
}

async fn keep_apps(c: &mut DbConnection, apps: &str) -> sqlx::Result<()> {
    sql!(query ["SELECT FROM apps WHERE id IN (" TEXTS ") ORDER BY id FOR KEY SHARE"] apps)
        .execute(c)
        .await
        .map(drop)
}

async fn lock_windows(c: &mut DbConnection, apps: &str) -> sqlx::Result<()> {
    sql!(query [
        "SELECT FROM send_windows WHERE app_id IN (" TEXTS ") ORDER BY app_id FOR NO KEY UPDATE"
    ] apps)
    .execute(c)
    .await
    .map(drop)
}

/// There may be two, when a group has begun before midnight.
async fn lock_months(c: &mut DbConnection, first: &NewSend) -> sqlx::Result<()> {
    sqlx::query!(
        "SELECT FROM monthly_usage WHERE account_id = $1 AND month >= $2
         ORDER BY month FOR NO KEY UPDATE",
        first.account_id.as_str(),
        first.month.0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn lock_days(c: &mut DbConnection, apps: &str, first: UnixMillis) -> sqlx::Result<()> {
    sql!(query [
        "SELECT FROM daily_counts WHERE app_id IN (" TEXTS ") AND day >= $2
         ORDER BY app_id, day FOR NO KEY UPDATE"
    ] apps, first.day_number())
    .execute(c)
    .await
    .map(drop)
}
