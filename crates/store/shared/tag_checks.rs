//! The blocks that say who has which tag, against the tags of the subscriptions.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt as _;
use hato_domain::{AppId, PositionSet};
use hato_service::ports::Flaw;

use crate::dialect::{DbConnection, sql};
use crate::error::json;
use crate::tag_positions::{TagChange, change_tags};
use crate::values::{number_list, parse_tags};

/// The positions of the subscriptions that have each tag.
type TagIndex = BTreeMap<String, PositionSet>;

/// A block by its tag and its number.
type TagBlock = (String, i64);

/// Compares both, within a snapshot or for an app that is locked. Repairing writes the blocks anew that differ.
pub(crate) async fn check_tags(
    c: &mut DbConnection,
    app: &AppId,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    let expected = tags_of_subscriptions(c, app).await?;
    let (stored, unreadable) = stored_tags(c, app).await?;
    let mut wrong = differences(&expected, &stored);
    if repair && !(wrong.is_empty() && unreadable.is_empty()) {
        wrong = lock_and_compare(c, app, wrong, &unreadable).await?;
        for block in &unreadable {
            remove_block(c, app, block).await?;
        }
        change_tags(c, app.as_str(), &wrong).await?;
    }
    let unreadable = unreadable.iter();
    let unreadable =
        unreadable.map(|(tag, block)| format!("block {block} of {tag} cannot be read"));
    let found = unreadable.chain(wrong_positions(&wrong));
    Ok(found.map(|what| flaw(app, &what, repair)).collect())
}

/// How many positions of each tag are wrong.
fn wrong_positions(wrong: &[TagChange]) -> impl Iterator<Item = String> {
    let mut by_tag: BTreeMap<&str, usize> = BTreeMap::new();
    for change in wrong {
        *by_tag.entry(&change.tag).or_default() += 1;
    }
    let tags = by_tag.into_iter();
    tags.map(|(tag, count)| format!("{count} positions of {tag} are wrong"))
}

fn flaw(app: &AppId, what: &str, is_repaired: bool) -> Flaw {
    Flaw {
        what: format!("{app}: the index of tags: {what}"),
        is_repaired,
    }
}

/// What makes the second one the first.
fn differences(expected: &TagIndex, stored: &TagIndex) -> Vec<TagChange> {
    let tags: BTreeSet<&String> = expected.keys().chain(stored.keys()).collect();
    let mut changes = Vec::new();
    for tag in tags {
        let set = |tagged: &TagIndex| tagged.get(tag).cloned().unwrap_or_default();
        let change = |position, is_set| TagChange {
            tag: tag.clone(),
            position,
            is_set,
        };
        let missing = set(expected).difference(&set(stored));
        let surplus = set(stored).difference(&set(expected));
        changes.extend(missing.iter().map(|position| change(position, true)));
        changes.extend(surplus.iter().map(|position| change(position, false)));
    }
    changes
}

/// What of this is wrong now that nobody can change it. Whoever gave or took a tag between the two looks had changed both in one
/// transaction, of which they saw one half. Positions are the same while the app is locked; the subscriptions that stand there are locked
/// first, and then the blocks, as everybody locks them who changes tags.
async fn lock_and_compare(
    c: &mut DbConnection,
    app: &AppId,
    wrong: Vec<TagChange>,
    unreadable: &[TagBlock],
) -> sqlx::Result<Vec<TagChange>> {
    let positions: BTreeSet<i64> = wrong.iter().map(|change| change.position).collect();
    let expected = lock_subscriptions(c, app, positions).await?;
    let tags = wrong.iter().map(|change| &change.tag);
    let tags: BTreeSet<&String> = tags.chain(unreadable.iter().map(|(tag, _)| tag)).collect();
    let stored = lock_blocks(c, app, &tags).await?;
    let still_wrong = wrong.into_iter().filter_map(|change| {
        let has_tag = |tagged: &TagIndex| {
            let positions = tagged.get(&change.tag);
            positions.is_some_and(|positions| positions.contains(change.position))
        };
        let is_set = has_tag(&expected);
        (is_set != has_tag(&stored)).then_some(TagChange { is_set, ..change })
    });
    Ok(still_wrong.collect())
}

