//! What a release is packed into. Listing what the programs are made of (`scripts/sbom`) compiles another tool first, and is not run
//! here.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{assert_success, root};

/// Programs that only know their version.
fn stand_ins(folder: &Path) {
    for name in ["hato-server", "hato"] {
        let program = folder.join(name);
        fs::write(&program, "#!/bin/sh\necho hato-server 1.2.3\n").expect("a file");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
}

/// The archive that the script makes of the programs, and its bytes.
fn package(programs: &Path) -> (String, Vec<u8>) {
    let folder = TempDir::new().expect("a folder");
    let mut script = Command::new(root().join("scripts/package"));
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
    let (names, bytes) = package(programs.path());
    let top = format!("hato-1.2.3-linux-{}", std::env::consts::ARCH);
    for file in [
        "hato-server",
        "hato",
        "deploy/systemd/hato.service",
        "deploy/prometheus/hato.rules.yml",
        "docs/DEPLOY.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        let name = format!("{top}/{file}");
        assert!(names.lines().any(|line| line == name), "{name} in {names}");
    }
    assert_eq!(package(programs.path()), (names, bytes));
}
