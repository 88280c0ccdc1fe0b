//! The blocks that say who has which tag, against the tags of the subscriptions.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt as _;
use hato_domain::{AppId, PositionSet};
use hato_service::ports::Flaw;

use crate::dialect::DbConnection;
use crate::profiles::parse_tags;
use crate::tag_positions::{TagChange, change_tags};

/// Positions by tag.
type Tagged = BTreeMap<String, PositionSet>;

/// Compares both, within a snapshot or for an app that is locked. Repairing writes the blocks anew that differ.
pub(crate) async fn check_tags(
    c: &mut DbConnection,
    app: &AppId,
    repair: bool,
) -> sqlx::Result<Vec<Flaw>> {
    let expected = tags_of_subscriptions(c, app).await?;
    let mut flaws = Vec::new();
    let (stored, unreadable) = stored_tags(c, app).await?;
    for (tag, block) in unreadable {
        if repair {
            remove_block(c, app, (&tag, block)).await?;
        }
        flaws.push(flaw(
            app,
            &format!("block {block} of {tag} cannot be read"),
            repair,
        ));
    }
    let mut changes = Vec::new();
    let tags: BTreeSet<&String> = expected.keys().chain(stored.keys()).collect();
    for tag in tags {
        let wrong = differences(tag, expected.get(tag), stored.get(tag));
        if !wrong.is_empty() {
            let what = format!("{} positions of {tag} are wrong", wrong.len());
            flaws.push(flaw(app, &what, repair));
        }
        changes.extend(wrong);
    }
    if repair {
        change_tags(c, app.as_str(), &changes).await?;
    }
    Ok(flaws)
}

fn flaw(app: &AppId, what: &str, is_repaired: bool) -> Flaw {
    Flaw {
        what: format!("{app}: the index of tags: {what}"),
        is_repaired,
    }
}

/// What makes the second set the first one.
fn differences(
    tag: &str,
    expected: Option<&PositionSet>,
    stored: Option<&PositionSet>,
) -> Vec<TagChange> {
    let set = |positions: Option<&PositionSet>| positions.cloned().unwrap_or_default();
    let change = |position, is_set| TagChange {
        tag: tag.to_owned(),
        position,
        is_set,
    };
    let missing = set(expected).difference(&set(stored));
    let surplus = set(stored).difference(&set(expected));
    let missing = missing.iter().map(|position| change(position, true));
    let surplus = surplus.iter().map(|position| change(position, false));
    missing.chain(surplus).collect()
}

async fn tags_of_subscriptions(c: &mut DbConnection, app: &AppId) -> sqlx::Result<Tagged> {
    let mut rows = sqlx::query!(
        r#"SELECT position AS "position!", tags AS "tags!" FROM subscriptions
           WHERE app_id = $1 AND position IS NOT NULL AND tags IS NOT NULL"#,
        app.as_str()
    )
    .fetch(c);
    let mut tagged = Tagged::new();
    while let Some(row) = rows.try_next().await? {
        for tag in parse_tags(Some(&row.tags))?.iter() {
            let positions = tagged.entry(tag.as_str().to_owned()).or_default();
            positions.insert(row.position);
        }
    }
    Ok(tagged)
}

/// What the blocks say, and those that cannot be read.
async fn stored_tags(
    c: &mut DbConnection,
    app: &AppId,
) -> sqlx::Result<(Tagged, Vec<(String, i64)>)> {
    let mut rows = sqlx::query!(
        r#"SELECT tag AS "tag!", block AS "block!", positions AS "positions!"
           FROM tag_positions WHERE app_id = $1"#,
        app.as_str()
    )
    .fetch(c);
    let (mut tagged, mut unreadable) = (Tagged::new(), Vec::new());
    while let Some(row) = rows.try_next().await? {
        let mut positions = PositionSet::default();
        if positions.insert_block(row.block, &row.positions) {
            let others = tagged.remove(&row.tag).unwrap_or_default();
            tagged.insert(row.tag, others.union(positions));
        } else {
            unreadable.push((row.tag, row.block));
        }
    }
    Ok((tagged, unreadable))
}

async fn remove_block(
    c: &mut DbConnection,
    app: &AppId,
    (tag, block): (&str, i64),
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
