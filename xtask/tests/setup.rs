//! What `scripts/setup` says where PostgreSQL is missing or too old, or a browser is no package: `make test` stops there.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Where Debian keeps PostgreSQL, which is elsewhere for the script here: this machine has one.
const DEBIAN_FOLDER: &str = "/usr/lib/postgresql";

/// A machine that has Rust, and nothing else unless it is given.
struct BareMachine {
    folder: TempDir,
}

impl BareMachine {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        fs::create_dir(folder.path().join("bin")).expect("a folder");
        let machine = Self { folder };
        machine.give("cargo", "exit 0");
        // What the script itself is made of.
        symlink(installed("sed"), machine.bin().join("sed")).expect("a link");
        machine
    }

    fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// A program that does no more than this.
    fn give(&self, name: &str, does: &str) {
        let path = self.bin().join(name);
        fs::write(&path, format!("#!/bin/sh\n{does}\n")).expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("changed");
    }

    fn give_postgresql(&self, version: &str) {
        self.give("initdb", &format!("echo 'initdb (PostgreSQL) {version}'"));
    }

    /// Root's package manager, whose lists are asked by this.
    fn give_apt(&self, shows: &str) {
        self.give("id", "echo 0");
        self.give("env", "exit 0");
        self.give("apt-get", "exit 0");
        self.give("apt-cache", shows);
    }

    /// What the script says when it stops before a test.
    fn refusal(&self) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/setup");
        let script = fs::read_to_string(script).expect("the script");
        assert!(script.contains(DEBIAN_FOLDER));
        let nowhere = self.folder.path().display().to_string();
        let copy = self.folder.path().join("setup");
        fs::write(&copy, script.replace(DEBIAN_FOLDER, &nowhere)).expect("written");
        let output = Command::new("/bin/bash")
            .arg(copy)
            .arg("test")
            .env("PATH", self.bin())
            .output()
            .expect("bash runs");
        let says = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(1), "{says}");
        says
    }
}

/// Where this machine has the program.
fn installed(name: &str) -> PathBuf {
    let path = env::var_os("PATH").expect("a PATH");
    let mut found = env::split_paths(&path).map(|folder| folder.join(name));
    found.find(|it| it.is_file()).expect("every machine has it")
}

/// The packages of the line with which they are installed.
fn packages(says: &str) -> Vec<&str> {
    let command = "On Debian: sudo apt-get install ";
    let line = says.lines().find_map(|line| line.strip_prefix(command));
    let line = line.unwrap_or_else(|| panic!("{says}"));
    line.split(' ').collect()
}

#[test]
fn a_machine_without_postgresql_is_told_how_to_install_it() {
    let machine = BareMachine::new();
    assert!(packages(&machine.refusal()).contains(&"postgresql"));
    for (version, is_missing) in [
        ("14.9 (Debian 14.9-1)", true),
        ("15.0", false),
        ("16.1", false),
    ] {
        machine.give_postgresql(version);
        let says = machine.refusal();
        let is_named = packages(&says).contains(&"postgresql");
        assert_eq!(is_named, is_missing, "{version}: {says}");
    }
}

#[test]
fn a_system_whose_package_is_too_old_leads_to_a_newer_one() {
    let machine = BareMachine::new();
    machine.give_postgresql("14.9");
    machine.give_apt("exit 0");
    let says = machine.refusal();
    assert!(says.contains("This needs PostgreSQL 15 or later"), "{says}");
    let download = "https://www.postgresql.org/download";
    assert!(says.contains(download), "{says}");
}

/// As on Ubuntu, which has them as snaps.
#[test]
fn a_system_without_packages_of_the_browsers_is_told_which_are_missing() {
    let machine = BareMachine::new();
    machine.give_postgresql("16.1");
    machine.give_apt(r#"case "$2" in chromium | firefox-esr) exit 100 ;; esac"#);
    let says = machine.refusal();
    let missing = "Missing, and no package of this system: chromium firefox-esr";
    assert!(says.lines().any(|line| line == missing), "{says}");
    assert!(says.contains("in a container of Debian"), "{says}");
}

#[test]
fn what_the_system_has_is_installed_whatever_else_is_missing() {
    let machine = BareMachine::new();
    machine.give_postgresql("16.1");
    machine.give_apt(r#"case "$2" in chromium | firefox-esr) exit 100 ;; esac"#);
    let commands = machine.folder.path().join("commands");
    machine.give("env", &format!("echo \"$*\" >>'{}'", commands.display()));
    let says = machine.refusal();
    assert!(says.contains("chromium firefox-esr"), "{says}");
    let commands = fs::read_to_string(commands).expect("something was installed");
    assert!(commands.contains("apt-get install"), "{commands}");
    assert!(commands.contains(" sqlite3 "), "{commands}");
    assert!(!commands.contains("chromium"), "{commands}");
}
