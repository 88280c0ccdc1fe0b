//! Reach: what finished sends tell of who took them (`ReachBlock`), taken over from them in the background.
//!
//! Nothing is written for each delivery. A finished send was taken by everybody whom it was for (`Included`) but those who failed: they
//! have left a dead letter, or stand in `send_missed`; who is no longer subscribed has no position to ask for. A send that was cancelled,
//! or of whose failures an earlier version has not recorded all, tells nothing of anybody.

#[path = "reach/large_sends.rs"]
mod large_sends;
#[path = "reach/small_sends.rs"]
mod small_sends;

use std::collections::HashMap;

use hato_domain::{MAX_DEAD_LETTERS, PositionSet, UnixMillis};

use self::large_sends::record_large;
use self::small_sends::{leading_small, record_small};
use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::included::Included;

/// A finished send that is still to be taken over.
struct FinishedSend {
    id: String,
    app_id: String,
    day: i64,
    included: Included,
}

impl FinishedSend {
    /// Whether its recipients are too many for a list.
    const fn is_large(&self) -> bool {
        matches!(
            self.included,
            Included::Everyone { .. } | Included::Selected { .. }
        )
    }
}

/// Takes over what the sends that finished first tell, at most `limit` of them; whether more may be left.
pub(crate) async fn record_reach(
    c: &mut DbConnection,
    now: UnixMillis,
    limit: i64,
) -> sqlx::Result<bool> {
    let sends = finished_sends(c, now, limit).await?;
    match sends.first() {
        None => return Ok(false),
        Some(send) if send.is_large() => record_large(c, send).await?,
        Some(_) => record_small(c, leading_small(&sends)).await?,
    }
    Ok(true)
}

async fn finished_sends(
    c: &mut DbConnection,
    now: UnixMillis,
    limit: i64,
) -> sqlx::Result<Vec<FinishedSend>> {
    let rows = sql!(query [
        r#"SELECT id, app_id, included AS "included!", finished_at AS "finished_at!",
                  status = 'done' AND failed_other <= missed + $3 AS "is_telling!: bool"
           FROM sends WHERE included IS NOT NULL AND finished_at <= $1
           ORDER BY finished_at, id LIMIT $2"# SKIP_LOCKED
    ] now.0, limit, MAX_DEAD_LETTERS)
    .fetch_all(c)
    .await?;
    let sends = rows.into_iter().map(|row| FinishedSend {
        id: row.id,
        app_id: row.app_id,
        day: UnixMillis(row.finished_at).day_number(),
        included: Included::from_json(&row.included)
            .filter(|_| row.is_telling)
            .unwrap_or_default(),
    });
    Ok(sends.collect())
}

/// Who of each of these sends has left a dead letter, and is active.
async fn missed(
    c: &mut DbConnection,
    sends: &[&str],
) -> sqlx::Result<HashMap<String, PositionSet>> {
    let rows = sql!(query [
        r#"SELECT d.send_id AS "send_id!", s.position AS "position!"
           FROM dead_letters AS d
                JOIN subscriptions AS s ON s.app_id = d.app_id AND s.public_id = d.subscription_id
           WHERE d.send_id IN ("# TEXTS ") AND s.position IS NOT NULL"
    ] json(sends)?)
    .fetch_all(c)
    .await?;
    let mut missed: HashMap<String, PositionSet> = HashMap::new();
    for row in rows {
        missed.entry(row.send_id).or_default().insert(row.position);
    }
    Ok(missed)
}
