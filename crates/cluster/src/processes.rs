//! The processes of a server: ended all at once, or limited in what they write.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::{ClusterError, succeed, unprivileged};

/// Between two looks at whether they are gone.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Ends the server whose file of its process this is, and all processes that it has started, with SIGKILL.
pub(crate) fn kill(pid_file: &Path) -> Result<(), ClusterError> {
    let server = server(pid_file)?;
    // Stopped, it starts no more processes while they are counted.
    signal("STOP", std::slice::from_ref(&server))?;
    let all = [vec![server.clone()], children(&server)].concat();
    signal("KILL", &all)?;
    while all.iter().any(|process| is_alive(process)) {
        thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Lets no file of the server, and of the processes that it has started or will start, grow past so many bytes, or `unlimited`.
pub(crate) fn limit_files(pid_file: &Path, limit: &str) -> Result<(), ClusterError> {
    let server = server(pid_file)?;
    // Whom it starts from now on has its limit.
    limit_files_of(std::slice::from_ref(&server), limit)?;
    limit_files_of(&children(&server), limit)
}

/// A process that is gone already is no failure.
fn limit_files_of(processes: &[String], limit: &str) -> Result<(), ClusterError> {
    let script = "for process do prlimit --pid \"$process\" \"--fsize=$0:\" || ! kill -0 \"$process\" || exit 1; done";
    let mut shell = unprivileged(Path::new("/bin/sh"));
    shell.args(["-c", script, limit]).args(processes);
    succeed(shell)
}

/// The first process of a server.
fn server(pid_file: &Path) -> Result<String, ClusterError> {
    let text = fs::read_to_string(pid_file).map_err(|source| ClusterError::Program {
        program: pid_file.to_owned(),
        source,
    })?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The shell's kill: sending a signal without it takes unsafe code. A process that is gone already is no failure.
fn signal(name: &str, processes: &[String]) -> Result<(), ClusterError> {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "kill -$0 \"$@\" 2>/dev/null || true", name])
        .args(processes);
    succeed(shell)
}

/// The processes that this one has started.
fn children(server: &str) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = processes.filter_map(|process| process.ok()?.file_name().into_string().ok());
    let is_child = |process: &String| stat(process).is_some_and(|(_, parent)| parent == server);
    names.filter(is_child).collect()
}

/// Not when it has ended and nobody has asked how.
fn is_alive(process: &str) -> bool {
    stat(process).is_some_and(|(state, _)| state != "Z")
}

/// State and parent of a process (`proc_pid_stat(5)`); the name before them may hold anything.
fn stat(process: &str) -> Option<(String, String)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().map(str::to_owned);
    Some((fields.next()?, fields.next()?))
}
