//! How SQLite runs the store's statements: by indexes, so that what one costs does not grow with what everybody has stored.

use std::collections::BTreeSet;
use std::path::Path;

use hato_store_sqlite::Database;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Row as _, SqliteConnection};

/// Whole tables or indexes that are read, in their order, and what ends that.
const READ_THROUGH: [(&str, &str); 10] = [
    ("send_failures", "an operator's check"),
    (
        "s USING INDEX sqlite_autoindex_sends_1",
        "an operator's check",
    ),
    ("jobs", "the repair after the clock was set back"),
    (
        "jobs USING COVERING INDEX jobs_by_send",
        "a count up to a limit",
    ),
    (
        "w USING COVERING INDEX sqlite_autoindex_webhooks_1",
        "the janitor looks at every webhook",
    ),
    (
        "e USING INDEX webhook_events_finished",
        "the janitor, a limit",
    ),
    (
        "webhook_events USING COVERING INDEX webhook_events_due",
        "a count up to a limit",
    ),
    (
        "webhook_events USING INDEX webhook_events_due",
        "the repair after the clock was set back",
    ),
    (
        "checked USING INDEX sqlite_autoindex_sends_1",
        "an operator's check",
    ),
    (
        "checked USING INDEX finished_sends",
        "an operator's check, repairing",
    ),
];

/// The store's statements, which sqlx has written down for builds without a database.
fn statements() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx");
    let files = std::fs::read_dir(folder).expect("the folder of the query data");
    let statement = |file: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read(file.expect("a file").path()).expect("it is readable");
        let data: Value = serde_json::from_slice(&text).expect("JSON");
        data["query"].as_str().expect("a statement").to_owned()
    };
    files.map(statement).collect()
}

/// The lines of the statement's plan.
async fn plan(file: &mut SqliteConnection, statement: &str) -> Vec<String> {
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
    let rows = sqlx::query(explain).fetch_all(file).await;
    let rows = rows.unwrap_or_else(|error| panic!("{error}: {statement}"));
    rows.iter().map(|row| row.get("detail")).collect()
}

/// What a plan reads through, besides what the statement has made itself and lists that it was given.
fn read_through(plan: &[String]) -> Vec<String> {
    let made = |line: &String| {
        let rest = line
            .strip_prefix("CO-ROUTINE ")
            .or(line.strip_prefix("MATERIALIZE "));
        rest.map(str::to_owned)
    };
    let made: BTreeSet<String> = plan.iter().filter_map(made).collect();
    let scanned = plan.iter().filter_map(|line| line.strip_prefix("SCAN "));
    let scanned = scanned.map(|it| it.trim_end_matches(" LEFT-JOIN"));
    let is_table =
        |it: &&str| !made.contains(*it) && !it.contains("VIRTUAL TABLE") && *it != "CONSTANT ROW";
    scanned.filter(is_table).map(str::to_owned).collect()
}

async fn database() -> (tempfile::TempDir, SqliteConnection) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("hato.db");
    let database = Database::open(&path).await.expect("a new file");
    drop(database);
    let options = SqliteConnectOptions::new().filename(path);
    (folder, options.connect().await.expect("the file"))
}

#[tokio::test]
async fn no_statement_reads_a_whole_table_unawares() {
    let (_folder, mut file) = database().await;
    let statements = statements();
    assert!(statements.len() > 100);
    let mut seen = BTreeSet::new();
    for statement in statements {
        let plan = plan(&mut file, &statement).await;
        for scan in read_through(&plan) {
            let known = READ_THROUGH.iter().any(|(known, _)| *known == scan);
            assert!(known, "{scan} in {statement}");
            seen.insert(scan);
        }
    }
    assert_eq!(seen.len(), READ_THROUGH.len(), "{seen:#?}");
}

/// How the statements are run that have these words.
async fn plans_of(words: &str) -> Vec<Vec<String>> {
    let (_folder, mut file) = database().await;
    let statements = statements();
    let mut plans = Vec::new();
    for statement in statements.iter().filter(|it| it.contains(words)) {
        plans.push(plan(&mut file, statement).await);
    }
    assert!(!plans.is_empty(), "no statement has {words}");
    plans
}

#[tokio::test]
async fn whether_an_event_may_name_a_subscription_is_one_look_at_an_index() {
    let look = "SEARCH e USING INDEX webhook_events_waiting (app_id=? AND created_at<?)";
    for plan in plans_of("may_be_named").await {
        assert!(plan.iter().any(|line| line == look), "{plan:#?}");
    }
}

#[tokio::test]
async fn endpoints_users_and_blocks_of_tags_are_found_by_their_keys() {
    for (words, look) in [
        (
            "SELECT id AS \"id!\", position FROM subscriptions",
            "SEARCH subscriptions USING INDEX sqlite_autoindex_subscriptions_2 (app_id=? AND endpoint_hash=?)",
        ),
        (
            "SELECT id, position, tags FROM subscriptions WHERE app_id = $2 AND user_id IN",
            "SEARCH subscriptions USING INDEX subscriptions_by_user (app_id=? AND user_id=?)",
        ),
        (
            "AND user_id = $2 AND id > $3 ORDER BY id",
            "SEARCH subscriptions USING INDEX subscriptions_by_user (app_id=? AND user_id=? AND id>?)",
        ),
        (
            "CROSS JOIN tag_positions",
            "SEARCH t USING PRIMARY KEY (app_id=? AND tag=? AND block=?)",
        ),
    ] {
        for plan in plans_of(words).await {
            assert!(plan.iter().any(|line| line == look), "{plan:#?}");
        }
    }
}
