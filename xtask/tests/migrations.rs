//! Migrations add and leave the rest as it is (CONTRACT 17): processes of the version before go on with the tables. What nobody needs any
//! more is taken away by a later version, and is an exception here.

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
fn clauses(statement: &[String]) -> Vec<Vec<&str>> {
    let mut clauses = vec![Vec::new()];
    let mut depth = 0_usize;
    for word in statement.iter().map(String::as_str) {
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

/// What a clause of an ALTER TABLE does to those who know the table as it was.
fn harm_of_clause(words: &[&str]) -> Option<&'static str> {
    let keeps_columns = ["CONSTRAINT", "DEFAULT", "NOT", "IDENTITY", "EXPRESSION"];
    let after = |word: &str| {
        let place = words.iter().position(|it| *it == word)?;
        words.get(place + 1).copied()
    };
    if after("DROP").is_some_and(|what| !keeps_columns.contains(&what)) {
        return Some("drops a column");
    }
    if words.contains(&"RENAME") {
        return Some("renames");
    }
    if has(words, &["SET", "NOT", "NULL"]) {
        return Some("wants a value where there may be none");
    }
    let constraints = ["CONSTRAINT", "CHECK", "FOREIGN", "UNIQUE", "PRIMARY"];
    let adds_column = after("ADD").is_some_and(|what| !constraints.contains(&what));
    let is_wanted = adds_column && has(words, &["NOT", "NULL"]) && !words.contains(&"DEFAULT");
    is_wanted.then_some("adds a column that older versions do not fill")
}

/// What a migration does to them.
fn harm(migration: &str) -> Option<&'static str> {
    statements(migration).iter().find_map(|statement| {
        let words: Vec<_> = statement.iter().map(String::as_str).collect();
        if has(&words, &["DROP", "TABLE"]) {
            return Some("drops a table");
        }
        if !has(&words, &["ALTER", "TABLE"]) {
            return None;
        }
        let clauses = clauses(statement);
        clauses.iter().find_map(|clause| harm_of_clause(clause))
    })
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
    ] {
        assert_eq!(harm(migration), None, "{migration}");
    }
}
