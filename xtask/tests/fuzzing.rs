//! Each fuzz target has inputs that are kept, is replayed by a test, and has its row in `docs/RELIABILITY.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Most inputs of a target: they are read with each test run.
const MOST_INPUTS: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names in a folder, without what stands behind a point.
fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).expect(folder);
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect()
}

#[test]
fn each_target_has_inputs_and_a_row() {
    let targets = names("fuzz/src/bin");
    assert!(!targets.is_empty());
    assert_eq!(names("fuzz/corpus"), targets);
    assert!(names("fuzz/dictionaries").is_subset(&targets));
    let document = fs::read_to_string(root().join("docs/RELIABILITY.md")).expect("a document");
    for target in targets {
        let inputs = names(&format!("fuzz/corpus/{target}")).len();
        assert!((1..=MOST_INPUTS).contains(&inputs), "{target}: {inputs}");
        let row = format!("| `{target}` |");
        assert!(document.contains(&row), "{target} has no row");
    }
}

#[test]
fn each_target_is_replayed_by_a_test() {
    let crates = [
        "app",
        "crates/delivery",
        "crates/domain",
        "crates/outbound",
        "crates/service",
        "server",
        "sw",
    ];
    let sources = crates.map(|it| fs::read_to_string(root().join(it).join("src/fuzzing.rs")));
    let sources: String = sources.map(|source| source.expect("a source")).concat();
    for target in names("fuzz/src/bin") {
        let is_replayed = ["replay", "replay_with_tasks"]
            .iter()
            .any(|replay| sources.contains(&format!("{replay}(\"{target}\"")));
        assert!(is_replayed, "nobody replays {target}");
    }
}

/// The sources in a folder and in its folders.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let text = paths.map(|path| {
        if path.is_dir() {
            sources(&path)
        } else {
            fs::read_to_string(&path).expect("text")
        }
    });
    text.collect()
}

/// The names in a text: what is written in letters, digits and underscores.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_')
}

/// The types that others see and that are read, by a derive or by hand.
fn types_that_are_read(source: &str) -> BTreeSet<&str> {
    let (mut types, mut by_hand) = (BTreeMap::new(), BTreeSet::new());
    let mut is_derived = false;
    for line in source.lines() {
        let mut kinds = ["pub struct ", "pub enum "].into_iter();
        if line.starts_with("#[derive(") {
            is_derived = words(line).any(|it| it == "Deserialize");
        } else if let Some(name) = kinds.find_map(|kind| line.strip_prefix(kind)) {
            types.extend(words(name).next().map(|name| (name, is_derived)));
            is_derived = false;
        } else if let Some((_, name)) = line.split_once(" Deserialize<'de> for ") {
            by_hand.extend(words(name).next());
        }
    }
    types.retain(|name, is_derived| *is_derived || by_hand.contains(name));
    types.into_keys().collect()
}

/// The lines of structs' members and enums' variants.
fn members(source: &str) -> impl Iterator<Item = &str> {
    let begins = |line: &str| {
        let line = line.trim_start_matches("pub ");
        (line.starts_with("struct ") || line.starts_with("enum ")) && line.ends_with('{')
    };
    let mut is_within = false;
    source.lines().filter(move |line| {
        is_within = begins(line) || is_within && *line != "}";
        is_within && !begins(line) && !line.trim_start().starts_with(['/', '#'])
    })
}

#[test]
fn each_wire_type_is_read_by_its_target_or_a_part_of_one() {
    let source = sources(&root().join("crates/domain/src/wire"));
    let types = types_that_are_read(&source);
    assert!(types.len() > 40, "{types:?}");
    let parts: BTreeSet<_> = members(&source).flat_map(words).collect();
    let target = sources(&root().join("crates/domain/src/fuzzing/wire"));
    let read: BTreeSet<_> = words(&target).collect();
    let missing: Vec<_> = types
        .into_iter()
        .filter(|it| !parts.contains(it) && !read.contains(it))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
