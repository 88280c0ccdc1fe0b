//! The units of systemd, where it is installed.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::{assert_success, files, read, where_installed};

#[test]
fn systemd_takes_the_units() {
    let folder = TempDir::new().expect("a folder");
    for file in files("deploy/systemd", ".service") {
        let unit = fs::read_to_string(&file).expect("a unit");
        // The program that the unit starts is looked for.
        let unit = unit.replace("/usr/local/bin/hato-server", "/bin/true");
        let name = file.file_name().expect("a name").to_string_lossy();
        let copy = folder.path().join(name.replace('@', "@api"));
        fs::write(&copy, unit).expect("a file");
        let mut analyze = Command::new("systemd-analyze");
        if let Some(output) = where_installed(analyze.arg("verify").arg(&copy)) {
            assert_success(&output);
            assert!(output.stderr.is_empty(), "{output:?}");
        }
    }
}

#[test]
fn units_give_no_privileges() {
    for file in files("deploy/systemd", ".service") {
        let unit = fs::read_to_string(&file).expect("a unit");
        for setting in [
            "User=hato",
            "NoNewPrivileges=true",
            "CapabilityBoundingSet=",
            "ProtectSystem=strict",
            "ProtectHome=true",
        ] {
            assert!(unit.lines().any(|line| line == setting), "{setting}");
        }
    }
}

#[test]
fn one_of_several_processes_differs_by_its_environment_alone() {
    let (one, several) = (
        read("deploy/systemd/hato.service"),
        read("deploy/systemd/hato@.service"),
    );
    let one: Vec<_> = one.lines().collect();
    let added: Vec<_> = several.lines().filter(|line| !one.contains(line)).collect();
    let settings: Vec<_> = added.iter().filter(|it| !it.starts_with('#')).collect();
    let expected = [
        "Description=Hato, web push notifications (%i)",
        "EnvironmentFile=/etc/hato/%i.env",
    ];
    assert!(settings.into_iter().eq(&expected), "{added:?}");
}
