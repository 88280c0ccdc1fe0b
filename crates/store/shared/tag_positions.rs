//! Who has a tag, by position: an index over the tags of active subscriptions, which are stored with each subscription as well.
//!
//! A row is a block of positions (`PositionSet`), so that asking who has a tag reads 250 rows for a million subscribers. Whoever
//! changes the tags of an active subscription, or its position, calls [`change_tags`] at the end of the same transaction: the rows
//! of this table are locked last, and in one order.

use std::collections::BTreeMap;

use hato_domain::{PositionSet, Tag};
use hato_service::ports::RecipientId;
use serde::Serialize;

use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::selection::add_block;
use crate::values::{count_i64, hexadecimal, parse_tags, recipient_list};

/// A tag that a position gets or loses.
pub(crate) struct TagChange {
    pub(crate) tag: String,
    pub(crate) position: i64,
    /// Whether it gets the tag.
    pub(crate) is_set: bool,
}

impl TagChange {
    /// That the position gets the tag, or loses it.
    pub(crate) fn new(tag: &Tag, position: i64, is_set: bool) -> Self {
        Self {
            tag: tag.as_str().to_owned(),
            position,
            is_set,
        }
    }
}

/// The tags that an active subscription had when it lost its position.
pub(crate) struct TaggedPosition {
    pub(crate) position: i64,
    /// A JSON array of texts.
    pub(crate) tags: String,
}

/// A row of the table, by tag and block.
type TagBlocks<T> = BTreeMap<(String, i64), T>;

/// A row as statements take it: tag, block, and the positions in hexadecimal digits.
#[derive(Serialize)]
struct WrittenBlock<'a>(&'a str, i64, String);

/// Writes down that these positions get or lose tags. Doing so again changes nothing.
pub(crate) async fn change_tags(
    c: &mut DbConnection,
    app: &str,
    changes: &[TagChange],
) -> sqlx::Result<()> {
    let mut open: TagBlocks<Vec<&TagChange>> = BTreeMap::new();
    for change in changes {
        let block = PositionSet::block_of(change.position);
        let key = (change.tag.clone(), block);
        open.entry(key).or_default().push(change);
    }
    while !open.is_empty() {
        let stored = lock_blocks(c, app, &open).await?;
        let (known, new): (TagBlocks<_>, TagBlocks<_>) = open
            .into_iter()
            .partition(|(key, _)| stored.contains_key(key));
        update(c, app, &known, stored).await?;
        open = insert(c, app, new).await?;
    }
    Ok(())
}

/// Takes these positions, which nobody has any more, away from their tags.
pub(crate) async fn clear_tags(
    c: &mut DbConnection,
    app: &str,
    positions: &[TaggedPosition],
) -> sqlx::Result<()> {
    let mut changes = Vec::new();
    for TaggedPosition { position, tags } in positions {
        let tags = parse_tags(Some(tags))?;
        changes.extend(tags.iter().map(|tag| TagChange::new(tag, *position, false)));
    }
    change_tags(c, app, &changes).await
}

/// The positions up to `up_to`, and the tags, of those of these subscriptions that are active and have any. All that are active are
/// locked, for one without tags may be getting some at this moment.
pub(crate) async fn tagged_positions(
    c: &mut DbConnection,
    subscriptions: &[RecipientId],
    up_to: i64,
) -> sqlx::Result<Vec<TaggedPosition>> {
    let active = sql!(query [
        r#"SELECT position AS "position!", tags FROM subscriptions
           WHERE id IN ("# NUMBERS r#") AND position <= $2 ORDER BY id"# FOR_UPDATE
    ] recipient_list(subscriptions)?, up_to)
    .fetch_all(c)
    .await?;
    let tagged = active.into_iter().filter_map(|row| {
        let position = row.position;
        row.tags.map(|tags| TaggedPosition { position, tags })
    });
    Ok(tagged.collect())
}

/// The stored blocks among those that are to be changed, locked until the end of the transaction. SQLite takes the tables of a cross join
/// in their order: it would otherwise look through all blocks of the app.
async fn lock_blocks(
    c: &mut DbConnection,
    app: &str,
    wanted: &TagBlocks<Vec<&TagChange>>,
) -> sqlx::Result<TagBlocks<PositionSet>> {
    let rows = sql!(query [
        r#"SELECT t.tag AS "tag!", t.block AS "block!", t.positions AS "positions!"
           FROM ("# TAG_BLOCKS r#") AS wanted CROSS JOIN tag_positions AS t
           WHERE t.app_id = wanted.app_id AND t.tag = wanted.tag AND t.block = wanted.block
           ORDER BY t.tag, t.block"# FOR_UPDATE
    ] block_keys(wanted)?, app)
    .fetch_all(c)
    .await?;
    let blocks = rows.into_iter().map(|row| {
        let mut positions = PositionSet::default();
        add_block(&mut positions, row.block, &row.positions)?;
        Ok(((row.tag, row.block), positions))
    });
    blocks.collect()
}

