//! The locks that sends take before anything else: those of idempotency keys and of the number of scheduled sends, and the locks of a
//! group of sends in which several apps take part.
//!
//! A send locks its app, the window in which the app's sends are counted, the account's month and the app's day, in this order. A
//! group takes all of them at the beginning, in the same order and that of the apps: otherwise one that has come from an app's day to
//! the next app would wait for a process that holds that app and waits for the month. What has no row yet cannot be locked; where
//! two processes meet there, PostgreSQL undoes one, which is run again.

use hato_domain::UnixMillis;
use hato_service::ports::NewSend;

use crate::connection::DbConnection;
use crate::dialect::{request_name, sql};
use crate::error::json;

/// Takes the same locks for all of these before anything else, in an order that is the same everywhere: who takes several one by
/// one, with other locks in between, could wait for somebody who waits for them. Scheduled sends of an app are counted one after the
/// other, so that no two of them find the last place.
pub(crate) async fn lock_requests(c: &mut DbConnection, sends: &[NewSend]) -> sqlx::Result<()> {
    let requests = sends.iter().filter_map(|send| {
        let request = send.idempotency.as_ref()?;
        Some(request_name(
            &send.app_id,
            request.path,
            request.key.as_str(),
        ))
    });
    let mut names: Vec<String> = requests.collect();
    let scheduled = sends.iter().filter(|it| it.schedule.send_at().is_some());
    let scheduled = scheduled.map(|send| format!("scheduled {}", send.app_id.as_str()));
    let before = names.len();
    names.extend(scheduled);
    let is_alone = sends.len() < 2 && names.len() == before;
    if is_alone || names.is_empty() {
        return Ok(());
    }
    names.sort_unstable();
    sql!(query [
        "SELECT FROM (" TEXTS ") AS requests (name)
         CROSS JOIN LATERAL pg_advisory_xact_lock(hashtextextended(name, 0))"
    ] json(&names)?)
    .execute(c)
    .await
    .map(drop)
}

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
        first.now.month().0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn lock_days(c: &mut DbConnection, apps: &str, first: UnixMillis) -> sqlx::Result<()> {
    let locked = sql!(query [
        "SELECT FROM daily_counts WHERE app_id IN (" TEXTS ") AND day >= $2
         ORDER BY app_id, day FOR NO KEY UPDATE"
    ] apps, first.day_number());
    locked.execute(c).await.map(drop)
}
