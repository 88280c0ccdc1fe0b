//! The crate graph is the architecture: who may use whom (docs/ARCHITECTURE.md).

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// Each crate of the workspace and those it may use; optional ones are in the second list and only
/// behind the feature `ssr`.
const ALLOWED_DEPENDENCIES: [(&str, &[&str], &[&str]); 18] = [
    ("hato-cluster", &[], &[]),
    ("hato-corpus", &[], &[]),
    ("hato-curve", &[], &[]),
    ("hato-domain", &[], &[]),
    ("hato-outbound", &["hato-domain"], &[]),
    ("hato-service", &["hato-domain"], &[]),
    (
        "hato-delivery",
        &["hato-curve", "hato-domain", "hato-outbound", "hato-service"],
        &[],
    ),
    ("hato-store-postgres", &["hato-domain", "hato-service"], &[]),
    ("hato-store-sqlite", &["hato-domain", "hato-service"], &[]),
    (
        "hato-store",
        &[
            "hato-domain",
            "hato-service",
            "hato-store-postgres",
            "hato-store-sqlite",
        ],
        &[],
    ),
    ("hato-app", &["hato-domain"], &["hato-service"]),
    ("hato-frontend", &["hato-app"], &[]),
    ("hato-sw", &["hato-domain"], &[]),
    ("hato-cli", &["hato-domain"], &[]),
    (
        "hato-server",
        &[
            "hato-app",
            "hato-delivery",
            "hato-domain",
            "hato-outbound",
            "hato-service",
            "hato-store",
            "hato-store-postgres",
            "hato-store-sqlite",
        ],
        &[],
    ),
    (
        "hato-testkit",
        &[
            "hato-cluster",
            "hato-delivery",
            "hato-domain",
            "hato-server",
            "hato-service",
            "hato-store",
            "hato-store-postgres",
            "hato-store-sqlite",
            "hato-testkit-macros",
        ],
        &[],
    ),
    ("hato-testkit-macros", &[], &[]),
    ("xtask", &["hato-cluster"], &[]),
];

/// What a browser must never download.
const SERVER_ONLY: [&str; 3] = ["axum", "sqlx", "tokio"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn metadata() -> Metadata {
    let manifest = root().join("Cargo.toml");
    MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .exec()
        .expect("cargo describes the workspace")
}

/// The crates of the workspace that `package` uses in its own code, optionally or always.
fn workspace_dependencies<'a>(
    package: &'a Package,
    members: &BTreeSet<&str>,
    optional: bool,
) -> BTreeSet<&'a str> {
    package
        .dependencies
        .iter()
        .filter(|used| used.kind != DependencyKind::Development && used.optional == optional)
        .map(|used| used.name.as_str())
        .filter(|name| members.contains(name))
        .collect()
}

#[test]
fn crates_use_only_those_below_them() {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    let members = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    for package in packages {
        let (_, always, with_ssr) = ALLOWED_DEPENDENCIES
            .iter()
            .find(|(name, ..)| *name == package.name.as_str())
            .unwrap_or_else(|| panic!("say in ALLOWED_DEPENDENCIES what {} may use", package.name));
        for (allowed, optional) in [(always, false), (with_ssr, true)] {
            let allowed = allowed.iter().copied().collect();
            let used = workspace_dependencies(package, &members, optional);
            let surplus: Vec<_> = used.difference(&allowed).collect();
            assert!(
                surplus.is_empty(),
                "{} must not use {surplus:?}",
                package.name
            );
        }
    }
}

#[test]
fn only_tests_use_the_testkit() {
    for package in metadata().workspace_packages() {
        for used in package
            .dependencies
            .iter()
            .filter(|used| ["hato-corpus", "hato-testkit"].contains(&used.name.as_str()))
        {
            assert_eq!(used.kind, DependencyKind::Development, "{}", package.name);
        }
    }
}

#[test]
fn wasm_has_nothing_of_the_server() {
    for package in ["hato-frontend", "hato-sw"] {
        let tree = wasm_tree(package);
        assert!(
            tree.contains("wasm-bindgen"),
            "{package} is bound to the browser: {tree:?}"
        );
        for name in SERVER_ONLY
            .iter()
            .chain(&["hato-service", "hato-store", "hato-testkit"])
        {
            assert!(
                !tree.contains(*name),
                "{package} drags {name} into the browser"
            );
        }
    }
}

/// The names of all crates compiled into the package's wasm.
fn wasm_tree(package: &str) -> BTreeSet<String> {
    let cargo = env::var_os("CARGO").expect("cargo runs the tests");
    let output = Command::new(cargo)
        .current_dir(root())
        .args([
            "tree",
            "--package",
            package,
            "--target",
            "wasm32-unknown-unknown",
        ])
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let names = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    names
        .lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect()
}
