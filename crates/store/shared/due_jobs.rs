//! The jobs that may be claimed: which of them comes next, and when there will be one.

use hato_domain::AppId;
use hato_service::ports::PageClaimRequest;

use crate::dialect::{DbConnection, sql};
use crate::error::json;

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
        return first_due_of_others(c, &app_ids(&request.excluded_apps)?, now).await;
    }
    sql!(query_as DueJob [
        r#"SELECT id AS "id!", app_id AS "app_id!" FROM jobs WHERE held = 0 AND due_at <= $1
           ORDER BY due_at, id LIMIT 1"# SKIP_LOCKED
    ] now)
    .fetch_optional(c)
    .await
}

/// The same without the apps of a JSON array. `waiting` goes from app to app in the index `jobs_by_app`, each step to the smallest
/// id above the last one, and then only the first job of each is looked at: thousands of jobs of an excluded app cost nothing.
async fn first_due_of_others(
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
        let excluded_apps = app_ids(&request.excluded_apps)?;
        return next_due_of_others(c, &excluded_apps, request.now.0).await;
    }
    sqlx::query_scalar!(r#"SELECT MIN(due_at) AS "due_at?: i64" FROM jobs WHERE held = 0"#)
        .fetch_one(c)
        .await
}

/// The same without the apps of a JSON array, as `first_due_of_others` finds their jobs, and without what is being claimed.
async fn next_due_of_others(
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
