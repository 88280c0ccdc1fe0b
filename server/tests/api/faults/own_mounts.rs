//! A server that sees other disks and files than everybody else: in a mount namespace of its own, with which they end.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::fixtures::BINARY;

/// A program in the folder that runs this script, which mounts what it pleases and ends in `exec "$@"`: the server.
pub(super) fn program(folder: &TempDir, mounting: &str) -> PathBuf {
    let unshare = unshare();
    assert_may_mount(unshare);
    let script = folder.path().join("mounting");
    std::fs::write(&script, mounting).expect("written");
    let start = format!(
        "#!/bin/sh\nexec {} sh '{}' '{BINARY}' \"$@\"\n",
        unshare.join(" "),
        script.display()
    );
    let path = folder.path().join("hato-server");
    std::fs::write(&path, start).expect("written");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("the file is ours");
    path
}

fn assert_may_mount(unshare: &[&str]) {
    let mut trial = Command::new(unshare[0]);
    trial
        .args(&unshare[1..])
        .args(["mount", "-t", "tmpfs", "hato", "/mnt"]);
    let mounted = trial.output().expect("unshare runs");
    assert!(
        mounted.status.success(),
        "a fault of a disk or a file of the system takes a user who may mount one in a namespace (`{}`), and this one may not: {}",
        unshare.join(" "),
        String::from_utf8_lossy(&mounted.stderr)
    );
}

/// What runs a program where it may mount: anybody but root needs a namespace in which that is what they are.
fn unshare() -> &'static [&'static str] {
    let command = &["unshare", "--mount", "--map-root-user"];
    let is_root = rustix::process::geteuid().is_root();
    if is_root { &command[..2] } else { command }
}
