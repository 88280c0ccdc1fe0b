//! The inputs of the fuzz targets, replayed by ordinary tests.
//!
//! A fuzz target is a function of some bytes that panics when a property does not hold. `make fuzz` looks for such bytes; those in
//! `fuzz/corpus/<target>/` are the ones that each has to stand in every test run: made by hand, or found.
//!
//! ```
//! /// A target: whatever the bytes are, what is read of them as text is written as the same bytes.
//! fn text(data: &[u8]) {
//!     if let Ok(text) = str::from_utf8(data) {
//!         assert_eq!(text.as_bytes(), data);
//!     }
//! }
//!
//! // With each file of fuzz/corpus/cursor; a panic ends the test that calls this.
//! hato_corpus::replay("cursor", text);
//! ```

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Runs `target` with each input that is kept under its name. Says which one is in work, for the panic that it may end with.
pub fn replay(name: &str, target: fn(&[u8])) {
    let inputs = inputs(name);
    assert!(!inputs.is_empty(), "{name} has no inputs");
    for input in inputs {
        println!("{}", input.display());
        target(&read(&input));
    }
}

/// The same for a target that has tasks of its own on this thread: a runtime keeps their panics from whoever does not ask for them.
pub fn replay_with_tasks(name: &str, target: fn(&[u8])) {
    count_panics();
    let before = PANICS.get();
    replay(name, target);
    assert_eq!(PANICS.get(), before, "a task of {name} has panicked");
}

thread_local! {
    static PANICS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the panics of each thread from now on.
fn count_panics() {
    static COUNTING: Once = Once::new();
    COUNTING.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            PANICS.set(PANICS.get() + 1);
            report(panic);
        }));
    });
}

/// The inputs of a target that are named `kind`, or `kind-` and what tells them apart.
pub fn inputs_of(name: &str, kind: &str) -> Vec<Vec<u8>> {
    let is_of_kind = |path: &PathBuf| {
        let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        file.split('-').next() == Some(kind)
    };
    inputs(name)
        .into_iter()
        .filter(is_of_kind)
        .map(read)
        .collect()
}

/// What libFuzzer puts into the inputs of a target (`fuzz/dictionaries`): `"..."` on each line, with backslashes before quotes.
pub fn dictionary(name: &str) -> String {
    let path = root().join(format!("fuzz/dictionaries/{name}.dict"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(input: impl AsRef<Path>) -> Vec<u8> {
    let input = input.as_ref();
    fs::read(input).unwrap_or_else(|error| panic!("{}: {error}", input.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn inputs(name: &str) -> Vec<PathBuf> {
    let folder = root().join("fuzz/corpus").join(name);
    let entries = fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files = entries.map(|entry| entry.expect("a folder can be read").path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort_unstable();
    files
}
