//! How long commits take. Without a recorder of the `metrics` crate nothing is recorded.

use std::time::Duration;

use metrics::{describe_histogram, histogram};

/// The histogram of the commits' durations.
pub const COMMIT_DURATION: &str = "hato_sqlite_commit_duration_seconds";

/// Describes the durations to the recorder, so that they are exported before anything is written.
pub fn describe() {
    describe_histogram!(
        COMMIT_DURATION,
        "Time that commits to the SQLite database take, those that change nothing included"
    );
    let _ = histogram!(COMMIT_DURATION);
}

/// Takes note of how long a commit took. It is looked up anew, for the database is open before anybody records.
pub(crate) fn record_commit(took: Duration) {
    histogram!(COMMIT_DURATION).record(took);
}