/// Tags and blocks as `TAG_BLOCKS` takes them, without positions.
fn block_keys(wanted: &TagBlocks<Vec<&TagChange>>) -> sqlx::Result<String> {
    let keys = wanted.keys();
    let keys = keys.map(|(tag, block)| WrittenBlock(tag, *block, String::new()));
    json(&keys.collect::<Vec<_>>())
}

/// Changes blocks that are stored; those that are empty afterwards are removed.
async fn update(
    c: &mut DbConnection,
    app: &str,
    changes: &TagBlocks<Vec<&TagChange>>,
    mut stored: TagBlocks<PositionSet>,
) -> sqlx::Result<()> {
    let (written, emptied) = changed(changes, &mut stored);
    write(c, app, &written).await?;
    remove(c, app, &emptied).await
}

/// The blocks that these changes make others, and those that they make empty.
fn changed<'a>(
    changes: &'a TagBlocks<Vec<&TagChange>>,
    stored: &mut TagBlocks<PositionSet>,
) -> (Vec<WrittenBlock<'a>>, Vec<WrittenBlock<'a>>) {
    let (mut written, mut emptied) = (Vec::new(), Vec::new());
    for (key, changes) in changes {
        let Some(positions) = stored.get_mut(key) else {
            continue;
        };
        if !apply(positions, changes) {
            continue;
        }
        let (tag, block) = (key.0.as_str(), key.1);
        match encoded(positions) {
            Some(bytes) => written.push(WrittenBlock(tag, block, bytes)),
            None => emptied.push(WrittenBlock(tag, block, String::new())),
        }
    }
    (written, emptied)
}

async fn write(c: &mut DbConnection, app: &str, written: &[WrittenBlock<'_>]) -> sqlx::Result<()> {
    if !written.is_empty() {
        sql!(query [
            "INSERT INTO tag_positions (app_id, tag, block, positions)
             SELECT written.app_id, written.tag, written.block, written.positions
             FROM (" TAG_BLOCKS ") AS written
             WHERE TRUE ON CONFLICT (app_id, tag, block) DO UPDATE SET positions = excluded.positions"
        ] json(written)?, app)
        .execute(c)
        .await?;
    }
    Ok(())
}

async fn remove(c: &mut DbConnection, app: &str, emptied: &[WrittenBlock<'_>]) -> sqlx::Result<()> {
    if !emptied.is_empty() {
        sql!(query [
            "DELETE FROM tag_positions
             WHERE (app_id, tag, block) IN
               (SELECT app_id, tag, block FROM (" TAG_BLOCKS ") AS emptied)"
        ] json(emptied)?, app)
        .execute(c)
        .await?;
    }
    Ok(())
}

/// Makes blocks that are not stored, and returns those that a concurrent transaction has made meanwhile: they are to be changed.
async fn insert<'a>(
    c: &mut DbConnection,
    app: &str,
    mut new: TagBlocks<Vec<&'a TagChange>>,
) -> sqlx::Result<TagBlocks<Vec<&'a TagChange>>> {
    new.retain(|_, changes| changes.iter().any(|change| change.is_set));
    let written = new_blocks(&new);
    if written.is_empty() {
        return Ok(TagBlocks::new());
    }
    let inserted = sql!(query [
        "INSERT INTO tag_positions (app_id, tag, block, positions)
         SELECT written.app_id, written.tag, written.block, written.positions FROM (" TAG_BLOCKS ") AS written
         WHERE TRUE ON CONFLICT (app_id, tag, block) DO NOTHING"
    ] json(&written)?, app)
    .execute(c)
    .await?
    .rows_affected();
    let is_complete = count_i64(written.len()) == i64::try_from(inserted).unwrap_or(i64::MAX);
    Ok(if is_complete { TagBlocks::new() } else { new })
}

/// What blocks hold that are not stored, after these changes.
fn new_blocks<'b>(changes: &'b TagBlocks<Vec<&TagChange>>) -> Vec<WrittenBlock<'b>> {
    let blocks = changes.iter().filter_map(|((tag, block), changes)| {
        let mut positions = PositionSet::default();
        apply(&mut positions, changes);
        encoded(&positions).map(|bytes| WrittenBlock(tag, *block, bytes))
    });
    blocks.collect()
}

/// Applies the changes, and says whether there is any.
fn apply(positions: &mut PositionSet, changes: &[&TagChange]) -> bool {
    let mut is_changed = false;
    for change in changes {
        is_changed |= if change.is_set {
            positions.insert(change.position)
        } else {
            positions.remove(change.position)
        };
    }
    is_changed
}

/// The one block of the set in hexadecimal digits; `None` for an empty one.
fn encoded(positions: &PositionSet) -> Option<String> {
    let (_, bytes) = positions.blocks().next()?;
    Some(hexadecimal(&bytes))
}
