//! Migrations add and leave the rest as it is (CONTRACT 17): processes of the version before go on with the tables. What nobody needs any
//! more is taken away by a later version, and is an exception here. They go on with tables that were partitioned by app as well.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Those that may take something away, and why.
const EXCEPTIONS: [(&str, &str); 4] = [
    (
        "sqlite/0012_deactivation_reasons.sql",
        "a table is written anew with one more reason, which SQLite cannot add to a check",
    ),
    (
        "sqlite/0016_subscriptions_without_updated_at.sql",
        "SQLite alone has had the column, and one version at a time has its file open",
    ),
    (
        "sqlite/0025_event_types.sql",
        "two tables are written anew without a check, which SQLite cannot take away",
    ),
    (
        "sqlite/0026_vapid_keys.sql",
        "a table is written anew with more events, which SQLite cannot add to a check",
    ),
];

/// Tables that an operator may partition by app (docs/SCALING.md): of theirs no column is unique without the app's.
const PARTITIONED: [&str; 6] = [
    "SUBSCRIPTIONS",
    "SENDS",
    "JOBS",
    "DEAD_LETTERS",
    "WEBHOOK_EVENTS",
    "WEBHOOK_ATTEMPTS",
];

/// Migrations that were there before the first table could be partitioned, whose references go with the table that they refer to.
const REFERENCES_BY_ID: [&str; 6] = [
    "0005_sends.sql",
    "0006_jobs.sql",
    "0007_webhooks.sql",
    "0019_audience.sql",
    "0023_engagement.sql",
    "0029_send_missed.sql",
];

/// The words of a migration's statements, in upper case, without comments.
fn statements(migration: &str) -> Vec<Vec<String>> {
    let code = migration
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let code = code.collect::<Vec<_>>().join("\n").to_uppercase();
    let spaced = code
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace(',', " , ");
    let words = |statement: &str| statement.split_whitespace().map(str::to_owned).collect();
    spaced.split(';').map(words).collect()
}

/// The clauses of an ALTER TABLE; what stands in parentheses divides none.
fn clauses<'a>(statement: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut clauses = vec![Vec::new()];
    let mut depth = 0_usize;
    for &word in statement {
        match word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if word == "," && depth == 0 {
            clauses.push(Vec::new());
        } else if let Some(clause) = clauses.last_mut() {
            clause.push(word);
        }
    }
    clauses
}

fn has(words: &[&str], sought: &[&str]) -> bool {
    words.windows(sought.len()).any(|window| window == sought)
}

/// The word behind another one.
fn after<'a>(words: &[&'a str], word: &str) -> Option<&'a str> {
    let place = words.iter().position(|it| *it == word)?;
    words.get(place + 1).copied()
}

/// What a clause of an ALTER TABLE does to those who know the table as it was. A constraint may take the place of one that goes, which
/// is how it allows more.
fn harm_of_clause(words: &[&str], dropped_constraints: &[&str]) -> Option<&'static str> {
    let keeps_columns = ["CONSTRAINT", "DEFAULT", "NOT", "IDENTITY", "EXPRESSION"];
    if after(words, "DROP").is_some_and(|what| !keeps_columns.contains(&what)) {
        return Some("drops a column");
    }
    if words.contains(&"RENAME") {
        return Some("renames");
    }
    if has(words, &["SET", "NOT", "NULL"]) {
        return Some("wants a value where there may be none");
    }
    if words.contains(&"ALTER") && words.contains(&"TYPE") {
        return Some("gives a column another type");
    }
    match after(words, "ADD")? {
        "CONSTRAINT" => {
            let replaces =
                after(words, "CONSTRAINT").is_some_and(|it| dropped_constraints.contains(&it));
            (!replaces).then_some("adds a constraint that older versions do not know")
        }
        "CHECK" | "FOREIGN" | "UNIQUE" | "PRIMARY" | "EXCLUDE" => {
            Some("adds a constraint that older versions do not know")
        }
        _ => {
            let is_wanted = has(words, &["NOT", "NULL"]) && !words.contains(&"DEFAULT");
            is_wanted.then_some("adds a column that older versions do not fill")
        }
    }
}

