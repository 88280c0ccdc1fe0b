//! Sends to a part of the audience: who that is, and how it stands in the database until it has been delivered.
//!
//! Who meets the conditions is asked outside of the transaction that accepts the send, by one statement or in one snapshot, and so for one
//! moment between the request's arrival and its answer. A page's worth of recipients is queued as a list like that of a batch. More of them
//! are kept as blocks of positions, and queued as one job that claims take pages off, like a broadcast.

use std::collections::HashMap;

use hato_domain::{AppId, AudienceFilter, PositionSet, Tag, TagExpression, TagMatches, UserId};
use hato_service::ports::RecipientId;
use serde::{Deserialize, Serialize};
use sqlx::Executor;

use crate::Database;
use crate::costly_selections::SelectionOccasion;
use crate::dialect::{DbConnection, Driver, costly_snapshot, readers, sql};
use crate::error::{decode_error, json};
use crate::values::{count_i64, parse_tags};
use crate::written_blocks::WrittenBlocks;

/// Most recipients that are queued as a list.
pub(crate) const MAX_LISTED: usize = 500;
/// Rows of users that are in memory at a time, of up to 3.4 kB of tags each: four for each user that a send may name.
const MAX_OWN_ROWS: i64 = 4_000;
/// Users that are asked for at a time, when all together have more.
const USERS_AT_A_TIME: usize = 100;
/// Blocks that a statement writes, half a megabyte, or reads.
const BLOCKS_AT_A_TIME: usize = 1_000;
const READ_BLOCKS: i64 = 64;

/// A subscription of a user; without a position it is not active.
struct OwnRow {
    id: i64,
    position: Option<i64>,
    tags: Option<String>,
}

/// Between which positions a job's recipients stand: `after < position <= up_to`. Stored as JSON in place of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectedRange {
    pub(crate) after: i64,
    pub(crate) up_to: i64,
}

impl SelectedRange {
    /// As a job holds it.
    pub(crate) fn to_json(self) -> sqlx::Result<String> {
        json(&self)
    }

    /// The part of it up to this position.
    pub(crate) fn ending_at(self, up_to: i64) -> Self {
        Self { up_to, ..self }
    }

    /// What a job holds that has no list.
    pub(crate) fn from_json(text: &str) -> sqlx::Result<Self> {
        serde_json::from_str(text).map_err(|_| decode_error("range"))
    }
}

/// The active subscriptions that meet the conditions, as of one moment. What has to read a large part of an app's subscriptions waits for others
/// that do: most connections are left to those who read little. A request that waits too long is told that no connection was free.
pub(crate) async fn select(
    database: &Database,
    app: &AppId,
    filter: &AudienceFilter,
    occasion: SelectionOccasion,
) -> sqlx::Result<PositionSet> {
    let found = match (&filter.user_ids, &filter.tags) {
        (Some(users), tags) => select_few(readers(database), app, users, tags.as_ref()).await?,
        (None, Some(tags)) if tags.may_hold_without_tags() => None,
        (None, Some(tags)) => Some(select_tags(readers(database), app, tags).await?),
        (None, None) => Some(PositionSet::default()),
    };
    if let Some(found) = found {
        return Ok(found);
    }
    let turn = database.costly_selections.turn(app, occasion).await?;
    let mut snapshot = costly_snapshot(database, turn).await?;
    select_on(&mut snapshot, app, filter).await
}

/// The active subscriptions that meet the conditions. Those of users are read in parts, so as of one moment only in a snapshot.
pub(crate) async fn select_on(
    c: &mut DbConnection,
    app: &AppId,
    filter: &AudienceFilter,
) -> sqlx::Result<PositionSet> {
    match (&filter.user_ids, &filter.tags) {
        (Some(users), tags) => select_users(c, app, users, tags.as_ref()).await,
        (None, Some(tags)) => select_tags(c, app, tags).await,
        (None, None) => Ok(PositionSet::default()),
    }
}

/// Those of users who have few subscriptions, as usual; `None` when it would be a large part to hold in memory.
async fn select_few<'e>(
    reader: impl Executor<'e, Database = Driver>,
    app: &AppId,
    users: &[UserId],
    tags: Option<&TagExpression>,
) -> sqlx::Result<Option<PositionSet>> {
    let users: Vec<&str> = users.iter().map(UserId::as_str).collect();
    let rows = sql!(query_as OwnRow [
        "SELECT id, position, tags FROM subscriptions WHERE " OF_APP("user_id" IN TEXTS) " LIMIT $3"
    ] json(&users)?, app.as_str(), MAX_OWN_ROWS)
    .fetch_all(reader)
    .await?;
    if count_i64(rows.len()) == MAX_OWN_ROWS {
        return Ok(None);
    }
    let mut positions = PositionSet::default();
    add_own(&mut positions, &rows, tags)?;
    Ok(Some(positions))
}

