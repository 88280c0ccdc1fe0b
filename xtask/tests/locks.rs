//! The crates that each lock file names: as crates.io has them, and the same in what is released and in what is fuzzed.

use std::fs;
use std::path::Path;

use cargo_metadata::{Dependency, DependencyKind, MetadataCommand};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

const LOCKS: [&str; 3] = ["Cargo.lock", "fuzz/Cargo.lock", "benches/Cargo.lock"];

/// What the workspaces have beside the crates whose names begin with the product's.
const OWN: [&str; 2] = ["web-push-sender", "xtask"];

/// What the fuzzer is made of.
const FUZZER: [&str; 2] = ["arbitrary", "libfuzzer-sys"];

/// A crate as a lock file has it.
struct Locked {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
    /// Names of crates.
    dependencies: Vec<String>,
}

impl Locked {
    fn parse(entry: &str) -> Self {
        let value = |name: &str| {
            let line = entry
                .lines()
                .find_map(|line| line.strip_prefix(&format!("{name} = \"")));
            line.and_then(|rest| rest.strip_suffix('"'))
                .map(str::to_owned)
        };
        Self {
            name: value("name").expect("a name"),
            version: value("version").expect("a version"),
            source: value("source"),
            checksum: value("checksum"),
            dependencies: dependencies(entry),
        }
    }

    fn is_own(&self) -> bool {
        self.name.starts_with("hato-") || OWN.contains(&&*self.name)
    }

    fn is_as_crates_io_had_it(&self) -> bool {
        self.source.as_deref() == Some(CRATES_IO) && self.checksum.is_some()
    }
}

/// What the entry needs: a line for each, with a version where there are several.
fn dependencies(entry: &str) -> Vec<String> {
    let lines = entry.lines().skip_while(|line| *line != "dependencies = [");
    let names = lines.filter_map(|line| line.strip_prefix(" \"")?.split(['"', ' ']).next());
    names.map(str::to_owned).collect()
}

fn locked(lock: &str) -> Vec<Locked> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(lock);
    let text = fs::read_to_string(path).expect("a lock file");
    let entries = text.split("\n[[package]]\n").skip(1);
    entries.map(Locked::parse).collect()
}

#[test]
fn every_crate_is_of_crates_io_and_what_it_was_when_it_was_chosen() {
    for lock in LOCKS {
        let crates = locked(lock);
        assert!(crates.len() > 100, "{lock}");
        for it in crates {
            let is_own = it.is_own() && it.source.is_none();
            assert!(is_own || it.is_as_crates_io_had_it(), "{lock}: {}", it.name);
        }
    }
}

#[test]
fn what_is_fuzzed_is_what_is_released() {
    let released = locked("Cargo.lock");
    let fuzzed = locked("fuzz/Cargo.lock");
    let others = fuzzed
        .iter()
        .filter(|it| !it.is_own() && !FUZZER.contains(&&*it.name));
    for it in others {
        let is_released = released
            .iter()
            .any(|other| (&other.name, &other.version) == (&it.name, &it.version));
        assert!(is_released, "{} {}: copy Cargo.lock", it.name, it.version);
    }
}

/// Fuzz targets and benchmarks are built with `--locked`, which fails when a crate of ours needs something else by now.
#[test]
fn every_lock_file_has_what_our_crates_need() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("metadata");
    for lock in &LOCKS[1..] {
        for it in locked(lock).iter().filter(|it| it.is_own()) {
            let Some(package) = metadata.packages.iter().find(|own| *own.name == it.name) else {
                continue;
            };
            let is_used = |it: &&Dependency| it.kind != DependencyKind::Development;
            let known: Vec<_> = package.dependencies.iter().filter(is_used).collect();
            for name in &it.dependencies {
                let is_known = known.iter().any(|known| known.name == *name);
                assert!(is_known, "{lock}: {} needs no {name}", it.name);
            }
            let needed = known
                .iter()
                .filter(|it| !it.optional && it.target.is_none());
            for needed in needed.map(|it| &it.name) {
                let is_there = it.dependencies.contains(needed);
                assert!(is_there, "{lock}: {} needs {needed}", it.name);
            }
        }
    }
}