/// What older versions may call or read.
const KINDS: [&str; 8] = [
    "TABLE",
    "VIEW",
    "MATERIALIZED",
    "FUNCTION",
    "PROCEDURE",
    "SEQUENCE",
    "TYPE",
    "SCHEMA",
];

/// What a statement does to them, but to a table that its migration has made.
fn harm_of_statement(
    words: &[&str],
    new_tables: &[&str],
    dropped_constraints: &[&str],
) -> Option<&'static str> {
    if KINDS.iter().any(|kind| has(words, &["DROP", kind])) {
        return Some("drops what older versions use");
    }
    if has(words, &["CREATE", "UNIQUE", "INDEX"]) {
        let is_new = after(words, "ON").is_some_and(|table| new_tables.contains(&table));
        return (!is_new).then_some("forbids rows that older versions may write");
    }
    if !has(words, &["ALTER", "TABLE"]) {
        return None;
    }
    let clauses = clauses(words);
    clauses
        .iter()
        .find_map(|clause| harm_of_clause(clause, dropped_constraints))
}

/// What a migration does to them.
fn harm(migration: &str) -> Option<&'static str> {
    let statements = statements(migration);
    let statements: Vec<Vec<&str>> = statements
        .iter()
        .map(|words| words.iter().map(String::as_str).collect())
        .collect();
    let names = |before: [&str; 2]| -> Vec<&str> {
        let windows = statements.iter().flat_map(|words| words.windows(3));
        let named = windows.filter(|window| window[..2] == before);
        named.map(|window| window[2]).collect()
    };
    let (new_tables, dropped) = (names(["CREATE", "TABLE"]), names(["DROP", "CONSTRAINT"]));
    statements
        .iter()
        .find_map(|words| harm_of_statement(words, &new_tables, &dropped))
}

#[test]
fn a_migration_takes_nothing_from_the_version_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let mut harmful = BTreeSet::new();
    for database in ["sqlite", "postgres"] {
        let files = fs::read_dir(folder.join(database)).expect("a folder");
        for file in files.map(|file| file.expect("a file")) {
            let name = format!("{database}/{}", file.file_name().display());
            let migration = fs::read_to_string(file.path()).expect("text");
            if let Some(harm) = harm(&migration) {
                println!("{name} {harm}");
                harmful.insert(name);
            }
        }
    }
    let exceptions = EXCEPTIONS.map(|(file, _)| file.to_owned());
    assert_eq!(harmful, BTreeSet::from(exceptions));
}

/// Whether a migration refers to a row of a table that may be partitioned without the row's app, which PostgreSQL refuses then.
fn refers_without_app(migration: &str) -> bool {
    statements(migration).iter().any(|words| {
        let mut references = words.split(|word| word == "REFERENCES").skip(1);
        references.any(|reference| {
            let mut words = reference.iter().map(String::as_str);
            let is_partitioned = words
                .next()
                .is_some_and(|table| PARTITIONED.contains(&table));
            is_partitioned
                && !words
                    .take_while(|word| *word != ")")
                    .any(|word| word == "APP_ID")
        })
    })
}

#[test]
fn a_migration_refers_to_rows_of_partitioned_tables_with_their_app() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/postgres");
    let files = fs::read_dir(folder).expect("a folder");
    let found = files.map(|file| file.expect("a file")).filter(|file| {
        let migration = fs::read_to_string(file.path()).expect("text");
        refers_without_app(&migration)
    });
    let found: BTreeSet<String> = found
        .map(|file| file.file_name().display().to_string())
        .collect();
    assert_eq!(found, BTreeSet::from(REFERENCES_BY_ID.map(str::to_owned)));
}

