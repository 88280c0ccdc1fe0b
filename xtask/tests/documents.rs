//! What documents name is there: the glossary's files, and every path of the repository in `docs/` and `README.md`. Decisions stand in
//! their order.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// More than a newcomer reads.
const MAX_TERMS: usize = 70;

/// Folders that documents name files of.
const FOLDERS: [&str; 13] = [
    "app/",
    "benches/",
    "crates/",
    "deploy/",
    "docs/",
    "end2end/",
    "frontend/",
    "migrations/",
    "scripts/",
    "server/",
    "style/",
    "sw/",
    "xtask/",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of each row of the glossary, its head left out.
fn terms() -> Vec<Vec<String>> {
    let glossary = read(&root().join("docs/GLOSSARY.md"));
    let rows = glossary.lines().filter(|line| line.starts_with("| "));
    let cells = |row: &str| {
        row.trim_matches('|')
            .split(" | ")
            .map(|it| it.trim().to_owned())
            .collect()
    };
    rows.skip(1).map(cells).collect()
}

/// README and every document, with its path.
fn documents() -> Vec<(PathBuf, String)> {
    let folders = [root().join("docs"), root().join("docs/guides")];
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let documents = paths.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let all = documents.chain([root().join("README.md")]);
    all.map(|path| (path.clone(), read(&path))).collect()
}

/// The paths of the repository among the words in backticks; patterns with braces or stars stand for several.
fn paths(document: &str) -> BTreeSet<&str> {
    let quoted = document.split('`').skip(1).step_by(2);
    quoted
        .filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
        .filter(|word| !word.contains(['{', '*', '…', ' ', '<', '\n']))
        // It is made by the first release of the SDK.
        .filter(|word| !word.starts_with("sw/releases"))
        .collect()
}

/// The headings of a document of decisions that do not begin with a date, or with a later one than the decision above them in the
/// same subject.
fn misplaced_decisions(document: &str) -> Vec<&str> {
    let mut last = None;
    let headings = document.lines().filter(|line| line.starts_with("##"));
    headings
        .filter(|heading| {
            let Some(decision) = heading.strip_prefix("### ") else {
                last = None;
                return false;
            };
            let date = decision.split_once(": ").map(|(date, _)| date);
            let date = date.filter(|date| is_date(date));
            let is_misplaced = date.is_none() || last.is_some_and(|last| date > Some(last));
            last = date.or(last);
            is_misplaced
        })
        .collect()
}

/// Whether it has the form `2026-01-31`.
fn is_date(text: &str) -> bool {
    let digits = text.replace(|c: char| c.is_ascii_digit(), "0");
    digits == "0000-00-00"
}

#[test]
fn the_glossary_has_one_sentence_one_source_and_one_file_for_each_term() {
    let terms = terms();
    assert!(terms.len() <= MAX_TERMS, "{} terms", terms.len());
    let names: BTreeSet<_> = terms.iter().map(|cells| cells[0].as_str()).collect();
    assert_eq!(names.len(), terms.len(), "a term stands twice");
    for cells in &terms {
        let [term, sentence, source, file] = cells.as_slice() else {
            panic!("{cells:?} has not four cells");
        };
        assert!(sentence.ends_with('.'), "{term}: {sentence}");
        let known = ["RFC ", "SPEC ", "CONTRACT "];
        assert!(
            known.iter().any(|it| source.starts_with(it)),
            "{term}: {source}"
        );
        let path = file.split(['[', ']']).nth(1).unwrap_or_default();
        assert!(root().join(path).is_file(), "{term}: {file}");
    }
}

#[test]
fn every_path_that_a_document_names_is_there() {
    let mut missing = Vec::new();
    for (document, text) in documents() {
        let paths = paths(&text)
            .into_iter()
            .filter(|path| !root().join(path).exists());
        missing.extend(paths.map(|path| format!("{}: {path}", document.display())));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn decisions_stand_newest_first_within_their_subject() {
    let decisions = read(&root().join("docs/DECISIONS.md"));
    assert!(decisions.matches("\n### ").count() > 100);
    let misplaced = misplaced_decisions(&decisions);
    assert!(misplaced.is_empty(), "{misplaced:#?}");
}

#[test]
fn a_decision_that_is_younger_than_the_one_above_is_misplaced() {
    let document = "## A\n### 2026-11-22: b\n### 2026-11-22: c\n### 2026-11-23: d\n### 2026-11-21: e\n### f\n\
                    ## B\n### 2026-11-23: g\n";
    assert_eq!(
        misplaced_decisions(document),
        ["### 2026-11-23: d", "### f"]
    );
}
