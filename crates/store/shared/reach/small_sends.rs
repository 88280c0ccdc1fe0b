//! Finished sends whose recipients are listed by their row ids, several of which are taken over at a time.

use std::collections::{BTreeMap, HashMap};

use super::{FinishedSend, missed};
use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::reach_blocks::{SendReach, change_blocks};
use crate::values::number_list;

/// Most recipients that a transaction takes over.
const RECIPIENTS_AT_A_TIME: usize = 1_000;

/// Those before the first large one, as many of them as a transaction takes.
pub(super) fn leading_small(sends: &[FinishedSend]) -> &[FinishedSend] {
    let mut recipients = 0;
    let fits = |send: &&FinishedSend| {
        recipients += send.included.listed();
        !send.is_large() && recipients <= RECIPIENTS_AT_A_TIME
    };
    let count = sends.iter().take_while(fits).count();
    &sends[..count.max(1)]
}

/// Takes over what sends tell that have a list of recipients.
pub(super) async fn record_small(c: &mut DbConnection, sends: &[FinishedSend]) -> sqlx::Result<()> {
    let positions = positions_of(c, sends).await?;
    let ids: Vec<&str> = sends.iter().map(|send| send.id.as_str()).collect();
    let mut missed = missed(c, &ids).await?;
    let mut reaches: BTreeMap<&str, Vec<SendReach>> = BTreeMap::new();
    for send in sends {
        reaches.entry(&send.app_id).or_default().push(SendReach {
            day: send.day,
            included: send.included.positions(&positions),
            missed: missed.remove(&send.id).unwrap_or_default(),
        });
    }
    for (app, reaches) in reaches {
        change_blocks(c, app, &reaches).await?;
    }
    sql!(query ["UPDATE sends SET included = NULL WHERE id IN (" TEXTS ")"] json(&ids)?)
        .execute(c)
        .await
        .map(drop)
}

/// Where those stand now that these sends list by their row ids.
async fn positions_of(
    c: &mut DbConnection,
    sends: &[FinishedSend],
) -> sqlx::Result<HashMap<i64, i64>> {
    let ids = sends.iter().flat_map(|send| send.included.ids());
    let ids: Vec<i64> = ids.copied().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sql!(query [
        r#"SELECT id AS "id!", position AS "position!" FROM subscriptions
           WHERE id IN ("# NUMBERS ") AND position IS NOT NULL"
    ] number_list(&ids)?)
    .fetch_all(c)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.position)).collect())
}
