//! Who of a send failed and left no dead letter, for want of room: positions, kept until [`crate::reach`] has taken the send over.

use std::collections::BTreeSet;

use hato_domain::PositionSet;
use hato_service::ports::{NewDeadLetter, RecipientId};

use crate::dialect::{DbConnection, sql};
use crate::selection::add_block;
use crate::settled_page::SettledPage;
use crate::values::{count_i64, number_list, recipient_list};
use crate::written_blocks::WrittenBlocks;

/// Adds these to the send's, which the settlement has locked. Whoever is not active any more, or has become so again after the page was
/// made, has no position to be asked for, and is only counted.
pub(crate) async fn insert_missed(
    c: &mut DbConnection,
    page: &SettledPage,
    failures: &[NewDeadLetter],
) -> sqlx::Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    let missed = positions_of(c, page, failures).await?;
    add_blocks(c, page.send_id.as_str(), missed).await?;
    sqlx::query!(
        "UPDATE sends SET missed = missed + $2 WHERE id = $1",
        page.send_id.as_str(),
        count_i64(failures.len())
    )
    .execute(c)
    .await
    .map(drop)
}

async fn positions_of(
    c: &mut DbConnection,
    page: &SettledPage,
    failures: &[NewDeadLetter],
) -> sqlx::Result<PositionSet> {
    let recipients: Vec<RecipientId> = failures.iter().map(|it| it.recipient).collect();
    let rows = sql!(query [
        r#"SELECT position AS "position!" FROM subscriptions
           WHERE id IN ("# NUMBERS ") AND position IS NOT NULL AND position <= $2"
    ] recipient_list(&recipients)?, page.up_to)
    .fetch_all(c)
    .await?;
    Ok(rows.into_iter().map(|row| row.position).collect())
}

async fn add_blocks(c: &mut DbConnection, send: &str, missed: PositionSet) -> sqlx::Result<()> {
    let numbers: BTreeSet<i64> = missed.iter().map(PositionSet::block_of).collect();
    let numbers: Vec<i64> = numbers.into_iter().collect();
    let stored = stored_blocks(c, send, &numbers).await?;
    let blocks: Vec<_> = stored.union(missed).blocks().collect();
    let written = WrittenBlocks::new(&blocks)?;
    sql!(query [
        "INSERT INTO send_missed (send_id, block, positions)
         SELECT $2, written.block, written.positions FROM (" BLOCKS ") AS written WHERE TRUE
         ON CONFLICT (send_id, block) DO UPDATE SET positions = excluded.positions"
    ] written.places, send, written.bytes)
    .execute(c)
    .await
    .map(drop)
}

async fn stored_blocks(
    c: &mut DbConnection,
    send: &str,
    numbers: &[i64],
) -> sqlx::Result<PositionSet> {
    let stored = sql!(query [
        r#"SELECT block AS "block!", positions AS "positions!" FROM send_missed
           WHERE send_id = $2 AND block IN ("# NUMBERS ")"
    ] number_list(numbers)?, send)
    .fetch_all(c)
    .await?;
    let mut blocks = PositionSet::default();
    for row in stored {
        add_block(&mut blocks, row.block, &row.positions)?;
    }
    Ok(blocks)
}

/// Those of the send below block `end`, which are not kept any longer.
pub(crate) async fn take_missed(
    c: &mut DbConnection,
    send: &str,
    end: i64,
) -> sqlx::Result<PositionSet> {
    let rows = sqlx::query!(
        r#"DELETE FROM send_missed WHERE send_id = $1 AND block < $2
           RETURNING block AS "block!", positions AS "positions!""#,
        send,
        end
    )
    .fetch_all(c)
    .await?;
    let mut missed = PositionSet::default();
    for row in rows {
        add_block(&mut missed, row.block, &row.positions)?;
    }
    Ok(missed)
}
