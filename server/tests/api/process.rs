//! What the system knows of the server's process, and what it lets it have.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hato_testkit::server::HatoServer;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use tempfile::TempDir;

use crate::fixtures::BINARY;

/// The state of a connection that is open, as `/proc/net/tcp` writes it.
const ESTABLISHED: &str = "01";

/// The most memory that the server had so far, in bytes.
pub fn peak_memory(server: &HatoServer) -> u64 {
    let id = server.process_id().expect("it runs");
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kib: Option<u64> = kib.and_then(|kib| kib.trim().parse().ok());
    kib.expect("a number") * 1_024
}

/// How many connections of clients are open at the server's port.
pub fn open_connections(server: &HatoServer) -> usize {
    let port = format!(":{:04X}", server.address().port());
    let table = fs::read_to_string("/proc/net/tcp").expect("a table");
    let is_open = |line: &&str| {
        let mut columns = line.split_whitespace().skip(1);
        let local = columns.next().is_some_and(|it| it.ends_with(&port));
        local && columns.nth(1) == Some(ESTABLISHED)
    };
    table.lines().filter(is_open).count()
}

/// A program in the folder that a shell runs, which begins with this line and goes on as the server.
pub fn program(folder: &TempDir, first: &str) -> PathBuf {
    let path = folder.path().join("hato-server");
    let script = format!("#!/bin/sh\n{first}\nexec '{BINARY}' \"$@\"\n");
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it is ours");
    path
}

/// Lets the server have so much of something from now on; what it has stays. Returns how much it might have before.
pub fn limit(server: &HatoServer, resource: Resource, current: Option<u64>) -> Option<u64> {
    let id = server.process_id().expect("it runs");
    let id = Pid::from_raw(i32::try_from(id).expect("a process id"));
    let maximum = getrlimit(resource).maximum;
    let before = prlimit(id, resource, Rlimit { current, maximum });
    before.expect("it is our child").current
}
