//! Reach: what finished sends tell of who took them (`ReachBlock`), taken over from them in the background.
//!
//! Nothing is written for each delivery. A finished send was taken by everybody whom it was for (`Included`) but those who failed: they
//! have left a dead letter, or stand in `send_missed`; who is no longer subscribed has no position to ask for. A send that was cancelled,
//! or of whose failures an earlier version has not recorded all, tells nothing of anybody.

use std::collections::{BTreeMap, HashMap};

use hato_domain::{MAX_DEAD_LETTERS, PositionSet, UnixMillis};

use crate::dialect::{DbConnection, sql};
use crate::error::{decode_error, json};
use crate::included::Included;
use crate::missed::take_missed;
use crate::queue::number_list;
use crate::reach_blocks::{Told, change_blocks};

/// Most blocks of a large send that a transaction writes, a million positions, and most recipients of small ones.
const BLOCKS_AT_A_TIME: i64 = 250;
const RECIPIENTS_AT_A_TIME: usize = 1_000;

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

/// Those before the first large one, as many of them as a transaction takes.
fn leading_small(sends: &[FinishedSend]) -> &[FinishedSend] {
    let mut recipients = 0;
    let fits = |send: &&FinishedSend| {
        recipients += send.included.listed();
        !send.is_large() && recipients <= RECIPIENTS_AT_A_TIME
    };
    let count = sends.iter().take_while(fits).count();
    &sends[..count.max(1)]
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

/// Takes the next blocks of a send over that has many.
async fn record_large(c: &mut DbConnection, send: &FinishedSend) -> sqlx::Result<()> {
    let (included, rest) = match &send.included {
        Included::Everyone { from, up_to } => blocks_of_everyone(c, send, *from, *up_to).await?,
        Included::Selected { from } => selected_blocks(c, send, *from).await?,
        Included::Listed { .. } | Included::Positions(_) => (PositionSet::default(), None),
    };
    let end = rest.as_ref().map_or(i64::MAX, Included::next_block);
    let with_letters = missed(c, &[send.id.as_str()]).await?.remove(&send.id);
    let others = take_missed(c, &send.id, end).await?;
    let told = Told {
        day: send.day,
        missed: with_letters.unwrap_or_default().union(others),
        included,
    };
    change_blocks(c, &send.app_id, &[told]).await?;
    let rest = rest.map(|rest| rest.to_json()).transpose()?;
    sqlx::query!(
        "UPDATE sends SET included = $2 WHERE id = $1",
        send.id,
        rest
    )
    .execute(c)
    .await
    .map(drop)
}

/// The next positions of a send to everybody, and what is left of it then. Blocks in which nobody is active any more are left out, and
/// what is known of them goes.
async fn blocks_of_everyone(
    c: &mut DbConnection,
    send: &FinishedSend,
    from: i64,
    up_to: i64,
) -> sqlx::Result<(PositionSet, Option<Included>)> {
    let blocks = active_blocks(c, &send.app_id, from, up_to).await?;
    let is_last = blocks.len() < usize::try_from(BLOCKS_AT_A_TIME).unwrap_or(usize::MAX);
    let next = match blocks.last() {
        Some(last) if !is_last => last + 1,
        _ => PositionSet::block_of(up_to) + 1,
    };
    sql!(query [
        "DELETE FROM reach WHERE app_id = $2 AND block >= $3 AND block < $4 AND block NOT IN (" NUMBERS ")"
    ] number_list(&blocks)?, send.app_id, from, next)
    .execute(c)
    .await?;
    let parts = blocks
        .iter()
        .map(|block| PositionSet::part_of_block(*block, 1, up_to));
    let positions = parts.fold(PositionSet::default(), PositionSet::union);
    let rest = (!is_last).then_some(Included::Everyone { from: next, up_to });
    Ok((positions, rest))
}

/// The blocks from `from` on that have active positions up to `up_to`: from each one to the next by the index.
async fn active_blocks(
    c: &mut DbConnection,
    app: &str,
    from: i64,
    up_to: i64,
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"WITH RECURSIVE blocks (block) AS (
             SELECT (SELECT MIN(position) FROM subscriptions
                     WHERE app_id = $1 AND position >= CAST($2 AS BIGINT) * 4096) / 4096
             UNION ALL
             SELECT (SELECT MIN(position) FROM subscriptions
                     WHERE app_id = $1 AND position >= (blocks.block + 1) * 4096) / 4096
             FROM blocks WHERE (block + 1) * 4096 <= $3
           )
           SELECT block AS "block!: i64" FROM blocks WHERE block * 4096 <= $3 LIMIT $4"#,
        app,
        from,
        up_to,
        BLOCKS_AT_A_TIME
    )
    .fetch_all(c)
    .await
}

/// The next positions of a send to a part of the audience, and what is left of it then.
async fn selected_blocks(
    c: &mut DbConnection,
    send: &FinishedSend,
    from: i64,
) -> sqlx::Result<(PositionSet, Option<Included>)> {
    let rows = sqlx::query!(
        r#"SELECT block AS "block!", positions AS "positions!" FROM send_positions
           WHERE send_id = $1 AND block >= $2 ORDER BY block LIMIT $3"#,
        send.id,
        from,
        BLOCKS_AT_A_TIME
    )
    .fetch_all(c)
    .await?;
    let is_last = rows.len() < usize::try_from(BLOCKS_AT_A_TIME).unwrap_or(usize::MAX);
    let next = rows.last().map(|row| row.block + 1);
    let mut positions = PositionSet::default();
    for row in rows {
        if !positions.insert_block(row.block, &row.positions) {
            return Err(decode_error("positions"));
        }
    }
    let rest = next.filter(|_| !is_last);
    Ok((positions, rest.map(|from| Included::Selected { from })))
}

/// Takes over what sends tell that have a list of recipients.
async fn record_small(c: &mut DbConnection, sends: &[FinishedSend]) -> sqlx::Result<()> {
    let positions = positions_of(c, sends).await?;
    let ids: Vec<&str> = sends.iter().map(|send| send.id.as_str()).collect();
    let mut missed = missed(c, &ids).await?;
    let mut told: BTreeMap<&str, Vec<Told>> = BTreeMap::new();
    for send in sends {
        told.entry(&send.app_id).or_default().push(Told {
            day: send.day,
            included: send.included.positions(&positions),
            missed: missed.remove(&send.id).unwrap_or_default(),
        });
    }
    for (app, told) in told {
        change_blocks(c, app, &told).await?;
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