/// The tags of the subscriptions at these positions, which stay as they are until the end of the transaction.
async fn lock_subscriptions(
    c: &mut DbConnection,
    app: &AppId,
    positions: BTreeSet<i64>,
) -> sqlx::Result<TagIndex> {
    let positions: Vec<i64> = positions.into_iter().collect();
    let rows = sql!(query [
        r#"SELECT position AS "position!", tags FROM subscriptions
           WHERE "# OF_APP("position" IN NUMBERS) " ORDER BY id" FOR_UPDATE
    ] number_list(&positions)?, app.as_str())
    .fetch_all(c)
    .await?;
    let mut tagged = TagIndex::new();
    for row in rows {
        add_tags(&mut tagged, row.position, row.tags.as_deref())?;
    }
    Ok(tagged)
}

/// Who has these tags by the blocks that can be read. All are locked until the end of the transaction.
async fn lock_blocks(
    c: &mut DbConnection,
    app: &AppId,
    tags: &BTreeSet<&String>,
) -> sqlx::Result<TagIndex> {
    let rows = sql!(query_as BlockRow [
        r#"SELECT tag AS "tag!", block AS "block!", positions AS "positions!"
           FROM tag_positions WHERE "# OF_APP("tag" IN TEXTS) " ORDER BY tag, block" FOR_UPDATE
    ] json(tags)?, app.as_str())
    .fetch_all(c)
    .await?;
    let mut tagged = TagIndex::new();
    for row in rows {
        row.add_to(&mut tagged);
    }
    Ok(tagged)
}

async fn tags_of_subscriptions(c: &mut DbConnection, app: &AppId) -> sqlx::Result<TagIndex> {
    let mut rows = sqlx::query!(
        r#"SELECT position AS "position!", tags AS "tags!" FROM subscriptions
           WHERE app_id = $1 AND position IS NOT NULL AND tags IS NOT NULL"#,
        app.as_str()
    )
    .fetch(c);
    let mut tagged = TagIndex::new();
    while let Some(row) = rows.try_next().await? {
        add_tags(&mut tagged, row.position, Some(&row.tags))?;
    }
    Ok(tagged)
}

fn add_tags(tagged: &mut TagIndex, position: i64, tags: Option<&str>) -> sqlx::Result<()> {
    for tag in parse_tags(tags)?.iter() {
        let positions = tagged.entry(tag.as_str().to_owned()).or_default();
        positions.insert(position);
    }
    Ok(())
}

/// A block as it is stored.
struct BlockRow {
    tag: String,
    block: i64,
    positions: Vec<u8>,
}

impl BlockRow {
    /// Adds its positions, or returns which block it is that cannot be read.
    fn add_to(self, tagged: &mut TagIndex) -> Option<TagBlock> {
        let mut positions = PositionSet::default();
        if !positions.insert_block(self.block, &self.positions) {
            return Some((self.tag, self.block));
        }
        let others = tagged.remove(&self.tag).unwrap_or_default();
        tagged.insert(self.tag, others.union(positions));
        None
    }
}

/// What the blocks say, and those that cannot be read.
async fn stored_tags(c: &mut DbConnection, app: &AppId) -> sqlx::Result<(TagIndex, Vec<TagBlock>)> {
    let mut rows = sqlx::query_as!(
        BlockRow,
        r#"SELECT tag AS "tag!", block AS "block!", positions AS "positions!"
           FROM tag_positions WHERE app_id = $1"#,
        app.as_str()
    )
    .fetch(c);
    let (mut tagged, mut unreadable) = (TagIndex::new(), Vec::new());
    while let Some(row) = rows.try_next().await? {
        unreadable.extend(row.add_to(&mut tagged));
    }
    Ok((tagged, unreadable))
}

async fn remove_block(
    c: &mut DbConnection,
    app: &AppId,
    (tag, block): &TagBlock,
) -> sqlx::Result<()> {
    sqlx::query!(
        "DELETE FROM tag_positions WHERE app_id = $1 AND tag = $2 AND block = $3",
        app.as_str(),
        tag,
        block
    )
    .execute(c)
    .await
    .map(drop)
}
