//! What a server had in flight when it was killed: the pages that it had claimed.

use std::fs;

use hato_service::ports::{Clock as _, SystemClock};
use serde_json::Value;
use sqlx::{Connection as _, SqliteConnection};

use super::super::FaultFixture;
use crate::database::DatabaseConnection;

/// How long a claimed page stays claimed (CONTRACT 7), ms.
const LEASE: i64 = 20_000;
/// Recipients of a page at most.
const PAGE: u64 = 500;
/// Pages of one app in slots, and parked ones of which all recipients but a few are answered (docs/ENGINE.md).
const MAX_PAGES: u64 = 9 + 33;

/// Pages that were claimed.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) pages: usize,
    /// Their recipients, at most.
    pub(super) recipients: u64,
}

impl InFlight {
    /// No more than a server may have of one app; in recipients, for pages of retries are small.
    pub(super) fn assert_bounded(&self) {
        assert!(self.recipients <= MAX_PAGES * PAGE, "{self:?}");
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
        let query = format!(
            "SELECT COALESCE(recipients,
                             '{{\"after\":' || after_position || ',\"up_to\":' || up_to_position || '}}')
             FROM jobs WHERE claimed = 1 AND due_at >= {leased_until}"
        );
        let ranges = self.values_left_behind(&query).await;
        let last = self.browsers.len() as u64;
        let sizes: Vec<u64> = ranges.iter().map(|range| size(range, last)).collect();
        assert!(sizes.iter().all(|size| *size <= PAGE), "{ranges:?}");
        InFlight {
            pages: sizes.len(),
            recipients: sizes.iter().sum(),
        }
    }

    /// What a query finds in the database as the killed server has left it. Of a file that is a copy: who opens it first takes in its
    /// log, and that is the next server's part.
    async fn values_left_behind(&self, query: &str) -> Vec<String> {
        let Some(folder) = self.server.database().folder() else {
            let mut connection = DatabaseConnection::to(&self.server).await;
            return connection.values(query).await;
        };
        let copy = tempfile::tempdir().expect("a folder");
        for name in ["hato.db", "hato.db-wal"] {
            fs::copy(folder.join(name), copy.path().join(name)).expect("copied");
        }
        let url = format!("sqlite:{}", copy.path().join("hato.db").display());
        let connection = SqliteConnection::connect(&url).await.expect("a database");
        DatabaseConnection::Sqlite(connection).values(query).await
    }
}

/// How many recipients a page has: those of a list, or of a range of positions, each of which somebody has here up to the last one.
fn size(range: &str, last: u64) -> u64 {
    match serde_json::from_str(range).expect("JSON") {
        Value::Array(numbers) => numbers.len() as u64,
        range => {
            let [after, up_to] = ["after", "up_to"].map(|end| range[end].as_u64());
            up_to.expect("a position").min(last) - after.expect("a position")
        }
    }
}