#[test]
fn a_reference_without_the_app_is_found_however_it_is_written() {
    for migration in [
        "CREATE TABLE more (send_id TEXT REFERENCES sends (id));",
        "CREATE TABLE more (send_id TEXT REFERENCES sends(id) ON DELETE CASCADE, app_id TEXT);",
        "ALTER TABLE more ADD COLUMN job_id BIGINT REFERENCES jobs;",
        "CREATE TABLE more (a TEXT REFERENCES apps (id), b BIGINT, foreign key (b) references webhook_events (id));",
    ] {
        assert!(refers_without_app(migration), "{migration}");
    }
    for migration in [
        "CREATE TABLE more (app_id TEXT REFERENCES apps (id));",
        "CREATE TABLE more (app_id TEXT, send_id TEXT, FOREIGN KEY (app_id, send_id) REFERENCES sends (app_id, id) ON DELETE CASCADE);",
        "-- REFERENCES sends (id)\nCREATE TABLE more (send_id TEXT);",
    ] {
        assert!(!refers_without_app(migration), "{migration}");
    }
}

#[test]
fn what_takes_something_away_is_found_however_it_is_written() {
    for migration in [
        "DROP TABLE IF EXISTS apps;",
        "ALTER TABLE apps\n    DROP COLUMN name;",
        "alter table apps drop name",
        "ALTER TABLE apps ADD COLUMN a BIGINT, DROP COLUMN b;",
        "ALTER TABLE apps RENAME COLUMN a TO b;",
        "ALTER TABLE apps RENAME TO programs;",
        "ALTER TABLE apps ALTER COLUMN a SET NOT NULL;",
        "ALTER TABLE apps ADD COLUMN a TEXT DEFAULT '' , ADD COLUMN b TEXT NOT NULL;",
        "ALTER TABLE apps ADD a BIGINT NOT NULL CHECK (a IN (0, 1));",
        "DO $$ BEGIN ALTER TABLE apps DROP COLUMN a; END $$;",
        "ALTER TABLE apps ALTER COLUMN a TYPE TEXT USING a::TEXT;",
        "ALTER TABLE apps ALTER a SET DATA TYPE TEXT;",
        "ALTER TABLE apps ADD CONSTRAINT apps_b_check CHECK (b > 0);",
        "ALTER TABLE apps ADD FOREIGN KEY (a) REFERENCES accounts (id);",
        "CREATE UNIQUE INDEX apps_by_name ON apps (name);",
        "CREATE UNIQUE INDEX CONCURRENTLY apps_by_name ON apps (name);",
        "DROP FUNCTION await_claim(BIGINT);",
        "DROP VIEW IF EXISTS active;",
        "DROP TYPE mood;",
    ] {
        assert!(harm(migration).is_some(), "{migration}");
    }
    for migration in [
        "CREATE TABLE more (a TEXT NOT NULL, b TEXT);",
        "-- DROP TABLE apps;\nCREATE INDEX apps_by_name ON apps (name);",
        "ALTER TABLE apps ADD COLUMN a BIGINT NOT NULL DEFAULT 0 CHECK (a IN (0, 1));",
        "ALTER TABLE apps ADD COLUMN a TEXT;",
        "ALTER TABLE apps DROP CONSTRAINT apps_a_check, ADD CONSTRAINT apps_a_check CHECK (a IS NOT NULL OR b = 1);",
        "ALTER TABLE apps ALTER COLUMN a DROP NOT NULL, ALTER COLUMN b DROP DEFAULT;",
        "DROP INDEX apps_by_name;",
        "ALTER TABLE apps DROP CONSTRAINT apps_a_check; ALTER TABLE apps ADD CONSTRAINT apps_a_check CHECK (a > 0);",
        "CREATE TABLE more (a TEXT NOT NULL);\nCREATE UNIQUE INDEX more_by_a ON more (a);",
        "CREATE OR REPLACE FUNCTION await_claim() RETURNS BIGINT LANGUAGE sql AS 'SELECT 1';",
    ] {
        assert_eq!(harm(migration), None, "{migration}");
    }
}
