//! Each fuzz target has inputs that are kept, is replayed by a test, and has its row in `docs/RELIABILITY.md`.

use std::collections::BTreeSet;
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
        let replay = format!("replay(\"{target}\"");
        assert!(sources.contains(&replay), "nobody replays {target}");
    }
}