/// Those of any users, however many subscriptions these have.
async fn select_users(
    c: &mut DbConnection,
    app: &AppId,
    users: &[UserId],
    tags: Option<&TagExpression>,
) -> sqlx::Result<PositionSet> {
    let mut positions = PositionSet::default();
    for users in users.chunks(USERS_AT_A_TIME) {
        match select_few(&mut *c, app, users, tags).await? {
            Some(few) => positions = positions.union(few),
            None => {
                for user in users {
                    add_user(c, &mut positions, (app, user), tags).await?;
                }
            }
        }
    }
    Ok(positions)
}

/// Adds those of one user, by the order of their index.
async fn add_user(
    c: &mut DbConnection,
    positions: &mut PositionSet,
    (app, user): (&AppId, &UserId),
    tags: Option<&TagExpression>,
) -> sqlx::Result<()> {
    let mut last = 0;
    loop {
        let rows = sqlx::query_as!(
            OwnRow,
            "SELECT id, position, tags FROM subscriptions
             WHERE app_id = $1 AND user_id = $2 AND id > $3 ORDER BY id LIMIT $4",
            app.as_str(),
            user.as_str(),
            last,
            MAX_OWN_ROWS
        )
        .fetch_all(&mut *c)
        .await?;
        add_own(positions, &rows, tags)?;
        match rows.last() {
            Some(row) if count_i64(rows.len()) == MAX_OWN_ROWS => last = row.id,
            _ => return Ok(()),
        }
    }
}

/// Adds those of the rows that are active and meet the condition. Asked of the database, the first would make SQLite read all that are
/// active instead of the users' own.
fn add_own(
    positions: &mut PositionSet,
    rows: &[OwnRow],
    tags: Option<&TagExpression>,
) -> sqlx::Result<()> {
    for row in rows {
        let Some(position) = row.position else {
            continue;
        };
        let own = parse_tags(row.tags.as_deref())?;
        if tags.is_none_or(|tags| tags.holds_for(&own)) {
            positions.insert(position);
        }
    }
    Ok(())
}

async fn select_tags<'e>(
    reader: impl Executor<'e, Database = Driver>,
    app: &AppId,
    expression: &TagExpression,
) -> sqlx::Result<PositionSet> {
    let names: Vec<&str> = expression.tags().map(Tag::as_str).collect();
    let names = json(&names)?;
    let (tagged, everyone) = if expression.may_hold_without_tags() {
        tagged_and_everyone(reader, app, &names).await?
    } else {
        (tagged(reader, app, &names).await?, PositionSet::default())
    };
    let matches = expression.matches(|tag| tagged.get(tag.as_str()).cloned().unwrap_or_default());
    Ok(match matches {
        TagMatches::These(positions) => positions,
        TagMatches::AllBut(positions) => everyone.difference(&positions),
    })
}

type Tagged = HashMap<String, PositionSet>;

/// Who has each of the tags of a JSON array.
async fn tagged<'e>(
    reader: impl Executor<'e, Database = Driver>,
    app: &AppId,
    names: &str,
) -> sqlx::Result<Tagged> {
    let rows = sql!(query [
        r#"SELECT tag AS "tag!", block AS "block!", positions AS "positions!" FROM tag_positions
           WHERE "# OF_APP("tag" IN TEXTS)
    ] names, app.as_str())
    .fetch_all(reader)
    .await?;
    let mut tagged = Tagged::new();
    for row in rows {
        add_block(
            tagged.entry(row.tag).or_default(),
            row.block,
            &row.positions,
        )?;
    }
    Ok(tagged)
}

/// The same, and everybody who is active at that moment: these are read block by block in the order of the index, so that nothing
/// is sorted.
async fn tagged_and_everyone<'e>(
    reader: impl Executor<'e, Database = Driver>,
    app: &AppId,
    names: &str,
) -> sqlx::Result<(Tagged, PositionSet)> {
    let rows = sql!(query [
        r#"WITH RECURSIVE blocks (block) AS (
             SELECT CAST(0 AS BIGINT)
             UNION ALL
             SELECT block + 1 FROM blocks
             WHERE block < (SELECT last_position / 4096 FROM apps WHERE id = $2)
           )
           SELECT tag AS "tag?", block AS "block!", positions AS "positions?",
                  CAST(NULL AS TEXT) AS "active?"
           FROM tag_positions WHERE "# OF_APP("tag" IN TEXTS) r#"
           UNION ALL
           SELECT NULL, block, NULL,
                  (SELECT string_agg(CAST(s.position AS TEXT), ',') FROM subscriptions AS s
                   WHERE s.app_id = $2 AND s.position >= blocks.block * 4096
                     AND s.position < (blocks.block + 1) * 4096)
           FROM blocks"#
    ] names, app.as_str())
    .fetch_all(reader)
    .await?;
    let (mut tagged, mut everyone) = (Tagged::new(), PositionSet::default());
    for row in rows {
        if let (Some(tag), Some(positions)) = (row.tag, row.positions) {
            add_block(tagged.entry(tag).or_default(), row.block, &positions)?;
        }
        for position in row.active.iter().flat_map(|active| active.split(',')) {
            everyone.insert(position.parse().map_err(|_| decode_error("position"))?);
        }
    }
    Ok((tagged, everyone))
}

