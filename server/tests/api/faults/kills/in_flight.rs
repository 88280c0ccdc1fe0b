//! What a server had in flight when it was killed: the pages that it had claimed.

use std::collections::HashSet;
use std::fs;

use hato_service::ports::{Clock as _, SystemClock};
use serde_json::Value;
use sqlx::{Connection as _, SqliteConnection};
use tempfile::TempDir;

use super::super::{DeliveryCounts, FaultFixture};
use crate::database::DatabaseConnection;

/// How long a claimed page stays claimed (CONTRACT 7), ms.
const LEASE: i64 = 20_000;
/// Recipients of a page at most.
const PAGE: usize = 500;
/// Pages of one app in slots, and parked ones of which all recipients but a few are answered (docs/ENGINE.md).
const MAX_PAGES: usize = 9 + 33;

/// A subscription's row number, position and endpoint.
type Subscription = (i64, i64, String);

/// Pages that were claimed.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) pages: usize,
    /// In how many of them each browser is, at most; who is in none has no entry.
    pub(super) browsers: DeliveryCounts,
}

impl InFlight {
    fn new(pages: &[String], subscriptions: &[Subscription]) -> Self {
        let mut browsers = DeliveryCounts::new();
        for page in pages {
            let endpoints = endpoints(page, subscriptions);
            assert!(endpoints.len() <= PAGE, "{page}");
            for endpoint in endpoints {
                let (_, id) = endpoint.rsplit_once('/').expect("a path");
                *browsers.entry(id.to_owned()).or_default() += 1;
            }
        }
        Self {
            pages: pages.len(),
            browsers,
        }
    }

    /// Recipients of all pages together, at most.
    pub(super) fn recipients(&self) -> u64 {
        self.browsers.values().sum()
    }

    /// Counts these pages beside those of other kills.
    pub(super) fn add_to(self, counts: &mut DeliveryCounts) {
        for (id, count) in self.browsers {
            *counts.entry(id).or_default() += count;
        }
    }

    /// No more than a server may have of one app; in recipients, for pages of retries are small.
    pub(super) fn assert_bounded(&self) {
        let most = (MAX_PAGES * PAGE) as u64;
        assert!(self.recipients() <= most, "{self:?}");
    }
}

/// This machine's clock, Unix milliseconds.
pub(super) fn now() -> i64 {
    SystemClock.now().0
}

impl FaultFixture {
    /// The pages that the killed server had claimed, which was started then. Leases of one before it end sooner than any of its own.
    pub(super) async fn in_flight(&self, started: i64) -> InFlight {
        let leased_until = started + LEASE;
        let pages = format!(
            "SELECT COALESCE(recipients,
                             '{{\"after\":' || after_position || ',\"up_to\":' || up_to_position || '}}')
             FROM jobs WHERE claimed = 1 AND due_at >= {leased_until}"
        );
        let subscriptions =
            "SELECT '[' || id || ',' || position || ',\"' || endpoint || '\"]' FROM subscriptions";
        let (mut database, _folder) = self.database_left_behind().await;
        let pages: Vec<String> = database.values(&pages).await;
        let subscriptions: Vec<String> = database.values(subscriptions).await;
        let read = |it: &String| serde_json::from_str(it).expect("JSON");
        let subscriptions: Vec<Subscription> = subscriptions.iter().map(read).collect();
        InFlight::new(&pages, &subscriptions)
    }

    /// The database as the killed server has left it. Of a file it is a copy, in the folder: who opens the file first takes in its log,
    /// and that is the next server's part.
    async fn database_left_behind(&self) -> (DatabaseConnection, Option<TempDir>) {
        let Some(folder) = self.server.database().folder() else {
            return (DatabaseConnection::to(&self.server).await, None);
        };
        let copy = tempfile::tempdir().expect("a folder");
        // Who was killed at the start may have begun no log.
        let files = ["hato.db", "hato.db-wal"].map(|name| (folder.join(name), name));
        for (file, name) in files.into_iter().filter(|(file, _)| file.exists()) {
            fs::copy(file, copy.path().join(name)).expect("copied");
        }
        let url = format!("sqlite:{}", copy.path().join("hato.db").display());
        let connection = SqliteConnection::connect(&url).await.expect("a database");
        (DatabaseConnection::Sqlite(connection), Some(copy))
    }
}

/// The endpoints of a page's recipients: those of a list of row numbers, or of a range of positions.
fn endpoints<'a>(page: &str, subscriptions: &'a [Subscription]) -> Vec<&'a str> {
    let is_of_page: Box<dyn Fn(i64, i64) -> bool> = match serde_json::from_str(page) {
        Ok(Value::Array(rows)) => {
            let rows: HashSet<_> = rows.iter().map(|it| it.as_i64().expect("a row")).collect();
            Box::new(move |row, _| rows.contains(&row))
        }
        range => {
            let range = range.expect("JSON");
            let [after, up_to] = ["after", "up_to"].map(|end| range[end].as_i64());
            let (after, up_to) = (after.expect("a position"), up_to.expect("a position"));
            Box::new(move |_, position| position > after && position <= up_to)
        }
    };
    let found = subscriptions.iter();
    let found = found.filter(|(row, position, _)| is_of_page(*row, *position));
    found.map(|(_, _, endpoint)| endpoint.as_str()).collect()
}
