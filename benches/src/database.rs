//! Subscriptions by the million, written into a server's database while the server does not run.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use rusqlite::{Connection, Transaction, params};
use sha2::{Digest as _, Sha256};

use crate::audience::BenchAudience;

/// Subscribes the audience's members with these numbers to an app that has no subscription yet.
pub fn subscribe(
    data_dir: &Path,
    app: &str,
    audience: &BenchAudience,
    numbers: Range<u64>,
) -> anyhow::Result<()> {
    let path = data_dir.join("hato.db");
    let mut connection = Connection::open(&path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;",
    )?;
    let transaction = connection.transaction()?;
    insert(&transaction, app, audience, numbers)?;
    count(&transaction, app)?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    // What is still to be written must not slow down the server's commits.
    Ok(File::open(&path)?.sync_all()?)
}

fn insert(
    transaction: &Transaction,
    app: &str,
    audience: &BenchAudience,
    numbers: Range<u64>,
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare(
        "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                    platform, position, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'bench', ?7, 1700000000000)",
    )?;
    for (position, number) in (1_i64..).zip(numbers) {
        let (endpoint, browser) = (audience.endpoint(number), audience.browser(number));
        let hash = Sha256::digest(&endpoint).to_vec();
        let id = format!("sub_{number:032x}");
        let auth = &browser.auth[..];
        statement.execute(params![
            id,
            app,
            endpoint,
            hash,
            browser.point,
            auth,
            position
        ])?;
    }
    Ok(())
}

fn count(transaction: &Transaction, app: &str) -> rusqlite::Result<()> {
    let active: i64 = transaction.query_row(
        "SELECT COUNT(*) FROM subscriptions WHERE app_id = ?1",
        [app],
        |row| row.get(0),
    )?;
    transaction.execute(
        "UPDATE apps SET active_subscriptions = ?2, last_position = ?2 WHERE id = ?1",
        params![app, active],
    )?;
    Ok(())
}