/// Adds a block as it is stored.
pub(crate) fn add_block(positions: &mut PositionSet, block: i64, bytes: &[u8]) -> sqlx::Result<()> {
    let is_added = positions.insert_block(block, bytes);
    is_added
        .then_some(())
        .ok_or_else(|| decode_error("positions"))
}

/// How the recipients of a send to a part of the audience are queued.
pub(crate) enum QueuedSelection {
    /// As a list, which leaves out who is no longer active.
    Listed(Vec<RecipientId>),
    /// As the range in which the positions of the send stand.
    Range(SelectedRange),
}

/// Writes down who the recipients of the send are, unless a list of them is queued.
pub(crate) async fn save(
    c: &mut DbConnection,
    app: &str,
    send: &str,
    positions: &PositionSet,
) -> sqlx::Result<QueuedSelection> {
    if positions.len() <= MAX_LISTED {
        let positions: Vec<i64> = positions.iter().collect();
        return list(c, app, &positions).await.map(QueuedSelection::Listed);
    }
    let blocks: Vec<_> = positions.blocks().collect();
    write_positions(c, send, &blocks).await?;
    let first = positions.iter().next().unwrap_or_default();
    let last = blocks
        .last()
        .map_or(0, |(block, _)| (block + 1) * PositionSet::BLOCK_SIZE - 1);
    Ok(QueuedSelection::Range(SelectedRange {
        after: first - 1,
        up_to: last,
    }))
}

async fn write_positions(
    c: &mut DbConnection,
    send: &str,
    blocks: &[(i64, Vec<u8>)],
) -> sqlx::Result<()> {
    for blocks in blocks.chunks(BLOCKS_AT_A_TIME) {
        let written = WrittenBlocks::new(blocks)?;
        sql!(query [
            "INSERT INTO send_positions (send_id, block, positions)
             SELECT $2, written.block, written.positions FROM (" BLOCKS ") AS written"
        ] written.places, send, written.bytes)
        .execute(&mut *c)
        .await?;
    }
    Ok(())
}

async fn list(
    c: &mut DbConnection,
    app: &str,
    positions: &[i64],
) -> sqlx::Result<Vec<RecipientId>> {
    let numbers = sql!(query_scalar [
        r#"SELECT id AS "id!" FROM subscriptions
           WHERE "# OF_APP("position" IN NUMBERS) " ORDER BY position"
    ] json(positions)?, app)
    .fetch_all(c)
    .await?;
    Ok(numbers.into_iter().map(RecipientId).collect())
}

/// The first recipients of the send that stand in the range, at most `limit` of them.
pub(crate) async fn positions_in(
    c: &mut DbConnection,
    send: &str,
    range: SelectedRange,
    limit: usize,
) -> sqlx::Result<Vec<i64>> {
    let mut found = Vec::new();
    let mut block = PositionSet::block_of(range.after + 1);
    while found.len() < limit && block * PositionSet::BLOCK_SIZE <= range.up_to {
        let positions = read_blocks(c, send, &mut block).await?;
        let within = positions.iter().skip_while(|it| *it <= range.after);
        let within = within.take_while(|it| *it <= range.up_to);
        found.extend(within.take(limit - found.len()));
    }
    Ok(found)
}

/// How many recipients of the send stand in the range.
pub(crate) async fn count_in(
    c: &mut DbConnection,
    send: &str,
    range: SelectedRange,
) -> sqlx::Result<i64> {
    let mut count = 0;
    let mut block = PositionSet::block_of(range.after + 1);
    while block * PositionSet::BLOCK_SIZE <= range.up_to {
        let positions = read_blocks(c, send, &mut block).await?;
        let within = positions
            .iter()
            .filter(|it| (range.after + 1..=range.up_to).contains(it));
        count += count_i64(within.count());
    }
    Ok(count)
}

/// The next blocks of the send's positions from `block` on, which then is the one behind them.
async fn read_blocks(
    c: &mut DbConnection,
    send: &str,
    block: &mut i64,
) -> sqlx::Result<PositionSet> {
    let rows = sqlx::query!(
        r#"SELECT block AS "block!", positions AS "positions!" FROM send_positions
           WHERE send_id = $1 AND block >= $2 ORDER BY block LIMIT $3"#,
        send,
        *block,
        READ_BLOCKS
    )
    .fetch_all(c)
    .await?;
    let mut positions = PositionSet::default();
    *block = i64::MAX / PositionSet::BLOCK_SIZE;
    for row in rows {
        add_block(&mut positions, row.block, &row.positions)?;
        *block = row.block + 1;
    }
    Ok(positions)
}
