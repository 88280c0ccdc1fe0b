//! What a release is packed into. Listing what the programs are made of (`scripts/sbom`) compiles another tool first, and is not run
//! here.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{assert_success, root};

/// What a package is made of.
const PACKED: [&str; 10] = [
    "scripts/package",
    "deploy",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "docs/DEPLOY.md",
    "docs/FLEET.md",
    "docs/METRICS.md",
    "docs/CLI.md",
];

/// Programs that only know their version.
fn stand_ins(folder: &Path) {
    for name in ["hato-server", "hato"] {
        let program = folder.join(name);
        fs::write(&program, "#!/bin/sh\necho hato-server 1.2.3\n").expect("a file");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
}

/// The archive that the script of this repository makes of the programs, and its bytes.
fn package(repository: &Path, programs: &Path) -> (String, Vec<u8>) {
    let folder = TempDir::new().expect("a folder");
    let mut script = Command::new(repository.join("scripts/package"));
    let packed = script.arg(folder.path()).env("HATO_BIN_DIR", programs);
    let packed = packed.output().expect("it runs");
    assert_success(&packed);
    let path = String::from_utf8(packed.stdout).expect("a path");
    let bytes = fs::read(path.trim()).expect("an archive");
    let mut tar = Command::new("tar");
    let listed = tar.args(["--list", "--file", path.trim()]).output();
    let listed = listed.expect("tar runs");
    assert_success(&listed);
    (String::from_utf8(listed.stdout).expect("names"), bytes)
}

#[test]
fn a_package_has_the_programs_and_what_running_them_takes_and_is_the_same_each_time() {
    let programs = TempDir::new().expect("a folder");
    stand_ins(programs.path());
    let (names, bytes) = package(&root(), programs.path());
    let top = format!("hato-1.2.3-linux-{}", std::env::consts::ARCH);
    for file in [
        "hato-server",
        "hato",
        "deploy/systemd/hato.service",
        "deploy/prometheus/hato.rules.yml",
        "docs/DEPLOY.md",
        "docs/FLEET.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        let name = format!("{top}/{file}");
        assert!(names.lines().any(|line| line == name), "{name} in {names}");
    }
    assert_eq!(package(&root(), programs.path()), (names, bytes));
}

#[test]
fn a_package_leaves_out_the_secrets_that_deploying_has_written() {
    let repository = TempDir::new().expect("a folder");
    let repository = repository.path();
    for path in PACKED {
        let target = repository.join(path);
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        let mut copy = Command::new("cp");
        let copied = copy.arg("-RT").arg(root().join(path)).arg(&target);
        assert_success(&copied.output().expect("cp runs"));
    }
    let programs = TempDir::new().expect("a folder");
    stand_ins(programs.path());
    let without = package(repository, programs.path());
    for secrets in ["deploy/secrets.env", "deploy/.env", "deploy/caddy/.env"] {
        fs::write(repository.join(secrets), "HATO_PEPPER=a\n").expect("a file");
    }
    assert_eq!(package(repository, programs.path()), without);
}
