//! The blocks in which it stands who took what was sent to them, and how they are asked.

use std::collections::{BTreeSet, HashMap};

use hato_domain::{AppId, PositionSet, ReachBlock, Tag};
use sqlx::Executor;

use crate::dialect::{DbConnection, Driver, sql};
use crate::error::decode_error;
use crate::selection::add_block;
use crate::values::number_list;
use crate::written_blocks::WrittenBlocks;

/// Blocks by their numbers.
pub(crate) type ReachBlocks = HashMap<i64, ReachBlock>;

/// What one send tells of the positions of an app.
pub(crate) struct SendReach {
    /// The UTC day on which it was finished, counted from 1970-01-01.
    pub(crate) day: i64,
    pub(crate) included: PositionSet,
    pub(crate) missed: PositionSet,
}

/// Records in the app's blocks what sends tell, in their order.
pub(crate) async fn change_blocks(
    c: &mut DbConnection,
    app: &str,
    reaches: &[SendReach],
) -> sqlx::Result<()> {
    let numbers = numbers_of(reaches);
    if numbers.is_empty() {
        return Ok(());
    }
    let mut blocks = lock_blocks(c, app, &numbers).await?;
    let mut written = Vec::new();
    for number in numbers {
        let block = blocks.entry(number).or_default();
        record(block, number, reaches);
        written.push((number, block.to_bytes()));
    }
    write_blocks(c, app, &written).await
}

/// The blocks of which any of these tells, in order.
fn numbers_of(reaches: &[SendReach]) -> Vec<i64> {
    let mut numbers = BTreeSet::new();
    for one in reaches {
        numbers.extend(one.included.blocks().map(|(number, _)| number));
    }
    numbers.into_iter().collect()
}

fn record(block: &mut ReachBlock, number: i64, reaches: &[SendReach]) {
    for one in reaches {
        let included = one.included.only_block(number);
        if !included.is_empty() {
            block.record(one.day, &included, &one.missed.only_block(number));
        }
    }
}

async fn write_blocks(
    c: &mut DbConnection,
    app: &str,
    blocks: &[(i64, Vec<u8>)],
) -> sqlx::Result<()> {
    let written = WrittenBlocks::new(blocks)?;
    sql!(query [
        "INSERT INTO reach (app_id, block, answers)
         SELECT $2, written.block, written.positions FROM (" BLOCKS ") AS written WHERE TRUE
         ON CONFLICT (app_id, block) DO UPDATE SET answers = excluded.answers"
    ] written.places, app, written.bytes)
    .execute(c)
    .await
    .map(drop)
}

async fn make_missing(c: &mut DbConnection, app: &str, numbers: &str) -> sqlx::Result<()> {
    let empty = ReachBlock::default().to_bytes();
    sql!(query [
        "INSERT INTO reach (app_id, block, answers)
         SELECT $2, made.value, $3 FROM (" NUMBERS ") AS made
         WHERE TRUE ORDER BY made.value ON CONFLICT (app_id, block) DO NOTHING"
    ] numbers, app, empty)
    .execute(c)
    .await
    .map(drop)
}

/// The stored blocks, locked until the end of the transaction. Those that are not stored are made first, in the same order: who makes the
/// same ones at the same time waits, and then finds what has been written there.
async fn lock_blocks(
    c: &mut DbConnection,
    app: &str,
    numbers: &[i64],
) -> sqlx::Result<ReachBlocks> {
    let numbers = number_list(numbers)?;
    make_missing(c, app, &numbers).await?;
    let rows = sql!(query [
        r#"SELECT block AS "block!", answers AS "answers!" FROM reach
           WHERE "# OF_APP("block" IN NUMBERS) " ORDER BY block" FOR_UPDATE
    ] numbers, app)
    .fetch_all(c)
    .await?;
    let blocks = rows.into_iter();
    let blocks = blocks.map(|row| Ok((row.block, decoded(row.block, &row.answers)?)));
    blocks.collect()
}

/// The UTC days, counted from 1970-01-01, on which these positions last took a send, as their blocks know it; those that took none are
/// left out.
pub(crate) fn last_successes(blocks: &ReachBlocks, positions: &[i64]) -> HashMap<i64, i64> {
    let day = |position: &i64| {
        let block = blocks.get(&PositionSet::block_of(*position))?;
        Some((*position, block.last_success(*position)?))
    };
    positions.iter().filter_map(day).collect()
}

/// Who has a tag, and what is known of the blocks in which they stand: in one statement, for lists show both.
pub(crate) async fn tagged_with_blocks<'e>(
    reader: impl Executor<'e, Database = Driver>,
    app: &AppId,
    tag: &Tag,
) -> sqlx::Result<(PositionSet, ReachBlocks)> {
    let rows = sqlx::query!(
        r#"SELECT CAST(1 AS BIGINT) AS "is_tagged!", block AS "block!", positions AS "bytes!"
           FROM tag_positions WHERE app_id = $1 AND tag = $2
           UNION ALL
           SELECT 0, block, answers FROM reach
           WHERE app_id = $1
             AND block IN (SELECT block FROM tag_positions WHERE app_id = $1 AND tag = $2)"#,
        app.as_str(),
        tag.as_str()
    )
    .fetch_all(reader)
    .await?;
    let (mut positions, mut blocks) = (PositionSet::default(), ReachBlocks::new());
    for row in rows {
        if row.is_tagged == 0 {
            blocks.insert(row.block, decoded(row.block, &row.bytes)?);
        } else {
            add_block(&mut positions, row.block, &row.bytes)?;
        }
    }
    Ok((positions, blocks))
}

/// What is known of the blocks in which these positions of the app stand.
pub(crate) async fn blocks_of<'e>(
    reader: impl Executor<'e, Database = Driver>,
    app: &AppId,
    positions: &[i64],
) -> sqlx::Result<ReachBlocks> {
    let numbers = positions.iter().map(|it| PositionSet::block_of(*it));
    let numbers: BTreeSet<i64> = numbers.collect();
    let numbers: Vec<i64> = numbers.into_iter().collect();
    let rows = sql!(query [
        r#"SELECT block AS "block!", answers AS "answers!" FROM reach
           WHERE "# OF_APP("block" IN NUMBERS)
    ] number_list(&numbers)?, app.as_str())
    .fetch_all(reader)
    .await?;
    let blocks = rows.into_iter();
    let blocks = blocks.map(|row| Ok((row.block, decoded(row.block, &row.answers)?)));
    blocks.collect()
}

/// What is stored of a block.
pub(crate) fn decoded(number: i64, answers: &[u8]) -> sqlx::Result<ReachBlock> {
    ReachBlock::from_bytes(number, answers).ok_or_else(|| decode_error("reach"))
}
