//! The jobs that may be claimed: which of them comes next, and when there will be one.

use hato_domain::AppId;
use hato_service::ports::PageClaimRequest;

use crate::dialect::{DbConnection, sql};
use crate::error::json;

/// How many jobs are looked at in the order of their time for one of another app, before that is looked for app by app. Where ten thousand
/// apps wait for a retry, going through them took PostgreSQL 150 ms.
const LOOKED_AT: i64 = 256;

/// A job that may be claimed.
pub(crate) struct DueJob {
    pub(crate) id: i64,
    pub(crate) app_id: String,
}

/// The job that has been due longest, is not held, and that nobody else is claiming.
pub(crate) async fn first_due(
    c: &mut DbConnection,
    request: &PageClaimRequest,
) -> sqlx::Result<Option<DueJob>> {
    let now = request.now.0;
    if !request.excluded_apps.is_empty() {
        let excluded_apps = app_ids(&request.excluded_apps)?;
        return match due_of_others(c, &excluded_apps, i64::MIN, now).await? {
            OthersDue::From(_, last) => match first_due_in_order(c, &excluded_apps, last).await? {
                // Somebody else is claiming those that were seen.
                None => first_due_app_by_app(c, &excluded_apps, now).await,
                first => Ok(first),
            },
            OthersDue::Never => Ok(None),
            OthersDue::Unknown => first_due_app_by_app(c, &excluded_apps, now).await,
        };
    }
    sql!(query_as DueJob [
        r#"SELECT id AS "id!", app_id AS "app_id!" FROM jobs WHERE held = 0 AND due_at <= $1
           ORDER BY due_at, id LIMIT 1"# SKIP_LOCKED
    ] now)
    .fetch_optional(c)
    .await
}

/// When a job of others than the excluded apps is due.
enum OthersDue {
    /// The first of those that were looked at, and when the last of these is.
    From(i64, i64),
    Never,
    /// Too many jobs of the excluded ones come before.
    Unknown,
}

/// When the first job of others is due after one time and up to another, as the first jobs of that time show.
async fn due_of_others(
    c: &mut DbConnection,
    excluded_apps: &str,
    after: i64,
    until: i64,
) -> sqlx::Result<OthersDue> {
    let looked_at = sql!(query [
        r#"SELECT MIN(CASE WHEN app_id NOT IN ("# TEXTS r#") THEN due_at END) AS "first?: i64",
                  MAX(due_at) AS "last?: i64", COUNT(*) AS "count!: i64"
           FROM (SELECT app_id, due_at FROM jobs
                 WHERE held = 0 AND due_at > $2 AND due_at <= $3
                 ORDER BY due_at, id LIMIT $4) AS first_jobs"#
    ] excluded_apps, after, until, LOOKED_AT);
    let looked_at = looked_at.fetch_one(c).await?;
    Ok(match (looked_at.first, looked_at.last) {
        (Some(first), Some(last)) => OthersDue::From(first, last),
        _ if looked_at.count < LOOKED_AT => OthersDue::Never,
        _ => OthersDue::Unknown,
    })
}

/// The first that is due without the apps of a JSON array, up to a time until which there are few jobs.
async fn first_due_in_order(
    c: &mut DbConnection,
    excluded_apps: &str,
    until: i64,
) -> sqlx::Result<Option<DueJob>> {
    sql!(query_as DueJob [
        r#"SELECT id AS "id!", app_id AS "app_id!" FROM jobs
           WHERE held = 0 AND due_at <= $2 AND app_id NOT IN ("# TEXTS r#")
           ORDER BY due_at, id LIMIT 1"# SKIP_LOCKED
    ] excluded_apps, until)
    .fetch_optional(c)
    .await
}

/// The same up to now, however many jobs these have. `waiting` goes from app to app in the index `jobs_by_app`, each step to the smallest
/// id above the last one, and then only the first job of each is looked at: thousands of jobs of an excluded app cost nothing.
async fn first_due_app_by_app(
    c: &mut DbConnection,
    excluded_apps: &str,
    now: i64,
) -> sqlx::Result<Option<DueJob>> {
    sql!(query_as DueJob [
        r#"WITH RECURSIVE waiting (app_id) AS (
             SELECT MIN(app_id) FROM jobs
             UNION ALL
             SELECT (SELECT MIN(j.app_id) FROM jobs AS j WHERE j.app_id > waiting.app_id)
             FROM waiting WHERE waiting.app_id IS NOT NULL
           )
           SELECT id AS "id!", app_id AS "app_id!" FROM jobs
           WHERE due_at <= $2
             AND id IN (SELECT (SELECT j.id FROM jobs AS j
                                WHERE j.app_id = waiting.app_id AND j.held = 0
                                ORDER BY j.due_at, j.id LIMIT 1)
                        FROM waiting WHERE waiting.app_id NOT IN ("# TEXTS r#"))
           ORDER BY due_at, id LIMIT 1"# SKIP_LOCKED
    ] excluded_apps, now)
    .fetch_optional(c)
    .await
}

/// When the next job will be due, after none was found that is. One that is due already is being claimed by somebody else.
pub(crate) async fn next_due(
    c: &mut DbConnection,
    request: &PageClaimRequest,
) -> sqlx::Result<Option<i64>> {
    if !request.excluded_apps.is_empty() {
        let (excluded_apps, now) = (app_ids(&request.excluded_apps)?, request.now.0);
        return match due_of_others(c, &excluded_apps, now, i64::MAX).await? {
            OthersDue::From(first, _) => Ok(Some(first)),
            OthersDue::Never => Ok(None),
            OthersDue::Unknown => next_due_app_by_app(c, &excluded_apps, now).await,
        };
    }
    sqlx::query_scalar!(r#"SELECT MIN(due_at) AS "due_at?: i64" FROM jobs WHERE held = 0"#)
        .fetch_one(c)
        .await
}

/// When the next is due without the apps of a JSON array, as `first_due_app_by_app` finds their jobs, and without what is being claimed.
async fn next_due_app_by_app(
    c: &mut DbConnection,
    excluded_apps: &str,
    now: i64,
) -> sqlx::Result<Option<i64>> {
    sql!(query_scalar [
        r#"WITH RECURSIVE waiting (app_id) AS (
             SELECT MIN(app_id) FROM jobs
             UNION ALL
             SELECT (SELECT MIN(j.app_id) FROM jobs AS j WHERE j.app_id > waiting.app_id)
             FROM waiting WHERE waiting.app_id IS NOT NULL
           )
           SELECT MIN(due_at) AS "due_at?: i64" FROM jobs
           WHERE due_at > $2
             AND id IN (SELECT (SELECT j.id FROM jobs AS j
                                WHERE j.app_id = waiting.app_id AND j.held = 0
                                ORDER BY j.due_at, j.id LIMIT 1)
                        FROM waiting WHERE waiting.app_id NOT IN ("# TEXTS r#"))"#
    ] excluded_apps, now)
    .fetch_one(c)
    .await
}

/// The apps as a statement takes them.
fn app_ids(apps: &[AppId]) -> sqlx::Result<String> {
    let ids: Vec<&str> = apps.iter().map(AppId::as_str).collect();
    json(&ids)
}
