//! There are no circles of modules: of two modules that stand beside each other, one at most uses the other, by itself or by way of
//! others.
//!
//! A module and those below it are one thing here, as seen from the modules beside it. So what a module and its own parent take of each
//! other is no circle.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cargo_metadata::{MetadataCommand, TargetKind};

use self::source::{ModulePath, Sources};

/// Which module uses which of those beside it, with one use that shows it.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// The uses between siblings, by the module in which they stand.
fn uses_between_siblings(sources: &Sources) -> BTreeMap<ModulePath, Uses> {
    let mut by_parent: BTreeMap<ModulePath, Uses> = BTreeMap::new();
    for (user, used) in sources.uses() {
        let common = user.iter().zip(&used).take_while(|(a, b)| a == b).count();
        let (Some(from), Some(to)) = (user.get(common), used.get(common)) else {
            continue;
        };
        let uses = by_parent.entry(user[..common].to_vec()).or_default();
        let shown = format!("{} uses {}", user.join("::"), used.join("::"));
        let of_module = uses.entry(from.clone()).or_default();
        of_module.entry(to.clone()).or_insert(shown);
    }
    by_parent
}

/// A circle among the modules, as the uses that make it; `None` when there is none.
fn circle(mut uses: Uses) -> Option<Vec<String>> {
    // What uses nothing is part of no circle, and what then uses nothing neither.
    loop {
        let left: BTreeSet<String> = uses.keys().cloned().collect();
        for used in uses.values_mut() {
            used.retain(|module, _| left.contains(module));
        }
        uses.retain(|_, used| !used.is_empty());
        if uses.len() == left.len() {
            break;
        }
    }
    let mut way: Vec<(&str, &str)> = Vec::new();
    let mut module = uses.keys().next()?.as_str();
    loop {
        if let Some(start) = way.iter().position(|(from, _)| *from == module) {
            let shown = way[start..].iter().map(|(_, shown)| (*shown).to_owned());
            return Some(shown.collect());
        }
        let (next, shown) = uses[module].first_key_value()?;
        way.push((module, shown));
        module = next;
    }
}

fn circles(root: &Path) -> Vec<String> {
    let sources = Sources::read(root);
    let between_siblings = uses_between_siblings(&sources).into_values();
    let circles = between_siblings.filter_map(circle);
    circles
        .map(|circle| format!("{}: {}", root.display(), circle.join(", and ")))
        .collect()
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .exec();
    let metadata = metadata.expect("cargo describes the workspace");
    let targets = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets);
    let is_test = |kind: &TargetKind| matches!(kind, TargetKind::Test | TargetKind::CustomBuild);
    let roots = targets.filter(|target| !target.kind.iter().any(is_test));
    let circles: Vec<_> = roots
        .flat_map(|target| circles(target.src_path.as_std_path()))
        .collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_is_found_whatever_way_it_takes() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("lib.rs", "mod a; mod b; mod c; pub use c::deep::Deep;");
    write("a.rs", "use super::b::{self, B};");
    write(
        "b.rs",
        "#[cfg(test)] mod tests { use crate::a; } fn b() { crate::Deep::new() }",
    );
    write("c.rs", "pub mod deep; use self::deep::Deep;");
    write("c/deep.rs", "use super::super::d; // use crate::a;");
    assert_eq!(circles(&folder.path().join("lib.rs")), Vec::<String>::new());
    write("c/deep.rs", "use crate::{a::A, c};");
    let found = circles(&folder.path().join("lib.rs"));
    let found = found.first().expect("a circle");
    for step in ["a uses b", "b uses c::deep", "c::deep uses a"] {
        assert!(found.contains(step), "{found}");
    }
}
