//! Finished sends with too many recipients for a list, each of which is taken over in several transactions.

use hato_domain::PositionSet;

use super::{FinishedSend, missed};
use crate::dialect::{DbConnection, sql};
use crate::error::decode_error;
use crate::included::Included;
use crate::missed::take_missed;
use crate::reach_blocks::{SendReach, change_blocks};
use crate::values::number_list;

/// Most blocks that a transaction writes, a million positions.
const BLOCKS_AT_A_TIME: i64 = 250;

/// Takes the next blocks of a send over that has many.
pub(super) async fn record_large(c: &mut DbConnection, send: &FinishedSend) -> sqlx::Result<()> {
    let (included, rest) = match &send.included {
        Included::Everyone { from, up_to } => blocks_of_everyone(c, send, *from, *up_to).await?,
        Included::Selected { from } => selected_blocks(c, send, *from).await?,
        Included::Listed { .. } | Included::Positions(_) => (PositionSet::default(), None),
    };
    let end = rest.as_ref().map_or(i64::MAX, Included::next_block);
    let with_letters = missed(c, &[send.id.as_str()]).await?.remove(&send.id);
    let others = take_missed(c, &send.id, end).await?;
    let reach = SendReach {
        day: send.day,
        missed: with_letters.unwrap_or_default().union(others),
        included,
    };
    change_blocks(c, &send.app_id, &[reach]).await?;
    keep_rest(c, send, rest).await
}

/// Writes down what of the send is still to be taken over.
async fn keep_rest(
    c: &mut DbConnection,
    send: &FinishedSend,
    rest: Option<Included>,
) -> sqlx::Result<()> {
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
    forget_between(c, &send.app_id, (from, next), &blocks).await?;
    let parts = blocks
        .iter()
        .map(|block| PositionSet::part_of_block(*block, 1, up_to));
    let positions = parts.fold(PositionSet::default(), PositionSet::union);
    let rest = (!is_last).then_some(Included::Everyone { from: next, up_to });
    Ok((positions, rest))
}

/// Forgets what is known of the blocks from the first of these numbers up to the other one, but for those that are active.
async fn forget_between(
    c: &mut DbConnection,
    app: &str,
    (from, next): (i64, i64),
    active: &[i64],
) -> sqlx::Result<()> {
    sql!(query [
        "DELETE FROM reach WHERE app_id = $2 AND block >= $3 AND block < $4 AND block NOT IN (" NUMBERS ")"
    ] number_list(active)?, app, from, next)
    .execute(c)
    .await
    .map(drop)
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
