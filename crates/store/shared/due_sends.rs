//! The scheduled sends that are due, by turns of their apps (CONTRACT 14).

use hato_domain::{SendId, UnixMillis};

use crate::Database;
use crate::dialect::readers;

/// At most `limit` of those that are due at `now`: the first of each app, then the second of each, up to the eighth.
///
/// `waiting` goes from app to app in an index, and `taken` from one due send of an app to the next, each step by a look at an index:
/// the thousands that are behind those cost nothing.
pub(crate) async fn find_in_turns(
    database: &Database,
    now: UnixMillis,
    limit: u32,
) -> sqlx::Result<Vec<SendId>> {
    sqlx::query!(
        r#"WITH RECURSIVE waiting (app_id) AS (
             SELECT MIN(app_id) FROM sends WHERE waits_until IS NOT NULL
             UNION ALL
             SELECT (SELECT MIN(s.app_id) FROM sends AS s
                     WHERE s.waits_until IS NOT NULL AND s.app_id > waiting.app_id)
             FROM waiting WHERE waiting.app_id IS NOT NULL
           ), taken (turn, app_id, due_at, id) AS (
             SELECT 1, s.app_id, s.waits_until, s.id FROM waiting CROSS JOIN sends AS s
             WHERE s.id = (SELECT d.id FROM sends AS d
                           WHERE d.app_id = waiting.app_id AND d.waits_until <= $1
                           ORDER BY d.waits_until, d.id LIMIT 1)
             UNION ALL
             SELECT taken.turn + 1, s.app_id, s.waits_until, s.id FROM taken CROSS JOIN sends AS s
             WHERE taken.turn < 8
               AND s.id = (SELECT d.id FROM sends AS d
                           WHERE d.app_id = taken.app_id AND d.waits_until <= $1
                             AND (d.waits_until, d.id) > (taken.due_at, taken.id)
                           ORDER BY d.waits_until, d.id LIMIT 1)
           )
           SELECT taken.id AS "id!" FROM taken CROSS JOIN apps AS p
           WHERE p.id = taken.app_id AND p.deleted_at IS NULL AND p.review_since IS NULL
           ORDER BY taken.turn, taken.due_at, taken.id LIMIT $2"#,
        now.0,
        i64::from(limit)
    )
    .map(|row| SendId::trusted(row.id))
    .fetch_all(readers(database))
    .await
}
