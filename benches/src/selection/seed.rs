//! Tags and users, written into a server's database while the server does not run.

use std::collections::BTreeMap;
use std::path::Path;

use hato_domain::PositionSet;
use rusqlite::{Connection, params};

/// Tags of each subscription.
pub const TAGS_EACH: u64 = 5;
/// The tag that 100 of a million have, and its opposite.
const RARE: [&str; 2] = ["many", "few"];
/// Which half of the subscriptions has which tag, by a bit of the subscription's number.
const HALVES: [[&str; 2]; 4] = [
    ["half", "rest"],
    ["lang:ja", "lang:en"],
    ["plan:free", "plan:pro"],
    ["news", "sports"],
];

/// The tags of the subscription at this position.
fn tags(position: u64, rare_step: u64) -> [&'static str; 5] {
    let half = |which: usize| HALVES[which][(position >> which & 1) as usize];
    let rare = usize::from(position.is_multiple_of(rare_step));
    [half(0), half(1), half(2), half(3), RARE[rare]]
}

/// Gives each of the app's subscriptions five tags and a user.
pub fn add_tags(data_dir: &Path, app: &str, count: u64) -> anyhow::Result<()> {
    let mut connection = Connection::open(data_dir.join("hato.db"))?;
    connection.execute_batch(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;",
    )?;
    let transaction = connection.transaction()?;
    let mut index: BTreeMap<&str, PositionSet> = BTreeMap::new();
    {
        let mut update = transaction.prepare(
            "UPDATE subscriptions SET user_id = ?3, tags = ?4 WHERE app_id = ?1 AND position = ?2",
        )?;
        for position in 1..=count {
            let mut tags = tags(position, count / super::FEW);
            tags.sort_unstable();
            for tag in tags {
                index.entry(tag).or_default().insert(position as i64);
            }
            let text = serde_json::to_string(&tags)?;
            update.execute(params![app, position as i64, user(position), text])?;
        }
        let mut insert =
            transaction.prepare("INSERT INTO tag_positions VALUES (?1, ?2, ?3, ?4)")?;
        for (tag, positions) in index {
            for (block, bytes) in positions.blocks() {
                insert.execute(params![app, tag, block, bytes])?;
            }
        }
    }
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// The user of the subscription at this position.
pub fn user(position: u64) -> String {
    format!("user-{position}")
}

/// Bytes of the blocks with their keys, and of the texts beside the subscriptions.
pub fn sizes(data_dir: &Path) -> anyhow::Result<(f64, f64)> {
    let connection = Connection::open(data_dir.join("hato.db"))?;
    let number = |statement: &str| connection.query_row(statement, [], |row| row.get::<_, f64>(0));
    let blocks = number(
        "SELECT CAST(SUM(LENGTH(app_id) + LENGTH(tag) + 4 + LENGTH(positions)) AS REAL) FROM tag_positions",
    )?;
    let texts =
        number("SELECT CAST(SUM(LENGTH(tags)) AS REAL) FROM subscriptions WHERE tags IS NOT NULL")?;
    Ok((blocks, texts))
}
