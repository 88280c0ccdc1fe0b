//! Which API keys wait to be hashed with the current pepper, for people.

use hato_domain::UnixMillis;
use hato_service::ports::{PepperId, WaitingKey};

use super::table;

const HEAD: [&str; 4] = ["APP", "KEY", "LAST_USED", "NAME"];

/// How many keys wait for their next use, and a line for each of them. Keys that neither pepper has hashed can be used no more; where
/// there is no pepper before the current one, none waits.
pub fn report(keys: &[WaitingKey], previous: Option<PepperId>) -> String {
    let Some(previous) = previous else {
        return "HATO_PREVIOUS_PEPPER is not set: no key waits for the current pepper\n".to_owned();
    };
    let waits = |key: &&WaitingKey| match &key.pepper {
        Some(pepper) => **pepper == previous,
        // Older than the record of peppers, so it is that of the previous one.
        None => true,
    };
    let rows: Vec<_> = keys.iter().filter(waits).map(row).collect();
    let (waiting, lost) = (rows.len(), keys.len() - rows.len());
    let lost = match lost {
        0 => String::new(),
        _ => format!("{lost} keys are hashed with neither pepper, and can be used no more\n"),
    };
    let table = match waiting {
        0 => String::new(),
        _ => table::aligned(HEAD, &rows, HEAD.len()),
    };
    format!("{waiting} keys wait for the current pepper\n{lost}{table}")
}

fn row(key: &WaitingKey) -> [String; 4] {
    let record = &key.record;
    let last_used = record.last_used_at;
    [
        record.app_id.to_string(),
        record.id.to_string(),
        last_used.map_or_else(|| "never".to_owned(), UnixMillis::day),
        record.name.clone(),
    ]
}
